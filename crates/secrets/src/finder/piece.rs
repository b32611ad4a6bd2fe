//! Pieces of a text that are to be replaced.
//!
//! All scanners and patterns search the same text, so their findings may overlap each other and may
//! overlap placeholders of an earlier pass. Two rules make one result of them: what two findings cover
//! is covered, and a placeholder is never touched.

use std::ops::Range;

/// A piece of a text that is to be replaced.
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) kind: &'static str,
    /// Of pieces that begin together the one with the lowest rank names the kind.
    pub(super) rank: usize,
}

/// Takes the placeholders out of the pieces, puts them in order and joins those that overlap.
pub(super) fn join(found: Vec<Piece>, placeholders: &[Range<usize>]) -> Vec<Piece> {
    let mut open = Vec::with_capacity(found.len());
    for piece in found {
        add_outside(piece, placeholders, &mut open);
    }
    open.sort_by_key(|piece| (piece.range.start, piece.rank));
    let mut pieces: Vec<Piece> = Vec::with_capacity(open.len());
    for piece in open {
        match pieces.last_mut() {
            Some(last) if piece.range.start < last.range.end => {
                last.range.end = last.range.end.max(piece.range.end);
            }
            _ => pieces.push(piece),
        }
    }
    pieces
}

/// Adds what remains of a piece outside of the placeholders. Replacing more would make redacting twice
/// differ from redacting once.
fn add_outside(piece: Piece, placeholders: &[Range<usize>], pieces: &mut Vec<Piece>) {
    let Piece { range, kind, rank } = piece;
    let mut start = range.start;
    let first = placeholders.partition_point(|placeholder| placeholder.end <= start);
    for placeholder in placeholders.get(first..).unwrap_or_default() {
        if placeholder.start >= range.end {
            break;
        }
        if placeholder.start > start {
            pieces.push(Piece { range: start..placeholder.start, kind, rank });
        }
        start = placeholder.end;
    }
    if start < range.end {
        pieces.push(Piece { range: start..range.end, kind, rank });
    }
}
