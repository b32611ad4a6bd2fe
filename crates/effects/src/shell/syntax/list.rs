//! Lists and pipelines.

use super::Problem;
use super::parser::{Parser, ends_word};
use super::tree::{Item, Joint, List, Pipeline};

impl<'t> Parser<'t> {
    /// Reads the whole text. What no list can begin with is gone over.
    pub(super) fn script(&mut self) -> List {
        let mut list = List::new();
        loop {
            list.extend(self.list());
            if self.at >= self.text.len() {
                break;
            }
            self.fail(Problem::Unexpected);
            let before = self.at;
            if self.reserved().is_none_or(|word| !self.eat(word)) && !self.eat(";;") {
                self.take_char();
            }
            debug_assert!(self.at > before, "the reader goes on");
        }
        // A here-document that was begun on the last line.
        if !self.documents.is_empty() {
            self.read_documents();
        }
        list
    }

    /// Reads up to what closes the list: `)`, `;;`, a reserved word such as `done`, or the end.
    pub(super) fn list(&mut self) -> List {
        let mut list = List::new();
        let mut joint = Joint::Next;
        loop {
            self.skip_lines();
            if self.closes_list() {
                if joint != Joint::Next {
                    self.fail(Problem::Unexpected);
                }
                return list;
            }
            let before = self.at;
            let pipeline = self.pipeline();
            if self.at == before {
                // Nothing that a command begins with: the caller goes over it.
                return list;
            }
            self.skip_blanks();
            self.skip_comment();
            let mut background = false;
            let next = match (self.peek(), self.peek_at(1)) {
                (Some(b'&'), Some(b'&')) => Some((2, Joint::And)),
                (Some(b'|'), Some(b'|')) => Some((2, Joint::Or)),
                (Some(b'&'), _) => {
                    background = true;
                    Some((1, Joint::Next))
                }
                (Some(b';'), Some(b';' | b'&')) => None,
                (Some(b';'), _) => Some((1, Joint::Next)),
                (Some(b'\n'), _) => Some((0, Joint::Next)),
                _ => None,
            };
            list.push(Item { joint, pipeline, background });
            let Some((length, following)) = next else {
                return list;
            };
            self.at += length;
            joint = following;
        }
    }

    fn closes_list(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => self.peek_at(1).is_some_and(|next| next == b';' || next == b'&'),
            _ => matches!(
                self.reserved(),
                Some("then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}")
            ),
        }
    }

    /// Returns the reserved word that stands here, if one does.
    pub(super) fn reserved(&self) -> Option<&'static str> {
        const WORDS: [&str; 20] = [
            "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "select",
            "case", "esac", "function", "coproc", "time", "[[", "{", "}", "!",
        ];
        let bytes = self.text.as_bytes();
        let start = bytes.get(self.at..)?;
        let first = *start.first()?;
        if !matches!(first, b'a'..=b'z' | b'[' | b'{' | b'}' | b'!') {
            return None;
        }
        let length =
            start.iter().take(9).position(|byte| ends_word(*byte)).unwrap_or(start.len().min(9));
        let word = start.get(..length)?;
        WORDS.into_iter().find(|reserved| reserved.as_bytes() == word)
    }

    fn pipeline(&mut self) -> Pipeline {
        let mut pipeline = Pipeline { timed: false, negated: false, commands: Vec::new() };
        loop {
            self.skip_blanks();
            match self.reserved() {
                Some("!") => {
                    pipeline.negated = !pipeline.negated;
                    self.at += 1;
                }
                Some("time") => {
                    pipeline.timed = true;
                    self.at += "time".len();
                    self.time_options();
                }
                _ => break,
            }
        }
        loop {
            self.skip_lines();
            match self.command() {
                Some(command) => pipeline.commands.push(command),
                // `time` alone and `! ;` are legal.
                None if pipeline.commands.is_empty() => break,
                None => {
                    self.fail(Problem::Unexpected);
                    break;
                }
            }
            self.skip_blanks();
            if self.starts("||") || !self.eat("|") {
                break;
            }
            self.eat("&");
            self.skip_lines();
            while self.reserved() == Some("!") {
                self.at += 1;
                self.skip_blanks();
            }
        }
        pipeline
    }

    /// Goes over `-p` and `--` after `time`.
    fn time_options(&mut self) {
        for option in ["-p", "--"] {
            self.skip_blanks();
            let after = self.peek_at(option.len());
            if self.starts(option) && after.is_none_or(ends_word) {
                self.at += option.len();
            }
        }
    }
}
