//! Reads a command line far enough to know where its commands begin.
//!
//! It keeps the place of each word in the text, which a rewrite needs. It knows quotes, lists,
//! pipelines, subshells, `$(…)`, redirections and here-documents. What it does not read (arithmetic,
//! `${…}`, backticks) is kept as *opaque*, and what it cannot read (`case`, functions, an open quote) is
//! an error. It takes linear time and a bounded depth.

mod word;

use std::ops::Range;

/// How deep `$(…)` and `(…)` may be nested.
const DEEPEST: usize = 32;

/// What a command line consists of.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    /// The commands, from the program word on: without assignments and redirections.
    pub(super) commands: Vec<Vec<Word>>,
    /// Code that was not read.
    pub(super) opaque: Vec<Range<usize>>,
    /// Text that a command reads from its input.
    pub(super) input: Vec<Range<usize>>,
}

/// One word of a command.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Where it is in the text.
    pub(super) span: Range<usize>,
    /// What it is without its quotes; `None` if that depends on a variable, a command or a folder.
    pub(super) value: Option<String>,
}

/// Reads a command line, or says what it cannot read.
pub(super) fn read(text: &str) -> Result<CommandLine, &'static str> {
    let mut reader =
        Reader { text, at: 0, depth: 0, line: CommandLine::default(), waiting: vec![] };
    reader.list(false)?;
    if !reader.waiting.is_empty() {
        return Err(OPEN_DOCUMENT);
    }
    Ok(reader.line)
}

const OPEN_QUOTE: &str = "a quote is not closed";
const OPEN_PAREN: &str = "a `(` is not closed";
const OPEN_DOCUMENT: &str = "a here-document does not end";

/// Words after which a command begins.
const BEFORE_COMMAND: &[&str] =
    &["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "coproc"];

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    line: CommandLine,
    /// Here-documents that begin behind the next line break.
    waiting: Vec<HereDocument>,
}

struct HereDocument {
    end: String,
    tabs: bool,
    is_code: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, sign: char) {
        self.at += sign.len_utf8();
    }

    fn skip(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Reads commands up to the end of the text, or up to the `)` that closes them.
    fn list(&mut self, in_parens: bool) -> Result<(), &'static str> {
        if self.depth > DEEPEST {
            return Err("it is nested too deeply");
        }
        let mut command = Vec::new();
        loop {
            let Some(sign) = self.peek() else {
                self.end(&mut command);
                return if in_parens { Err(OPEN_PAREN) } else { Ok(()) };
            };
            match sign {
                ' ' | '\t' | '\r' => self.take(sign),
                '\\' if self.skip("\\\n") => {}
                '\n' => {
                    self.take(sign);
                    self.end(&mut command);
                    self.here_documents()?;
                }
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '&' if self.rest().starts_with("&>") => self.redirection()?,
                ';' | '&' | '|' => {
                    self.take(sign);
                    self.end(&mut command);
                }
                '<' | '>' if !self.rest().get(1..).is_some_and(|rest| rest.starts_with('(')) => {
                    self.redirection()?;
                }
                '(' if self.rest().starts_with("((") => return Err("it has arithmetic in `((…))`"),
                '(' if command.is_empty() => {
                    self.take(sign);
                    self.nested()?;
                }
                '(' => return Err("it defines a function or an array"),
                ')' if in_parens => {
                    self.take(sign);
                    self.end(&mut command);
                    return Ok(());
                }
                ')' => return Err("a `)` closes nothing"),
                _ => self.word_of(&mut command)?,
            }
        }
    }

    fn nested(&mut self) -> Result<(), &'static str> {
        self.depth += 1;
        self.list(true)?;
        self.depth -= 1;
        Ok(())
    }

    fn end(&mut self, command: &mut Vec<Word>) {
        if !command.is_empty() {
            self.line.commands.push(std::mem::take(command));
        }
    }

    /// Reads a word and adds it to its command, if it is a part of that.
    fn word_of(&mut self, command: &mut Vec<Word>) -> Result<(), &'static str> {
        let word = self.word()?;
        let raw = self.text.get(word.span.clone()).unwrap_or_default();
        let is_descriptor = raw.bytes().all(|byte| byte.is_ascii_digit());
        if is_descriptor && self.rest().starts_with(['<', '>']) {
            return Ok(());
        }
        if !command.is_empty() {
            command.push(word);
            return Ok(());
        }
        match raw {
            "case" => Err("it has a `case`"),
            "function" => Err("it defines a function"),
            "[[" => self.test(),
            _ if BEFORE_COMMAND.contains(&raw) => Ok(()),
            _ if is_assignment(raw) && self.rest().starts_with('(') => Err("it defines an array"),
            _ if is_assignment(raw) => Ok(()),
            _ => {
                command.push(word);
                Ok(())
            }
        }
    }

    /// Skips `[[ … ]]`, where `<` and `&&` mean something else.
    fn test(&mut self) -> Result<(), &'static str> {
        loop {
            match self.peek() {
                None => return Err("a `[[` is not closed"),
                Some(sign) if sign.is_whitespace() || "();&|<>".contains(sign) => self.take(sign),
                Some(_) => {
                    let word = self.word()?;
                    if self.text.get(word.span) == Some("]]") {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn redirection(&mut self) -> Result<(), &'static str> {
        let operators = ["<<<", "&>>", "<<-", "&>", "<<", ">>", ">|", ">&", "<&", "<>", "<", ">"];
        let found = operators.into_iter().find(|operator| self.rest().starts_with(operator));
        let operator = found.unwrap_or(">");
        self.at += operator.len();
        while self.skip(" ") || self.skip("\t") || self.skip("\\\n") {}
        let word = self.word()?;
        if word.span.is_empty() {
            return Err("a redirection goes nowhere");
        }
        match operator {
            "<<<" => self.line.input.push(word.span),
            "<<" | "<<-" => {
                let raw = self.text.get(word.span).unwrap_or_default();
                let quoted = raw.contains(['\'', '"', '\\']);
                let end = raw.replace(['\'', '"', '\\'], "");
                let document = HereDocument { end, tabs: operator == "<<-", is_code: !quoted };
                self.waiting.push(document);
            }
            _ => {}
        }
        Ok(())
    }

    /// Skips the here-documents that begin here.
    fn here_documents(&mut self) -> Result<(), &'static str> {
        for document in std::mem::take(&mut self.waiting) {
            let start = self.at;
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    return Err(OPEN_DOCUMENT);
                }
                let line = rest.split_inclusive('\n').next().unwrap_or(rest);
                let end = self.at;
                self.at += line.len();
                let line = line.strip_suffix('\n').unwrap_or(line);
                let line = if document.tabs { line.trim_start_matches('\t') } else { line };
                if line == document.end {
                    let body = self.text.get(start..end).unwrap_or_default();
                    if document.is_code && (body.contains("$(") || body.contains('`')) {
                        self.line.opaque.push(start..end);
                    }
                    self.line.input.push(start..end);
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Tells whether a word sets a variable: `NAME=…`, `NAME+=…`.
pub(super) fn is_assignment(raw: &str) -> bool {
    let Some((name, _)) = raw.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
