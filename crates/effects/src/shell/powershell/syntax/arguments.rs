//! The words of a command.

use super::super::tree::{Argument, Base, Expression, Operand, Piece};
use super::Parser;
use super::strings::{is_dash, push};

/// Whether a bare word ends before this character.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '{' | '}' | ',' | '>' | '<')
}

impl Parser {
    /// Reads what follows the name of a command, up to the end of the command.
    pub(super) fn arguments(&mut self) -> (Vec<Argument>, Vec<Expression>) {
        let (mut arguments, mut redirects) = (Vec::new(), Vec::new());
        let mut takes_parameters = true;
        loop {
            self.skip_blanks();
            let Some(c) = self.peek() else { break };
            if let Some(redirect) = self.redirect() {
                redirects.extend(redirect);
                continue;
            }
            if matches!(c, '\n' | ';' | '|' | ')' | '}' | '&') {
                break;
            }
            if self.take_text("--%") {
                self.raw(&mut arguments);
                break;
            }
            if takes_parameters && let Some(parameter) = self.parameter() {
                arguments.push(parameter);
                continue;
            }
            let from = self.at;
            if let Some(value) = self.list() {
                takes_parameters &= value.text() != Some("--");
                arguments.push(Argument::Value(value));
            }
            if self.at == from {
                self.at += 1;
            }
        }
        (arguments, redirects)
    }

    /// Reads the redirections after a value.
    pub(super) fn redirects(&mut self) -> Vec<Expression> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.extend(redirect),
                None => return redirects,
            }
        }
    }

    /// Reads `> file`, `2>> file`, `2>&1`.
    fn redirect(&mut self) -> Option<Option<Expression>> {
        let from = self.at;
        if self.peek().is_some_and(|c| c.is_ascii_digit() || c == '*') {
            self.at += 1;
        }
        if !self.take('>') {
            self.at = from;
            // There is no `<` in PowerShell.
            return self.take('<').then_some(None);
        }
        self.take('>');
        if self.peek() == Some('&') && self.peek_at(1).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 2;
            return Some(None);
        }
        self.skip_blanks();
        Some(self.word())
    }

    /// Reads `-Name` or `-Name:value`. What other programs have after a dash, such as `--message="…"`, is no
    /// parameter.
    fn parameter(&mut self) -> Option<Argument> {
        let from = self.at;
        let starts = self.peek().is_some_and(is_dash)
            && self.peek_at(1).is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '?'));
        if !starts {
            return None;
        }
        self.at += 1;
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| !ends_word(*c) && *c != ':') {
            if !(c.is_alphanumeric() || matches!(c, '_' | '?' | '-')) {
                self.at = from;
                return None;
            }
            name.push(c);
            self.at += 1;
        }
        let written = self.written(from);
        let mut value = None;
        if self.take(':') {
            self.skip_blanks();
            value = self.list();
        }
        Some(Argument::Parameter { written, name, value })
    }

    /// Reads values with commas between them.
    fn list(&mut self) -> Option<Expression> {
        let mut list = self.word()?;
        loop {
            let from = self.at;
            self.skip_blanks();
            if !self.take(',') {
                self.at = from;
                return Some(list);
            }
            self.skip_lines();
            let Some(next) = self.word() else { return Some(list) };
            list.operators.push(",".to_owned());
            list.operands.extend(next.operands);
        }
    }

    /// Reads one word of a command.
    pub(super) fn word(&mut self) -> Option<Expression> {
        let from = self.at;
        let mut pieces = Vec::new();
        if let Some(c) = self.peek()
            && matches!(c, '(' | '{' | '$' | '@')
            && !self.starts_quotes()
            && let Some(operand) = self.operand()
        {
            let goes_on = self.peek().is_some_and(|c| !ends_word(c));
            match operand.base {
                // `$HOME\x`
                Base::Variable(name) if goes_on && operand.postfix.is_empty() => {
                    pieces.push(Piece::Variable(name));
                }
                Base::Group(block) if goes_on && operand.postfix.is_empty() => {
                    pieces.push(Piece::Group { block, written: operand.written });
                }
                _ => return Some(Expression::of(operand)),
            }
        }
        while let Some(c) = self.peek() {
            if self.starts_quotes() {
                self.quoted(&mut pieces);
            } else if c == '$' || c == '`' {
                if !self.expanded(&mut pieces) {
                    self.at += 1;
                    push(&mut pieces, c);
                }
            } else if ends_word(c) {
                break;
            } else {
                self.at += 1;
                push(&mut pieces, c);
            }
        }
        let written = self.written(from);
        let base = Base::Text(pieces);
        let operand = Operand { base, postfix: Vec::new(), is_changed: false, written };
        (self.at > from).then(|| Expression::of(operand))
    }

    /// Reads the words after `--%`, which are taken as they are.
    fn raw(&mut self, arguments: &mut Vec<Argument>) {
        let mut word = String::new();
        loop {
            let next = self.peek().filter(|c| !matches!(c, '\n' | '|'));
            match next {
                Some(c) if !c.is_whitespace() => word.push(c),
                _ if !word.is_empty() => {
                    let text = std::mem::take(&mut word);
                    arguments.push(Argument::Value(Expression::of_text(text)));
                }
                _ => {}
            }
            if next.is_none() {
                return;
            }
            self.at += 1;
        }
    }
}

impl Expression {
    pub(super) fn of(operand: Operand) -> Self {
        Self { operands: vec![operand], operators: Vec::new() }
    }

    fn of_text(text: String) -> Self {
        let base = Base::Text(vec![Piece::Text(text.clone())]);
        Self::of(Operand { base, postfix: Vec::new(), is_changed: false, written: text })
    }

    /// Returns the text, if it is one that is known.
    pub(in crate::shell::powershell) fn text(&self) -> Option<&str> {
        let [Operand { base: Base::Text(pieces), postfix, .. }] = self.operands.as_slice() else {
            return None;
        };
        match pieces.as_slice() {
            [Piece::Text(text)] if postfix.is_empty() => Some(text),
            _ => None,
        }
    }
}
