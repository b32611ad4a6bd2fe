//! Words: quotes, escapes and what is left for expansion.

use super::Problem;
use super::parser::{Parser, ends_word};
use super::tree::{Piece, Word};

impl<'t> Parser<'t> {
    /// Reads a word; `None` if none stands here.
    pub(super) fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        let start = self.at;
        loop {
            // Most of a word is plain text.
            let rest = self.rest();
            let plain = rest.bytes().position(is_special).unwrap_or(rest.len());
            if plain > 0 {
                word.push(Piece::Bare(rest.get(..plain).unwrap_or_default().to_owned()));
                self.at += plain;
            }
            let Some(byte) = self.peek() else { break };
            match byte {
                b'\'' | b'"' | b'\\' | b'$' | b'`' => self.quoted_or_expanded(&mut word),
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => self.process(&mut word),
                _ if ends_word(byte) => break,
                b'*' | b'?' | b'+' | b'@' | b'!' => {
                    if self.peek_at(1) == Some(b'(') {
                        self.pattern_group(&mut word);
                        continue;
                    }
                    self.at += 1;
                    let text = char::from(byte).to_string();
                    word.push(if matches!(byte, b'*' | b'?') {
                        Piece::Glob(text)
                    } else {
                        Piece::Bare(text)
                    });
                }
                _ => {
                    if let Some(other) = self.take_char() {
                        word.push(Piece::Bare(other.to_string()));
                    }
                }
            }
        }
        if self.at == start {
            return None;
        }
        mark_brackets(&mut word);
        Some(word)
    }

    /// Reads what a quote, a backslash, a dollar or a backtick begins, outside of double quotes.
    pub(super) fn quoted_or_expanded(&mut self, word: &mut Word) {
        match self.peek() {
            Some(b'\'') => self.single_quoted(word),
            Some(b'"') => {
                self.at += 1;
                word.push(Piece::Quoted(String::new()));
                self.double_quoted(word, Some(b'"'));
            }
            Some(b'\\') => self.escaped(word),
            Some(b'$') => self.dollar(word, false),
            Some(b'`') => self.backticks(word, false),
            _ => {}
        }
    }

    fn single_quoted(&mut self, word: &mut Word) {
        self.at += 1;
        let rest = self.rest();
        let length = rest.find('\'');
        if length.is_none() {
            self.fail(Problem::Unclosed);
        }
        let text = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        word.push(Piece::Quoted(text.to_owned()));
        self.at += text.len() + usize::from(length.is_some());
    }

    fn escaped(&mut self, word: &mut Word) {
        self.at += 1;
        match self.take_char() {
            Some('\n') => {}
            Some(escaped) => word.push(Piece::Quoted(escaped.to_string())),
            None => word.push(Piece::Quoted("\\".to_owned())),
        }
    }

    /// Reads text in which only `$`, backticks and backslashes count, up to a quote or to the end.
    pub(super) fn double_quoted(&mut self, word: &mut Word, end: Option<u8>) {
        loop {
            let rest = self.rest();
            let plain = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'));
            let plain = plain.unwrap_or(rest.len());
            if plain > 0 {
                word.push(Piece::Quoted(rest.get(..plain).unwrap_or_default().to_owned()));
                self.at += plain;
            }
            match self.peek() {
                None => {
                    if end.is_some() {
                        self.fail(Problem::Unclosed);
                    }
                    return;
                }
                Some(b'"') => {
                    self.at += 1;
                    if end.is_some() {
                        return;
                    }
                    word.push(Piece::Quoted("\"".to_owned()));
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'\n') => self.at += 1,
                        Some(byte) if matches!(byte, b'$' | b'`' | b'\\') || Some(byte) == end => {
                            self.at += 1;
                            word.push(Piece::Quoted(char::from(byte).to_string()));
                        }
                        _ => word.push(Piece::Quoted("\\".to_owned())),
                    }
                }
                Some(b'$') => self.dollar(word, true),
                _ => self.backticks(word, true),
            }
        }
    }

    /// Reads `*(a|b)` and the like. It matches names of files; what is expanded in it counts.
    fn pattern_group(&mut self, word: &mut Word) {
        if !self.enter() {
            return;
        }
        let from = self.at;
        let sign = self.take_char().unwrap_or('*');
        self.at += 1;
        word.push(Piece::Glob(format!("{sign}(")));
        loop {
            match self.peek() {
                None => {
                    self.fail(Problem::Unclosed);
                    break;
                }
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(b'|') => {
                    self.at += 1;
                    word.push(Piece::Glob("|".to_owned()));
                }
                Some(byte) if ends_word(byte) && !self.starts("<(") && !self.starts(">(") => {
                    self.fail(Problem::Unexpected);
                    self.at += 1;
                }
                Some(_) => {
                    let Some(inner) = self.word() else { break };
                    for piece in inner.pieces {
                        word.push(match piece {
                            Piece::Bare(text) => Piece::Glob(text),
                            other => other,
                        });
                    }
                }
            }
        }
        word.push(Piece::Glob(")".to_owned()));
        debug_assert!(self.at > from, "the reader goes on");
        self.leave();
    }
}

fn is_special(byte: u8) -> bool {
    ends_word(byte)
        || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'*' | b'?' | b'+' | b'@' | b'!')
}

/// Makes globs of square brackets that are closed: `[a-z]`.
fn mark_brackets(word: &mut Word) {
    let has = |sign| move |piece: &Piece| matches!(piece, Piece::Bare(text) if text.contains(sign));
    if !word.pieces.iter().any(has('[')) || !word.pieces.iter().any(has(']')) {
        return;
    }
    let last_close = word.pieces.iter().rposition(has(']')).unwrap_or_default();
    let mut marked = Word::default();
    for (place, piece) in std::mem::take(&mut word.pieces).into_iter().enumerate() {
        let Piece::Bare(text) = &piece else {
            marked.push(piece);
            continue;
        };
        let mut rest = text.as_str();
        while let Some(open) = rest.find('[') {
            let inside = rest.get(open..).unwrap_or_default();
            let close = inside.get(1..).and_then(|inside| inside.find(']')).map(|close| close + 2);
            // Closed in a later piece: the bracket alone is the glob.
            let close = close.filter(|close| *close > 2).or((place < last_close).then_some(1));
            let Some(close) = close else { break };
            if open > 0 {
                marked.push(Piece::Bare(rest.get(..open).unwrap_or_default().to_owned()));
            }
            marked.push(Piece::Glob(inside.get(..close).unwrap_or_default().to_owned()));
            rest = inside.get(close..).unwrap_or_default();
        }
        if !rest.is_empty() {
            marked.push(Piece::Bare(rest.to_owned()));
        }
    }
    *word = marked;
}
