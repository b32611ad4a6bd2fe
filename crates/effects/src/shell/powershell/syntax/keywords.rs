//! Statements that begin with a keyword.

use super::super::tree::{Block, Statement};
use super::Parser;

impl Parser {
    /// Reads a statement that begins with a keyword; `None` if it begins with none.
    pub(super) fn keyword(&mut self) -> Option<Option<Statement>> {
        let from = self.at;
        // `:label foreach …`
        if self.take(':') {
            self.name();
            self.skip_blanks();
        }
        let name = self.name();
        let ends = self.peek().is_none_or(|c| c.is_whitespace() || "({;|)}".contains(c));
        let found = if ends { name.as_str() } else { "" };
        Some(match found {
            "function" | "filter" | "workflow" => Some(self.function()),
            "return" | "throw" | "exit" => {
                self.skip_blanks();
                if self.peek().is_none_or(|c| matches!(c, '\n' | ';' | '}' | ')')) {
                    None
                } else {
                    self.nested(Self::statement)
                }
            }
            "break" | "continue" => {
                self.skip_blanks();
                self.name();
                None
            }
            "using" => {
                while self.peek().is_some_and(|c| !matches!(c, '\n' | ';')) {
                    self.at += 1;
                }
                None
            }
            "if" | "elseif" | "else" | "while" | "until" | "do" | "for" | "foreach" | "switch"
            | "try" | "catch" | "finally" | "trap" | "begin" | "process" | "end" | "clean"
            | "dynamicparam" | "param" | "parallel" | "sequence" | "inlinescript" | "data"
            | "class" | "enum" => Some(self.control()),
            _ => {
                self.at = from;
                return None;
            }
        })
    }

    /// Reads letters, in lower case.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_alphabetic) {
            name.push(c.to_ascii_lowercase());
            self.at += 1;
        }
        name
    }

    fn function(&mut self) -> Statement {
        self.skip_blanks();
        let from = self.at;
        while self.peek().is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | '{')) {
            self.at += 1;
        }
        let name = self.written(from).to_lowercase();
        let mut body = Block::new();
        self.skip_lines();
        if self.take('(') {
            body.extend(self.block_until(')'));
            self.skip_lines();
        }
        if self.take('{') {
            body.extend(self.block_until('}'));
        }
        Statement::Function { name, body }
    }

    /// Reads what belongs to a keyword: conditions in brackets, words between them, and a block at the end.
    fn control(&mut self) -> Statement {
        let mut blocks = Vec::new();
        loop {
            let from = self.at;
            self.skip_lines();
            match self.peek() {
                Some('(') => {
                    self.at += 1;
                    self.loop_variable();
                    blocks.push(self.block_until(')'));
                }
                Some('{') => {
                    self.at += 1;
                    blocks.push(self.block_until('}'));
                    break;
                }
                // `catch [Type] {`, `switch -Regex ( … ) {`, `class Name {`
                Some(c) if !matches!(c, ';' | '|' | ')' | '}') && !self.has_line_end(from) => {
                    self.at += 1;
                }
                _ => break,
            }
        }
        Statement::Control(blocks)
    }

    /// Whether a line ends between a place and here: `until ( … )` and `param( … )` have no block.
    fn has_line_end(&self, from: usize) -> bool {
        self.text.get(from..self.at).unwrap_or_default().contains(&'\n')
    }

    /// Passes over `$x in`, after which a pipeline follows.
    fn loop_variable(&mut self) {
        let from = self.at;
        self.skip_lines();
        if self.variable().is_some() {
            self.skip_blanks();
            if self.name() == "in" {
                return;
            }
        }
        self.at = from;
    }
}
