//! One command: a simple one, or what begins with a reserved word.

use std::rc::Rc;

use super::Problem;
use super::parser::{Parser, ends_word, name_length};
use super::tree::{Assigned, Assignment, Command, Kind, Simple, Word};

/// How far a subscript of an assignment is looked for.
const SUBSCRIPT: usize = 256;

impl<'t> Parser<'t> {
    /// Reads a command; `None` if nothing here can begin one.
    pub(super) fn command(&mut self) -> Option<Command> {
        if !self.enter() {
            return None;
        }
        let kind = self.compound();
        let command = match kind {
            Some(Kind::Function(name, body)) => {
                Some(Command { kind: Kind::Function(name, body), redirects: Vec::new() })
            }
            Some(kind) => {
                let mut redirects = Vec::new();
                loop {
                    self.skip_blanks();
                    let Some(redirect) = self.redirect() else { break };
                    redirects.push(redirect);
                }
                if !self.at_command_end() {
                    self.fail(Problem::Unexpected);
                }
                Some(Command { kind, redirects })
            }
            None => self.simple(),
        };
        self.leave();
        command
    }

    fn at_command_end(&self) -> bool {
        match self.peek() {
            None | Some(b';' | b'&' | b'|' | b')' | b'\n' | b'#') => true,
            // `{ …; } done` and the like are legal: a reserved word may follow a compound command.
            _ => self.reserved().is_some_and(|word| {
                matches!(word, "then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}")
            }),
        }
    }

    fn simple(&mut self) -> Option<Command> {
        let start = self.at;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut declares = false;
        loop {
            self.skip_blanks();
            if self.peek() == Some(b'#') {
                self.skip_comment();
                break;
            }
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            if (simple.words.is_empty() || declares)
                && let Some(assignment) = self.assignment()
            {
                if declares {
                    simple.words.push(declared_word(&assignment));
                    simple.declared.push(assignment);
                } else {
                    simple.assignments.push(assignment);
                }
                continue;
            }
            let Some(word) = self.word() else { break };
            if simple.words.is_empty() {
                declares = matches!(
                    word.bare(),
                    Some("declare" | "typeset" | "local" | "export" | "readonly")
                );
                simple.words.push(word);
                if self.is_function_head(&simple) {
                    return Some(self.function_after_name(simple));
                }
                continue;
            }
            simple.words.push(word);
        }
        if self.peek() == Some(b'(') {
            // `echo =(ls)`, `*.rs(om)`: no bash. The inside is read as a subshell.
            self.fail(Problem::Unexpected);
        }
        (self.at > start).then_some(Command { kind: Kind::Simple(simple), redirects })
    }

    fn is_function_head(&self, simple: &Simple) -> bool {
        if self.peek() != Some(b'(') && !matches!(self.peek(), Some(b' ' | b'\t')) {
            return false;
        }
        let rest = self.rest().trim_start_matches([' ', '\t']);
        rest.starts_with('(')
            && rest.get(1..).unwrap_or_default().trim_start_matches([' ', '\t']).starts_with(')')
            && simple.assignments.is_empty()
            && simple.words.first().is_some_and(|word| word.bare().is_some())
    }

    /// Reads `() body` after the name.
    fn function_after_name(&mut self, simple: Simple) -> Command {
        let name = simple.words.first().and_then(Word::bare).unwrap_or_default().to_owned();
        self.skip_blanks();
        self.eat("(");
        self.skip_blanks();
        self.eat(")");
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: String) -> Command {
        self.skip_lines();
        let body = match self.command() {
            Some(body) if !matches!(body.kind, Kind::Simple(_)) => body,
            other => {
                self.fail(Problem::Unexpected);
                other.unwrap_or(Command {
                    kind: Kind::Simple(Simple::default()),
                    redirects: Vec::new(),
                })
            }
        };
        Command { kind: Kind::Function(name, Rc::new(body)), redirects: Vec::new() }
    }

    /// Reads `name=value`, `name+=value`, `name[i]=value` or `name=(…)`.
    fn assignment(&mut self) -> Option<Assignment> {
        let rest = self.rest();
        let length = name_length(rest);
        if length == 0 {
            return None;
        }
        let name = rest.get(..length)?;
        let mut after = rest.get(length..)?;
        let mut subscript = None;
        if after.starts_with('[') {
            let window = after.as_bytes().iter().take(SUBSCRIPT);
            let close = window.enumerate().find(|(place, byte)| {
                **byte == b']' && matches!(after.as_bytes().get(place + 1), Some(b'=' | b'+'))
            });
            let close = close.map(|(place, _)| place)?;
            let inside = after.get(1..close)?;
            if inside.bytes().any(|byte| byte == b'\n') {
                return None;
            }
            subscript = Some(inside);
            after = after.get(close + 1..)?;
        }
        let append = after.starts_with("+=");
        let sign = if append { 2 } else { 1 };
        if !append && !after.starts_with('=') {
            return None;
        }
        let subscript = subscript.map(|inside| self.nested_text(inside));
        self.at += rest.len() - after.len() + sign;
        let value = if self.peek() == Some(b'(') { self.array() } else { self.assigned_word() };
        Some(Assignment { name: name.to_owned(), subscript, append, value })
    }

    fn assigned_word(&mut self) -> Assigned {
        let ends = self
            .peek()
            .is_none_or(|byte| ends_word(byte) && !self.starts("<(") && !self.starts(">("));
        Assigned::Word(if ends { Word::default() } else { self.word().unwrap_or_default() })
    }

    fn array(&mut self) -> Assigned {
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.eat(")") {
                break;
            }
            match self.word() {
                Some(word) => words.push(word),
                None => {
                    let problem =
                        if self.peek().is_none() { Problem::Unclosed } else { Problem::Unexpected };
                    self.fail(problem);
                    break;
                }
            }
        }
        Assigned::Array(words)
    }
}

/// The word that `declare` gets for an assignment.
fn declared_word(assignment: &Assignment) -> Word {
    let mut word = Word::default();
    let sign = if assignment.append { "+=" } else { "=" };
    // Quoted: neither braces nor globs are expanded there.
    word.push(super::tree::Piece::Quoted(format!("{}{sign}", assignment.name)));
    if let Assigned::Word(value) = &assignment.value {
        for piece in &value.pieces {
            // A substitution is evaluated once, with the assignment.
            word.push(match piece {
                super::tree::Piece::Bare(text)
                | super::tree::Piece::Quoted(text)
                | super::tree::Piece::Glob(text) => super::tree::Piece::Quoted(text.clone()),
                super::tree::Piece::Parameter(parameter) => {
                    super::tree::Piece::Quoted(parameter.written.clone())
                }
                super::tree::Piece::Command(inside) | super::tree::Piece::Process(inside) => {
                    super::tree::Piece::Quoted(inside.written.clone())
                }
                super::tree::Piece::Arithmetic(inside) => {
                    super::tree::Piece::Quoted(inside.1.clone())
                }
            });
        }
    }
    word
}
