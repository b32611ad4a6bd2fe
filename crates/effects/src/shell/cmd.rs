//! Reads lines of cmd: commands between `&`, `|` and line ends, `"` and `^`, `%NAME%`, redirections, and what
//! stands behind `if` and `for`. What its commands do is told by the programs that do the same.

use std::collections::BTreeMap;

use super::builtins::joined;
use super::powershell::{commands, paths};
use super::start::Launch;
use super::syntax::MAX_DEPTH;
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::run::{CodeFrom, Redirect, RedirectKind, Run};
use crate::word::{Word, WordPart};

/// One command of a line.
#[derive(Debug, Default, PartialEq)]
struct Line {
    words: Vec<Word>,
    redirects: Vec<Redirect>,
    /// Whether the next line reads what this one writes.
    is_piped: bool,
}

impl Walker<'_> {
    /// Goes through the words of `cmd`: what follows `/c` or `/k` is a line.
    pub(super) fn cmd(&mut self, args: &[Word], by: usize) {
        let name = self.name_of(by);
        let is_switch = |word: &Word| {
            word.known().is_some_and(|known| {
                // `//c` is what Git Bash has for `/c`.
                let letter = known.trim_start_matches('/').to_ascii_lowercase();
                known.starts_with('/') && matches!(letter.get(..1), Some("c" | "k" | "r"))
            })
        };
        if let Some(at) = args.iter().position(is_switch) {
            let mut line = joined(args.iter().skip(at + 1));
            // `/cdir`
            let glued = args.get(at).and_then(Word::known).unwrap_or_default();
            let glued = glued.trim_start_matches('/').get(1..).unwrap_or_default().to_owned();
            if !glued.is_empty() {
                line = joined([Word::text(glued), line].iter());
            }
            let input = self.input.clone();
            return self.foreign_shell(&name, |walker| {
                walker.input = input;
                walker.cmd_line(&line, Some(by));
            });
        }
        if args.iter().any(Word::has_unknown) {
            let why = format!("what `{name}` runs is not known before it runs");
            return self.unclear(UnclearWhat::Program, why, Some(by));
        }
        match self.input.clone() {
            Input::Session => {}
            Input::Text(code) | Input::Piped(code) => {
                self.foreign_shell(&name, |walker| walker.cmd_line(&code, Some(by)));
            }
            Input::From(..) => self.code_from_input(by, false, &[]),
        }
    }

    /// Goes through a line of cmd.
    pub(super) fn cmd_line(&mut self, line: &Word, by: Option<usize>) {
        let length = line.written().len();
        if self.depth >= MAX_DEPTH || !self.spend(64 + length) {
            let why = "the command is nested too deeply to be read";
            return self.unclear(UnclearWhat::Program, why, by);
        }
        self.depth += 1;
        let outer = self.input.clone();
        for line in lines(line) {
            let (first, input, is_piped) = (self.runs.len(), self.input.clone(), line.is_piped);
            if let Some(file) = line.redirects.iter().find(|it| it.kind == RedirectKind::Read) {
                self.input = Input::From(CodeFrom::Stdin, file.target.written(), None);
            }
            self.cmd_command(line);
            self.input = if is_piped { self.output_of(first, &input) } else { outer.clone() };
        }
        self.input = outer;
        self.depth -= 1;
    }

    fn cmd_command(&mut self, line: Line) {
        let words = command_of(&line.words);
        let Some((program, args)) = words.split_first() else {
            return self.keep_loose(line.redirects);
        };
        let lower = program.known().map(|known| known.to_lowercase());
        let Some(command) = lower.as_deref().and_then(commands::of_cmd) else {
            let mut words = vec![match &lower {
                Some(lower) => paths::normal(&Word::text(lower.as_str()), None),
                None => program.clone(),
            }];
            words.extend(args.iter().map(paths::word_of_program));
            let launch = Launch { redirects: line.redirects, ..Launch::default() };
            return self.start(words, launch);
        };
        let name = lower.unwrap_or_default();
        let (switches, operands) = switches(args, command);
        self.push_run(Run {
            program: Word::text(name.as_str()),
            args: args.to_vec(),
            redirects: line.redirects,
            is_cmdlet: true,
            ..Run::default()
        });
        let Some(template) = &command.run else { return };
        let words = template.fill(|asked| match asked {
            "*" => Some(operands.clone()),
            name => switches.get(name).cloned(),
        });
        if !words.is_empty() {
            self.run_by(&name, |walker| walker.start(words, Launch::default()));
        }
    }
}

/// Splits words into switches, `/s`, with their values, and operands.
fn switches(
    args: &[Word],
    command: &commands::Command,
) -> (BTreeMap<String, Vec<Word>>, Vec<Word>) {
    let (mut switches, mut operands) = (BTreeMap::new(), Vec::new());
    let mut args = args.iter().peekable();
    while let Some(word) = args.next() {
        let known = word.known().unwrap_or_default();
        // `/s/q`
        let pieces: Vec<String> =
            known.split('/').skip(1).map(|piece| piece.to_ascii_lowercase()).collect();
        let parameter = |piece: &String| {
            let name = piece.split([':', '=']).next().unwrap_or_default();
            command.parameters.iter().find(|known| known.names.iter().any(|one| one == name))
        };
        if !known.starts_with('/') || pieces.iter().any(|piece| parameter(piece).is_none()) {
            operands.push(paths::normal(word, None));
            continue;
        }
        for piece in &pieces {
            let Some(parameter) = parameter(piece) else { continue };
            let Some(name) = parameter.names.first() else { continue };
            let value = piece.split_once([':', '=']).map(|(_, value)| Word::text(value));
            let takes = parameter.takes != commands::Takes::Nothing && value.is_none();
            let next = if takes { args.next().cloned() } else { None };
            switches.insert(name.clone(), value.or(next).into_iter().collect());
        }
    }
    (switches, operands)
}

/// Returns the words of the command itself, without what decides whether it runs: `if exist x del y`,
/// `for %i in (…) do del %i`.
fn command_of(words: &[Word]) -> &[Word] {
    let mut words = words;
    loop {
        let is = |at: usize, name: &str| {
            words
                .get(at)
                .and_then(Word::known)
                .is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        let skipped = if is(0, "if") {
            let mut at = 1;
            while is(at, "not") || is(at, "/i") {
                at += 1;
            }
            let takes_word =
                ["exist", "defined", "errorlevel", "cmdextversion"].iter().any(|name| is(at, name));
            let compares = ["==", "equ", "neq", "lss", "leq", "gtr", "geq"];
            if takes_word {
                at + 2
            } else if compares.iter().any(|name| is(at + 1, name)) {
                at + 3
            } else {
                at + 1
            }
        } else if is(0, "for") {
            let is_do = |at: &usize| is(*at, "do");
            (1..words.len()).find(is_do).map_or(words.len(), |at| at + 1)
        } else if is(0, "else") || is(0, "do") {
            1
        } else {
            return words;
        };
        words = words.get(skipped..).unwrap_or_default();
    }
}

/// Splits a text into commands.
fn lines(text: &Word) -> Vec<Line> {
    let mut reader = Reader::default();
    for part in &text.parts {
        match part {
            WordPart::Text(text) | WordPart::Glob(text) => reader.text(text),
            unknown => {
                reader.word.push(unknown.clone());
                reader.has_word = true;
            }
        }
    }
    reader.end_line();
    reader.lines
}

#[derive(Debug, Default)]
struct Reader {
    lines: Vec<Line>,
    line: Line,
    word: Word,
    has_word: bool,
    /// Whether the next word is the file of a redirection, and of which.
    redirect: Option<RedirectKind>,
    in_quotes: bool,
}

impl Reader {
    fn text(&mut self, text: &str) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '"' => {
                    self.in_quotes = !self.in_quotes;
                    self.has_word = true;
                }
                '%' => self.variable(&mut chars),
                c if self.in_quotes && c != '\n' => self.push(c),
                '^' => {
                    if let Some(next) = chars.next().filter(|next| *next != '\n') {
                        self.push(next);
                    }
                }
                '|' => {
                    let is_or = chars.next_if_eq(&'|').is_some();
                    self.line.is_piped = !is_or && (self.has_word || !self.line.words.is_empty());
                    self.end_line();
                }
                '&' | '\n' => self.end_line(),
                '>' | '<' => {
                    // `2>nul`
                    let is_number = self.word.known().is_some_and(|known| {
                        known.len() == 1 && known.bytes().all(|byte| byte.is_ascii_digit())
                    });
                    if is_number {
                        (self.word, self.has_word) = (Word::default(), false);
                    }
                    self.end_word();
                    while chars.next_if(|next| *next == c).is_some() {}
                    if chars.next_if(|next| *next == '&').is_some() {
                        chars.next();
                        continue;
                    }
                    let kind = if c == '>' { RedirectKind::Write } else { RedirectKind::Read };
                    self.redirect = Some(kind);
                }
                '@' if !self.has_word && self.line.words.is_empty() => {}
                '(' | ')' if !self.has_word => {}
                ')' => self.end_word(),
                c if c.is_whitespace() || matches!(c, ',' | ';') => self.end_word(),
                c => self.push(c),
            }
        }
    }

    fn push(&mut self, c: char) {
        self.has_word = true;
        self.word.push(WordPart::Text(c.to_string()));
    }

    /// `%NAME%`, `%~dp0`, `%%i`, `%1`
    fn variable(&mut self, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        let mut written = String::from("%");
        while let Some(next) = chars.peek().copied() {
            let goes_on = next.is_alphanumeric() || matches!(next, '_' | '~' | '%' | ':' | '*');
            if !goes_on {
                break;
            }
            chars.next();
            written.push(next);
            if next == '%' && written.len() > 2 {
                break;
            }
        }
        self.has_word = true;
        if written == "%" {
            return self.word.push(WordPart::Text(written));
        }
        self.word.push(WordPart::Unknown { written, splits: !self.in_quotes, plain: false });
    }

    fn end_word(&mut self) {
        if !std::mem::take(&mut self.has_word) {
            return;
        }
        let word = std::mem::take(&mut self.word);
        match self.redirect.take() {
            Some(kind) => {
                let is_null = word.known().is_some_and(|known| known.eq_ignore_ascii_case("nul"));
                if !is_null {
                    let target = paths::normal(&word, None);
                    self.line.redirects.push(Redirect { kind, target });
                }
            }
            None => self.line.words.push(word),
        }
    }

    fn end_line(&mut self) {
        self.end_word();
        self.redirect = None;
        self.in_quotes = false;
        let line = std::mem::take(&mut self.line);
        if line != Line::default() {
            self.lines.push(line);
        }
    }
}
