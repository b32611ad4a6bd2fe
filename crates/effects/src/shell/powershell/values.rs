//! Values in PowerShell, as far as they are known; what runs in them is noted.

use super::commands::{self, Method};
use super::session::Session;
use super::tree::{Base, Block, Expression, Operand, Piece, Postfix};
use crate::effects::UnclearWhat;
use crate::run::CodeFrom;
use crate::shell::code::HOLE;
use crate::shell::start::Launch;
use crate::shell::walk::Input;
use crate::word::{Word, WordPart};

impl Session<'_, '_> {
    /// Returns the words of a value, and goes through what runs in it.
    pub(super) fn values(&mut self, expression: &Expression) -> Vec<Word> {
        let mut all: Vec<Vec<Word>> = Vec::with_capacity(expression.operands.len());
        for operand in &expression.operands {
            all.push(self.operand(operand));
        }
        let joined_by = |sign: &str| expression.operators.iter().all(|operator| operator == sign);
        if joined_by(",") {
            return all.into_iter().flatten().collect();
        }
        let words: Vec<Word> = all.into_iter().flatten().collect();
        if joined_by("+") && words.len() == expression.operands.len() {
            let mut sum = Word::default();
            words.into_iter().flat_map(|word| word.parts).for_each(|part| sum.push(part));
            return vec![sum];
        }
        let written: Vec<&str> =
            expression.operands.iter().map(|operand| operand.written.as_str()).collect();
        vec![self.unknown(&written.join(" "), &words)]
    }

    /// Returns a word that is not known; what it is made of says where it comes from.
    fn unknown(&mut self, written: &str, of: &[Word]) -> Word {
        let from = of.iter().filter_map(|word| self.walker.source_of(word));
        if let Some(from) = from.reduce(|a, b| if a == CodeFrom::Network { a } else { b }) {
            self.walker.sources.insert(written.to_owned(), from);
        }
        Word::unknown(written, false)
    }

    fn operand(&mut self, operand: &Operand) -> Vec<Word> {
        let mut words = match &operand.base {
            Base::Text(pieces) => vec![self.text(pieces)],
            Base::Variable(name) => self.variable(name),
            Base::Group(block) => self.group(block, &operand.written),
            Base::Table(block) => {
                self.maybe(block);
                vec![Word::unknown(operand.written.as_str(), false)]
            }
            Base::Script(block) => {
                self.maybe(block);
                vec![Word::unknown(operand.written.as_str(), false)]
            }
            Base::Type(name) => vec![Word::text(name.as_str())],
        };
        for postfix in &operand.postfix {
            words = self.taken(postfix, operand, words);
        }
        if operand.is_changed {
            return vec![self.unknown(&operand.written, &words)];
        }
        words
    }

    fn taken(&mut self, postfix: &Postfix, operand: &Operand, base: Vec<Word>) -> Vec<Word> {
        match postfix {
            // The paths of files stay what they are.
            Postfix::Member(Some(name))
                if matches!(name.as_str(), "fullname" | "path" | "pspath" | "providerpath") =>
            {
                base
            }
            Postfix::Member(_) => vec![self.unknown(&operand.written, &base)],
            Postfix::Index(block) => {
                self.maybe(block);
                vec![self.unknown(&operand.written, &base)]
            }
            Postfix::Call(name, arguments) => {
                let first = self.walker.runs.len();
                let mut of = base.clone();
                let mut given = Vec::new();
                for argument in arguments {
                    let words = self.values(argument);
                    of.extend(words.iter().cloned());
                    given.push(words);
                }
                self.method(name.as_deref(), operand, &base, &given);
                let found = self.unknown(&operand.written, &of);
                if let Input::From(from @ (CodeFrom::Network | CodeFrom::Decoded), ..) =
                    self.walker.output_of(first, &Input::Session)
                {
                    self.walker.sources.insert(operand.written.clone(), from);
                }
                vec![found]
            }
        }
    }

    /// Goes through what a method does.
    fn method(
        &mut self,
        name: Option<&str>,
        operand: &Operand,
        base: &[Word],
        given: &[Vec<Word>],
    ) {
        let Some(name) = name else {
            let why = format!("which method `{}` calls is not known", operand.written);
            return self.walker.unclear(UnclearWhat::Program, why, None);
        };
        let of_type = match &operand.base {
            Base::Type(name) => name.as_str(),
            _ => "",
        };
        let first = given.first().cloned().unwrap_or_default();
        if of_type.contains("scriptblock") || of_type.ends_with("powershell") {
            first.iter().for_each(|code| self.code(code, None));
            return;
        }
        let home = self.home();
        match commands::method(name) {
            None => {}
            Some(Method::Run(template)) => {
                let words = template.fill(|asked| {
                    let place: usize = asked.parse().ok()?;
                    let words = if place == 0 {
                        Some(base)
                    } else {
                        given.get(place - 1).map(Vec::as_slice)
                    };
                    Some(
                        words?
                            .iter()
                            .map(|word| super::paths::normal(word, home.as_deref()))
                            .collect(),
                    )
                });
                if !words.is_empty() {
                    self.walker.run_by(name, |walker| walker.start(words, Launch::default()));
                }
            }
            Some(Method::PowerShell) => first.iter().for_each(|code| self.code(code, None)),
            Some(Method::Line) if given.is_empty() => {}
            Some(Method::Line) if of_type.is_empty() => {
                let line = crate::shell::builtins::joined(first.iter());
                self.walker.run_by(name, |walker| walker.cmd_line(&line, None));
            }
            Some(Method::Line) => {
                let words: Vec<Word> = given.iter().flatten().flat_map(split_words).collect();
                self.walker.run_by(name, |walker| walker.start(words, Launch::default()));
            }
            Some(Method::Unread) => {
                let why = format!("what `{name}` of .NET loads and runs is not read");
                self.walker.unclear(UnclearWhat::Program, why, None);
            }
        }
    }

    /// Returns a text with what is expanded in it.
    fn text(&mut self, pieces: &[Piece]) -> Word {
        let mut word = Word::default();
        for piece in pieces {
            match piece {
                Piece::Text(text) => word.push(WordPart::Text(text.clone())),
                Piece::Variable(name) => {
                    let words = self.variable(name);
                    crate::shell::builtins::joined(words.iter())
                        .parts
                        .into_iter()
                        .for_each(|part| word.push(part));
                }
                Piece::Group { block, written } => {
                    let words = self.group(block, written);
                    crate::shell::builtins::joined(words.iter())
                        .parts
                        .into_iter()
                        .for_each(|part| word.push(part));
                }
            }
        }
        word
    }

    fn variable(&mut self, name: &str) -> Vec<Word> {
        if let Some(place) = name.strip_prefix(HOLE).and_then(|place| place.parse::<usize>().ok()) {
            let hole = self.walker.holes.get(place.wrapping_sub(1)).cloned();
            return vec![Word::unknown(hole.unwrap_or_default(), false)];
        }
        if let Some(words) = self.variables.get(name) {
            return words.clone();
        }
        let known = match name {
            "true" | "false" | "null" => Some(name.to_owned()),
            "home" | "env:userprofile" | "env:home" => self.home(),
            "pwd" => self.walker.state.cwd.clone(),
            "env:temp" | "env:tmp" | "env:tmpdir" => Some("/tmp".to_owned()),
            "env:systemroot" | "env:windir" => Some("/c/Windows".to_owned()),
            "env:systemdrive" | "env:homedrive" => Some("/c".to_owned()),
            "env:programfiles" => Some("/c/Program Files".to_owned()),
            "env:programdata" => Some("/c/ProgramData".to_owned()),
            _ => None,
        };
        // A variable of the environment has the name that other shells know it by.
        let unknown = || match name.strip_prefix("env:") {
            Some(variable) => format!("${}", variable.to_uppercase()),
            None => format!("${name}"),
        };
        vec![known.map_or_else(|| Word::unknown(unknown(), false), Word::text)]
    }

    /// Goes through `( … )`, and returns its value if that is known.
    fn group(&mut self, block: &Block, written: &str) -> Vec<Word> {
        let first = self.walker.runs.len();
        let found = self.value_of(block);
        if let Some(words) = found {
            return words;
        }
        if let Input::From(from @ (CodeFrom::Network | CodeFrom::Decoded), ..) =
            self.walker.output_of(first, &Input::Session)
        {
            self.walker.sources.insert(written.to_owned(), from);
        }
        vec![Word::unknown(written, false)]
    }
}

fn split_words(word: &Word) -> Vec<Word> {
    match word.known() {
        Some(known) => known.split_whitespace().map(Word::text).collect(),
        None => vec![word.clone()],
    }
}
