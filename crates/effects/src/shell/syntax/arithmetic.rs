//! Arithmetic: only the expansions in it matter.

use super::Problem;
use super::parser::Parser;
use super::tree::{Piece, Word};

impl<'t> Parser<'t> {
    /// Reads an expression up to what closes it; an empty sign stands for the end of the text.
    pub(super) fn arithmetic(&mut self, close: &str) -> Word {
        let mut word = Word::default();
        if !self.enter() {
            return word;
        }
        let (open_sign, close_sign) = if close == "]" { (b'[', b']') } else { (b'(', b')') };
        let mut open = 0_usize;
        loop {
            let Some(byte) = self.peek() else {
                if !close.is_empty() {
                    self.fail(Problem::Unclosed);
                }
                break;
            };
            if open == 0 && !close.is_empty() && self.starts(close) {
                self.at += close.len();
                break;
            }
            match byte {
                b'\'' | b'"' | b'\\' | b'$' | b'`' => self.quoted_or_expanded(&mut word),
                b'<' | b'>' if self.peek_at(1) == Some(b'(') && close == "]" => {
                    self.process(&mut word)
                }
                _ => {
                    if byte == open_sign {
                        open += 1;
                    } else if byte == close_sign {
                        open = open.saturating_sub(1);
                    }
                    let rest = self.rest();
                    let plain = rest
                        .bytes()
                        .skip(1)
                        .position(|next| {
                            matches!(
                                next,
                                b'\''
                                    | b'"'
                                    | b'\\'
                                    | b'$'
                                    | b'`'
                                    | b'('
                                    | b')'
                                    | b'['
                                    | b']'
                                    | b'<'
                                    | b'>'
                            )
                        })
                        .map_or(rest.len(), |length| length + 1);
                    let text = rest.get(..plain).unwrap_or_default();
                    word.push(Piece::Bare(text.to_owned()));
                    self.at += plain.max(1);
                }
            }
        }
        self.leave();
        word
    }

    /// Returns whether the bracket that was opened before `from` is closed by two brackets in a row:
    /// then `((` begins arithmetic and not a subshell in a subshell.
    pub(super) fn closes_twice(&mut self, from: usize) -> bool {
        let bytes = self.text.as_bytes();
        let mut open = 0_usize;
        let mut at = from;
        let mut closed = false;
        while let Some(byte) = bytes.get(at) {
            if at - from >= self.lookahead {
                self.fail(Problem::Deep);
                break;
            }
            match byte {
                b'\\' => at += 1,
                b'\'' => {
                    let rest = bytes.get(at + 1..).unwrap_or_default();
                    at += 1 + rest.iter().position(|byte| *byte == b'\'').unwrap_or(rest.len());
                }
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => {
                    closed = bytes.get(at + 1) == Some(&b')');
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        self.lookahead = self.lookahead.saturating_sub(at - from);
        closed
    }
}
