//! Brace expansion: `{a,b}` and `{1..3}`, up to a bound.

use super::syntax::tree::{Piece, Word};

/// The most words that one word becomes.
const MOST: usize = 256;

/// The most bytes that one word becomes, roughly.
const LARGEST: usize = 64 * 1024;

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
                        || Range::read(tokens.get(start + 1..place).unwrap_or_default()).is_some();
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
    let mut size = 0;
    let mut at = start;
    while at < end {
        let literal = |text: &str| vec![bare(text)];
        let choices = match (tokens.get(at)?, closed.get(at)?) {
            (Token::Open, Some(close)) => {
                let close = *close;
                let choices = match Range::read(tokens.get(at + 1..close)?) {
                    // Nothing is made of what is too much.
                    Some(range) if range.count().checked_mul(words.len())? > *budget => {
                        return None;
                    }
                    Some(range) => range.words()?,
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
        size = size * choices.len() + total_size(&choices) * words.len();
        if size > LARGEST && words.len() * choices.len() > 1 {
            return None;
        }
        if choices.len() > 1 {
            let more = words.len().checked_mul(choices.len())?;
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

/// What it costs to copy the words, in bytes, roughly.
fn total_size(words: &[Word]) -> usize {
    let pieces = words.iter().flat_map(|word| &word.pieces);
    let size = |piece: &Piece| match piece {
        Piece::Bare(text) | Piece::Quoted(text) | Piece::Glob(text) => 16 + text.len(),
        _ => 16,
    };
    pieces.map(size).sum()
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

/// What `1..3`, `a..z` or `01..10..3` stands for.
struct Range {
    first: i64,
    last: i64,
    step: u64,
    letters: bool,
    /// How many digits a number has at least.
    width: usize,
}

impl Range {
    fn read(inside: &[Token]) -> Option<Self> {
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
        if let (Some(first), Some(last)) = (letter(from), letter(to)) {
            let (first, last) = (i64::from(u32::from(first)), i64::from(u32::from(last)));
            return Some(Self { first, last, step, letters: true, width: 0 });
        }
        let (first, last) = (from.parse::<i64>().ok()?, to.parse::<i64>().ok()?);
        let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
        let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
        Some(Self { first, last, step, letters: false, width })
    }

    /// How many words it becomes.
    fn count(&self) -> usize {
        let steps = self.first.abs_diff(self.last) / self.step;
        usize::try_from(steps).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// The words; `None` if a number in between cannot be written.
    fn words(&self) -> Option<Vec<Word>> {
        let word = |place: usize| {
            let distance =
                i64::try_from(u64::try_from(place).ok()?.checked_mul(self.step)?).ok()?;
            let value = if self.first <= self.last {
                self.first.checked_add(distance)?
            } else {
                self.first.checked_sub(distance)?
            };
            if self.letters {
                let letter = u32::try_from(value).ok().and_then(char::from_u32)?;
                return Some(bare(letter.encode_utf8(&mut [0; 4])));
            }
            Some(bare(&format!("{value:0width$}", width = self.width)))
        };
        (0..self.count()).map(word).collect()
    }
}
