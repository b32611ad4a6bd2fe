//! Brace expansion: `{a,b}` and `{1..3}`, up to a bound.

use super::syntax::tree::{Piece, Word};

/// The most words that one word becomes.
const MOST: usize = 256;

/// The most text that one word becomes.
const LONGEST: usize = 64 * 1024;

/// What becomes of a word.
#[derive(Debug)]
pub(super) enum Expansion {
    /// It has no braces.
    None,
    Words(Vec<Word>),
    /// It becomes more words than are followed; the word as written.
    TooMany(String),
}

/// A sign of a brace, or a piece of the word that is none.
#[derive(Debug)]
enum Token {
    Open,
    Comma,
    Close,
    Piece(Piece),
}

/// Expands the braces of a word.
pub(super) fn expand(word: &Word) -> Expansion {
    let has_brace = |piece: &Piece| matches!(piece, Piece::Bare(text) if text.contains('{'));
    if !word.pieces.iter().any(has_brace) {
        return Expansion::None;
    }
    let tokens = tokens(word);
    let mut closed = Vec::with_capacity(tokens.len());
    match_brackets(&tokens, &mut closed);
    if closed.iter().all(|close| close.is_none()) {
        return Expansion::None;
    }
    let mut budget = MOST;
    match sequence(&tokens, &closed, 0, tokens.len(), &mut budget, 0) {
        Some(words) => Expansion::Words(words),
        None => Expansion::TooMany(shown(word)),
    }
}

fn shown(word: &Word) -> String {
    word.pieces
        .iter()
        .map(|piece| match piece {
            Piece::Bare(text) | Piece::Quoted(text) | Piece::Glob(text) => text.as_str(),
            _ => "…",
        })
        .take(8)
        .collect()
}

fn tokens(word: &Word) -> Vec<Token> {
    let mut tokens = Vec::new();
    for piece in &word.pieces {
        let Piece::Bare(text) = piece else {
            tokens.push(Token::Piece(piece.clone()));
            continue;
        };
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let length = rest.find(['{', ',', '}']).unwrap_or(rest.len());
            if length > 0 {
                tokens.push(Token::Piece(Piece::Bare(
                    rest.get(..length).unwrap_or_default().to_owned(),
                )));
            }
            match rest.as_bytes().get(length) {
                Some(b'{') => tokens.push(Token::Open),
                Some(b',') => tokens.push(Token::Comma),
                Some(b'}') => tokens.push(Token::Close),
                _ => {}
            }
            rest = rest.get(length + 1..).unwrap_or_default();
        }
    }
    tokens
}

/// For each opening brace that means something, the place of the brace that closes it.
fn match_brackets(tokens: &[Token], closed: &mut Vec<Option<usize>>) {
    closed.resize(tokens.len(), None);
    // Open braces: their place, and whether a comma of theirs was seen.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        match token {
            Token::Open => open.push((place, false)),
            Token::Comma => {
                if let Some(last) = open.last_mut() {
                    last.1 = true;
                }
            }
            Token::Close => {
                if let Some((start, comma)) = open.pop() {
                    let is_range =
                        || range(tokens.get(start + 1..place).unwrap_or_default()).is_some();
                    if (comma || is_range())
                        && let Some(slot) = closed.get_mut(start)
                    {
                        *slot = Some(place);
                    }
                }
            }
            Token::Piece(_) => {}
        }
    }
}

/// How deeply braces may be nested.
const DEEPEST: usize = 8;

/// All words that the tokens from `start` to `end` become; `None` if these are too many.
fn sequence(
    tokens: &[Token],
    closed: &[Option<usize>],
    start: usize,
    end: usize,
    budget: &mut usize,
    depth: usize,
) -> Option<Vec<Word>> {
    if depth > DEEPEST {
        return None;
    }
    let mut words = vec![Word::default()];
    let mut at = start;
    while at < end {
        let literal = |text: &str| vec![bare(text)];
        let choices = match (tokens.get(at)?, closed.get(at)?) {
            (Token::Open, Some(close)) => {
                let close = *close;
                let choices = match range(tokens.get(at + 1..close)?) {
                    Some(range) => range?,
                    None => alternatives(tokens, closed, at + 1, close, budget, depth)?,
                };
                at = close;
                choices
            }
            (Token::Open, None) => literal("{"),
            (Token::Comma, _) => literal(","),
            (Token::Close, _) => literal("}"),
            (Token::Piece(piece), _) => {
                let mut word = Word::default();
                word.push(piece.clone());
                vec![word]
            }
        };
        at += 1;
        if choices.len() > 1 {
            let more = words.len().checked_mul(choices.len())?;
            let length = |words: &[Word]| words.iter().map(length).sum::<usize>();
            let bytes = length(&words) * choices.len() + length(&choices) * words.len();
            if bytes > LONGEST {
                return None;
            }
            *budget = budget.checked_sub(more)?;
            let mut product = Vec::with_capacity(more);
            for word in &words {
                for choice in &choices {
                    let mut whole = word.clone();
                    choice.pieces.iter().for_each(|piece| whole.push(piece.clone()));
                    product.push(whole);
                }
            }
            words = product;
        } else if let Some(choice) = choices.first() {
            for word in &mut words {
                choice.pieces.iter().for_each(|piece| word.push(piece.clone()));
            }
        }
    }
    Some(words)
}

fn length(word: &Word) -> usize {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Bare(text) | Piece::Quoted(text) | Piece::Glob(text) => text.len(),
        _ => 16,
    });
    pieces.sum()
}

fn bare(text: &str) -> Word {
    Word { pieces: vec![Piece::Bare(text.to_owned())] }
}

/// The choices between two braces, with commas in between.
fn alternatives(
    tokens: &[Token],
    closed: &[Option<usize>],
    start: usize,
    end: usize,
    budget: &mut usize,
    depth: usize,
) -> Option<Vec<Word>> {
    let mut choices = Vec::new();
    let mut from = start;
    let mut at = start;
    while at <= end {
        let is_comma = at == end || matches!(tokens.get(at), Some(Token::Comma));
        if is_comma {
            choices.extend(sequence(tokens, closed, from, at, budget, depth + 1)?);
            from = at + 1;
        }
        // A comma of an inner brace is not ours.
        at = match closed.get(at) {
            Some(Some(close)) if at < end => close + 1,
            _ => at + 1,
        };
    }
    Some(choices)
}

/// Reads `1..3` or `a..z`: `None` if it is none, `Some(None)` if it has too many words.
fn range(inside: &[Token]) -> Option<Option<Vec<Word>>> {
    let [Token::Piece(Piece::Bare(text))] = inside else {
        return None;
    };
    let mut parts = text.split("..");
    let (from, to, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step = match step {
        Some(step) => step.parse::<i64>().ok()?.unsigned_abs().max(1),
        None => 1,
    };
    let letter = |text: &str| {
        let mut signs = text.chars();
        signs.next().filter(|sign| sign.is_ascii_alphabetic() && signs.next().is_none())
    };
    let (first, last, letters) = match (letter(from), letter(to)) {
        (Some(first), Some(last)) => {
            (i64::from(u32::from(first)), i64::from(u32::from(last)), true)
        }
        _ => (from.parse::<i64>().ok()?, to.parse::<i64>().ok()?, false),
    };
    let count = first.abs_diff(last) / step;
    if count >= MOST as u64 {
        return Some(None);
    }
    let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
    let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
    let mut words = Vec::new();
    for place in 0..=count {
        let distance = i64::try_from(place * step).ok()?;
        let value = if first <= last {
            first.checked_add(distance)?
        } else {
            first.checked_sub(distance)?
        };
        let text = match letters.then(|| u32::try_from(value).ok().and_then(char::from_u32)) {
            Some(letter) => letter?.to_string(),
            None => format!("{value:0width$}"),
        };
        words.push(bare(&text));
    }
    Some(Some(words))
}
