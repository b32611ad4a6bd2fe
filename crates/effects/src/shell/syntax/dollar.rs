//! What `$` and backticks begin.

use std::rc::Rc;

use super::Problem;
use super::parser::{Parser, name_length};
use super::tree::{List, Parameter, Piece, Substitution, Word};

impl<'t> Parser<'t> {
    /// Reads an expansion; a `$` that begins none is text.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) {
        let from = self.at;
        match self.peek_at(1) {
            Some(b'(') => {
                if self.peek_at(2) == Some(b'(') && self.closes_twice(self.at + 3) {
                    self.at += 3;
                    let inside = self.arithmetic("))");
                    word.push(Piece::Arithmetic(Rc::new((inside, self.written(from)))));
                } else {
                    self.at += 2;
                    let list = self.nested_list();
                    let written = self.written(from);
                    word.push(Piece::Command(Rc::new(Substitution { list, written, quoted })));
                }
            }
            Some(b'[') => {
                self.at += 2;
                let inside = self.arithmetic("]");
                word.push(Piece::Arithmetic(Rc::new((inside, self.written(from)))));
            }
            Some(b'{') => self.braced_parameter(word, quoted),
            Some(b'\'') if !quoted => {
                self.at += 2;
                let text = self.ansi_quoted();
                word.push(Piece::Quoted(text));
            }
            Some(b'"') if !quoted => self.at += 1,
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += 1 + name_length(self.text.get(self.at + 1..).unwrap_or_default());
                self.plain_parameter(word, from, quoted);
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.at += 2;
                self.plain_parameter(word, from, quoted);
            }
            _ => {
                self.at += 1;
                word.push(if quoted {
                    Piece::Quoted("$".to_owned())
                } else {
                    Piece::Bare("$".to_owned())
                });
            }
        }
    }

    fn plain_parameter(&self, word: &mut Word, from: usize, quoted: bool) {
        let name = self.text.get(from + 1..self.at).unwrap_or_default().to_owned();
        word.push(Piece::Parameter(Rc::new(Parameter {
            name,
            written: self.written(from),
            quoted,
            subscript: None,
            changed: false,
            operand: Word::default(),
        })));
    }

    /// Reads the commands of `$(` or `<(` up to the bracket that closes it.
    fn nested_list(&mut self) -> List {
        if !self.enter() {
            return List::new();
        }
        let list = self.list();
        self.leave();
        self.skip_lines();
        if !self.eat(")") {
            let problem =
                if self.peek().is_none() { Problem::Unclosed } else { Problem::Unexpected };
            self.fail(problem);
        }
        list
    }

    /// Reads `<(…)` or `>(…)`.
    pub(super) fn process(&mut self, word: &mut Word) {
        let from = self.at;
        self.at += 2;
        let list = self.nested_list();
        let written = self.written(from);
        word.push(Piece::Process(Rc::new(Substitution { list, written, quoted: true })));
    }

    /// Reads commands between backticks. They are a text of their own once their escapes are resolved.
    pub(super) fn backticks(&mut self, word: &mut Word, quoted: bool) {
        let from = self.at;
        self.at += 1;
        let mut inside = String::new();
        loop {
            let rest = self.rest();
            let plain =
                rest.bytes().position(|byte| matches!(byte, b'`' | b'\\')).unwrap_or(rest.len());
            inside.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'`') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {
                    self.at += 1;
                    match self.peek() {
                        Some(byte @ (b'`' | b'\\' | b'$')) => {
                            self.at += 1;
                            inside.push(char::from(byte));
                        }
                        Some(b'"') if quoted => {
                            self.at += 1;
                            inside.push('"');
                        }
                        _ => inside.push('\\'),
                    }
                }
                None => {
                    self.fail(Problem::Unclosed);
                    break;
                }
            }
        }
        let mut inner = Parser::new(&inside, self.depth + 1);
        let list = inner.script();
        if let Some(problem) = inner.problem {
            self.fail(problem);
        }
        let written = self.written(from);
        word.push(Piece::Command(Rc::new(Substitution { list, written, quoted })));
    }

    fn braced_parameter(&mut self, word: &mut Word, quoted: bool) {
        let from = self.at;
        self.at += 2;
        if !self.enter() {
            return;
        }
        // `${ cmd; }` and `${| cmd; }` of newer shells: its commands count, but it is not understood.
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.at += 1;
            self.fail(Problem::BadSubstitution);
            let list = self.list();
            self.eat("}");
            self.leave();
            let written = self.written(from);
            word.push(Piece::Command(Rc::new(Substitution { list, written, quoted })));
            return;
        }
        let mut changed = false;
        let next_is_name = |parser: &Self| {
            parser.peek_at(1).is_some_and(|next| {
                next.is_ascii_alphanumeric()
                    || matches!(next, b'_' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-')
            })
        };
        if matches!(self.peek(), Some(b'!' | b'#')) && next_is_name(self) {
            self.at += 1;
            changed = true;
        }
        let start = self.at;
        let rest = self.rest();
        let mut length = name_length(rest);
        if length == 0 {
            length = rest.bytes().take_while(u8::is_ascii_digit).count();
        }
        if length == 0
            && matches!(self.peek(), Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!'))
        {
            length = 1;
        }
        self.at += length;
        let name = self.text.get(start..self.at).unwrap_or_default().to_owned();
        if name.is_empty() {
            self.fail(Problem::BadSubstitution);
        }
        let mut subscript = None;
        if self.peek() == Some(b'[') {
            self.at += 1;
            subscript = Some(self.arithmetic("]"));
        }
        let mut operand = Word::default();
        if !self.eat("}") {
            changed = true;
            match self.peek() {
                Some(
                    b':' | b'-' | b'=' | b'?' | b'+' | b'#' | b'%' | b'/' | b'^' | b',' | b'@'
                    | b'*' | b'~',
                ) => {}
                None => self.fail(Problem::Unclosed),
                Some(_) => self.fail(Problem::BadSubstitution),
            }
            let literal_quotes =
                quoted && matches!(self.peek(), Some(b':' | b'-' | b'=' | b'?' | b'+'));
            self.braced_operand(&mut operand, literal_quotes);
        }
        self.leave();
        let written = self.written(from);
        word.push(Piece::Parameter(Rc::new(Parameter {
            name,
            written,
            quoted,
            subscript,
            changed,
            operand,
        })));
    }

    /// Reads the rest of `${…}` and the bracket that closes it.
    fn braced_operand(&mut self, operand: &mut Word, literal_quotes: bool) {
        loop {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|byte| matches!(byte, b'}' | b'\'' | b'"' | b'\\' | b'$' | b'`'));
            let plain = plain.unwrap_or(rest.len());
            if plain > 0 {
                operand.push(Piece::Bare(rest.get(..plain).unwrap_or_default().to_owned()));
                self.at += plain;
            }
            match self.peek() {
                None => {
                    self.fail(Problem::Unclosed);
                    return;
                }
                Some(b'}') => {
                    self.at += 1;
                    return;
                }
                Some(b'\'') if literal_quotes => {
                    self.at += 1;
                    operand.push(Piece::Bare("'".to_owned()));
                }
                Some(_) => self.quoted_or_expanded(operand),
            }
        }
    }
}
