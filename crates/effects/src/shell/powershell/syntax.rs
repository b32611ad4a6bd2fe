//! Reads PowerShell: one pass over the text, never more deeply nested than a bound, and never without a
//! result. Only as much is told apart as decides what runs: which words are commands, which are their
//! parameters, what is quoted, and what is code inside of other code.

use super::super::syntax::{MAX_DEPTH, MAX_LENGTH};
use super::tree::{Block, Element, Expression, Kind, Statement};

mod arguments;
mod expressions;
mod keywords;
mod strings;

/// A text that was read.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) block: Block,
    /// Why the text is not all understood.
    pub(super) problem: Option<&'static str>,
}

pub(super) const LONG: &str = "the command is too long to be read";
pub(super) const DEEP: &str = "the command is nested too deeply to be read";
pub(super) const UNCLOSED: &str =
    "the command is no whole PowerShell: a quote, a bracket or a block does not end";
pub(super) const UNEXPECTED: &str =
    "the command is no PowerShell that is understood: a bracket ends that was not opened";

/// Reads a text that is itself nested in `depth` others.
pub(super) fn parse(text: &str, depth: usize) -> Script {
    if text.len() > MAX_LENGTH {
        return Script { block: Block::new(), problem: Some(LONG) };
    }
    let mut parser = Parser { text: text.chars().collect(), at: 0, depth, problem: None };
    let block = parser.statements(None);
    Script { block, problem: parser.problem }
}

/// A text that is being read.
struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
    problem: Option<&'static str>,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_text(&mut self, wanted: &str) -> bool {
        let is_there = wanted.chars().enumerate().all(|(at, c)| self.peek_at(at) == Some(c));
        if is_there {
            self.at += wanted.chars().count();
        }
        is_there
    }

    fn written(&self, from: usize) -> String {
        self.text.get(from..self.at).unwrap_or_default().iter().collect()
    }

    /// Notes the first thing that is not understood, and reads no further.
    fn give_up(&mut self, problem: &'static str) {
        self.problem.get_or_insert(problem);
        self.at = self.text.len();
    }

    /// Reads something that is nested.
    fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.give_up(DEEP);
            return T::default();
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// Reads statements up to a bracket, which is taken.
    fn block_until(&mut self, end: char) -> Block {
        self.nested(|parser| {
            let block = parser.statements(Some(end));
            if !parser.take(end) {
                parser.give_up(UNCLOSED);
            }
            block
        })
    }

    /// Passes over blanks, comments and lines that go on.
    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '`' if matches!(self.peek_at(1), Some('\n' | '\r')) => self.at += 2,
                '<' if self.peek_at(1) == Some('#') => {
                    self.at += 2;
                    while !self.take_text("#>") {
                        if self.peek().is_none() {
                            return self.give_up(UNCLOSED);
                        }
                        self.at += 1;
                    }
                }
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                c if c != '\n' && c.is_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if !self.take('\n') {
                return;
            }
        }
    }

    fn statements(&mut self, end: Option<char>) -> Block {
        let mut block = Block::new();
        loop {
            self.skip_lines();
            while self.take(';') {
                self.skip_lines();
            }
            let Some(c) = self.peek() else { return block };
            if Some(c) == end {
                return block;
            }
            if matches!(c, ')' | '}') {
                self.give_up(UNEXPECTED);
                return block;
            }
            let from = self.at;
            let statement = self.statement();
            block.extend(statement);
            self.skip_blanks();
            // All of them count, whether those before succeed or not.
            let _ = self.take_text("&&") || self.take_text("||") || self.take('&');
            if self.at == from {
                // A sign that starts nothing: `|` alone, a bracket.
                self.at += 1;
            }
        }
    }

    fn statement(&mut self) -> Option<Statement> {
        if let Some(statement) = self.keyword() {
            return statement;
        }
        self.assignment().or_else(|| {
            let elements = self.pipeline(None);
            (!elements.is_empty()).then_some(Statement::Pipeline(elements))
        })
    }

    /// Reads `$x = …`, or a pipeline that begins with a value.
    fn assignment(&mut self) -> Option<Statement> {
        if !self.starts_value() {
            return None;
        }
        let first = self.expression();
        self.skip_blanks();
        let operators = ["=", "+=", "-=", "*=", "/=", "%=", "??="];
        let is_plain = self.peek() == Some('=');
        if !operators.iter().any(|operator| self.take_text(operator)) {
            let elements = self.pipeline(Some(first));
            return Some(Statement::Pipeline(elements));
        }
        self.skip_lines();
        let value = self.nested(|parser| parser.statement().into_iter().collect::<Block>());
        let name = first.variable().filter(|_| is_plain).map(str::to_owned);
        Some(Statement::Assign { name, value })
    }

    fn pipeline(&mut self, first: Option<Expression>) -> Vec<Element> {
        let mut elements = Vec::new();
        if let Some(value) = first {
            let redirects = self.redirects();
            elements.push(Element { kind: Kind::Value(value), redirects });
        } else {
            elements.extend(self.element());
        }
        loop {
            self.skip_blanks();
            if self.peek() != Some('|') || self.peek_at(1) == Some('|') {
                return elements;
            }
            self.at += 1;
            self.skip_lines();
            let from = self.at;
            elements.extend(self.element());
            if self.at == from {
                return elements;
            }
        }
    }

    fn element(&mut self) -> Option<Element> {
        let called = self.is_call();
        if called {
            self.at += 1;
            self.skip_blanks();
        }
        if !called && self.starts_value() {
            let kind = Kind::Value(self.expression());
            let redirects = self.redirects();
            return Some(Element { kind, redirects });
        }
        let name = self.word()?;
        let (arguments, redirects) = self.arguments();
        Some(Element { kind: Kind::Command { name, called, arguments }, redirects })
    }

    /// Whether `&` or `.` calls what follows.
    fn is_call(&self) -> bool {
        let next = self.peek_at(1);
        let follows = next.is_some_and(|c| c.is_whitespace() || "\"'$({[".contains(c));
        match self.peek() {
            Some('&') => next.is_some_and(|c| c != '&'),
            Some('.') => follows,
            _ => false,
        }
    }
}

impl Expression {
    /// Returns the variable that it is, if it is nothing else.
    pub(super) fn variable(&self) -> Option<&str> {
        match self.operands.as_slice() {
            [operand] if operand.postfix.is_empty() => match &operand.base {
                super::tree::Base::Variable(name) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }
}
