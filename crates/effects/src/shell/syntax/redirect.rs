//! Redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Problem;
use super::parser::{Document, Parser, ends_word, name_length};
use super::tree::{Operator, Piece, Redirect, Target, Word};

impl<'t> Parser<'t> {
    /// Reads a redirection, if one stands here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let prefix = self.descriptor_length();
        let first = self.peek_at(prefix)?;
        let second = self.peek_at(prefix + 1);
        let starts_here = match first {
            b'<' | b'>' => second != Some(b'('),
            b'&' => prefix == 0 && second == Some(b'>'),
            _ => false,
        };
        if !starts_here {
            return None;
        }
        let descriptor = self.rest().get(..prefix).unwrap_or_default().to_owned();
        self.at += prefix;
        const SIGNS: [(&str, Operator); 12] = [
            ("<<<", Operator::HereString),
            ("<<-", Operator::HereDocument),
            ("<<", Operator::HereDocument),
            ("<&", Operator::CopyIn),
            ("<>", Operator::ReadWrite),
            ("<", Operator::Read),
            ("&>>", Operator::WriteBoth),
            ("&>", Operator::WriteBoth),
            (">>", Operator::Write),
            (">|", Operator::Write),
            (">&", Operator::CopyOut),
            (">", Operator::Write),
        ];
        let (sign, operator) = SIGNS.into_iter().find(|(sign, _)| self.starts(sign))?;
        self.at += sign.len();
        self.skip_blanks();
        let from = self.at;
        let ends = self
            .peek()
            .is_none_or(|byte| ends_word(byte) && !self.starts("<(") && !self.starts(">("));
        if ends {
            self.fail(Problem::Unexpected);
        }
        let word = if ends { Word::default() } else { self.word().unwrap_or_default() };
        let target = if operator == Operator::HereDocument {
            Target::Document(self.begin_document(&word, from, sign == "<<-"))
        } else {
            Target::Word(word)
        };
        Some(Redirect { descriptor, operator, target })
    }

    /// The length of `2` or `{name}` before a redirection sign.
    fn descriptor_length(&self) -> usize {
        let rest = self.rest();
        let length = match rest.as_bytes().first() {
            Some(b'0'..=b'9') => rest.bytes().take_while(u8::is_ascii_digit).take(12).count(),
            Some(b'{') => {
                let name = name_length(rest.get(1..).unwrap_or_default());
                if name > 0 && rest.as_bytes().get(name + 1) == Some(&b'}') { name + 2 } else { 0 }
            }
            _ => 0,
        };
        match rest.as_bytes().get(length) {
            Some(b'<' | b'>') => length,
            _ => 0,
        }
    }

    fn begin_document(&mut self, word: &Word, from: usize, strip_tabs: bool) -> Rc<OnceCell<Word>> {
        let body = Rc::new(OnceCell::new());
        let mut end = String::new();
        let mut expands = true;
        for piece in &word.pieces {
            match piece {
                Piece::Bare(text) | Piece::Glob(text) => end.push_str(text),
                Piece::Quoted(text) => {
                    expands = false;
                    end.push_str(text);
                }
                // `<<$x`: the sign as written ends the text.
                _ => {
                    end = self.text.get(from..self.at).unwrap_or_default().to_owned();
                    break;
                }
            }
        }
        self.documents.push(Document { end, strip_tabs, expands, body: Rc::clone(&body) });
        body
    }
}
