//! Programs that give SQL to a database: which of their words are statements, and what their own commands do.

use super::builtins::joined;
use super::code::HOLE;
use super::redirects::is_standard_input;
use super::syntax::MAX_DEPTH;
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::programs::{self, Reading};
use crate::run::{CodeFrom, Redirect, RedirectKind, Run};
use crate::sql;
use crate::word::{Word, WordPart};

/// A program that gives SQL to a database.
#[derive(Debug)]
pub(super) struct Client {
    names: &'static str,
    dialect: &'static str,
    /// The options whose values are statements.
    options: &'static str,
    /// The first operand that is one.
    operand: Option<usize>,
    /// How its own commands begin.
    commands: Option<char>,
    /// Whether its standard input is statements.
    input: bool,
}

const CLIENTS: &[Client] = &[
    client("psql pgcli vsql usql ysqlsh", "postgres", "c command", None, Some('\\')),
    client("cockroach", "postgres", "e execute", None, Some('\\')),
    client("mysql mariadb mycli", "mysql", "e execute init-command", None, Some('\\')),
    client("sqlite3 sqlite litecli", "sqlite", "cmd", Some(1), Some('.')),
    client("duckdb", "duckdb", "c s cmd", Some(1), Some('.')),
    client("clickhouse-client clickhouse", "clickhouse", "q query", None, None),
    client("bq", "bigquery", "", Some(0), None),
    client("cqlsh ycqlsh", "cassandra", "e execute", None, None),
    client("sqlcmd osql", "mssql", "Q q", None, None),
    client("isql", "ansi", "", None, None),
    client("impala-shell", "hive", "q query", None, None),
    client("snowsql snow", "snowflake", "q query", None, None),
    client("trino presto spark-sql hive beeline", "hive", "e execute", None, None),
    client("sqlplus sqlcl", "ansi", "", None, None),
    client("spanner-cli", "bigquery", "e execute", None, None),
    service("wrangler", "sqlite", "command", None),
    service("turso", "sqlite", "", Some(3)),
    service("aws", "hive", "query-string sql", None),
    service("gcloud", "bigquery", "sql", None),
];

const fn client(
    names: &'static str,
    dialect: &'static str,
    options: &'static str,
    operand: Option<usize>,
    commands: Option<char>,
) -> Client {
    Client { names, dialect, options, operand, commands, input: true }
}

/// A program of a service that does more than to give statements to a database.
const fn service(
    names: &'static str,
    dialect: &'static str,
    options: &'static str,
    operand: Option<usize>,
) -> Client {
    Client { names, dialect, options, operand, commands: None, input: false }
}

/// The programs with their names.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static Client)> {
    CLIENTS.iter().flat_map(|one| one.names.split_ascii_whitespace().map(move |name| (name, one)))
}

/// What a command of a client does with what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// It is a line of a shell.
    Shell,
    /// A file, or a line of a shell after `|`.
    Writes,
    Reads,
    /// `\copy … program '…'`
    Copies,
    /// It loads code.
    Loads,
}

/// The commands of psql and mysql, after `\`, and those of sqlite and duckdb, after `.`, which may be cut.
const BACKSLASH: &[(&str, Does)] = &[
    ("!", Does::Shell),
    ("copy", Does::Copies),
    ("out", Does::Writes),
    ("o", Does::Writes),
    ("w", Does::Writes),
    ("write", Does::Writes),
    ("g", Does::Writes),
    ("gx", Does::Writes),
    ("s", Does::Writes),
    ("T", Does::Writes),
    ("i", Does::Reads),
    ("ir", Does::Reads),
    ("include", Does::Reads),
    (".", Does::Reads),
];
const DOT: &[(&str, Does)] = &[
    ("shell", Does::Shell),
    ("system", Does::Shell),
    ("read", Does::Reads),
    ("import", Does::Reads),
    ("restore", Does::Reads),
    ("output", Does::Writes),
    ("once", Does::Writes),
    ("excel", Does::Writes),
    ("log", Does::Writes),
    ("backup", Does::Writes),
    ("save", Does::Writes),
    ("clone", Does::Writes),
    ("trace", Does::Writes),
    ("load", Does::Loads),
];

/// Options whose statements come before those of the input, which is read all the same.
const BEFORE_INPUT: [&str; 2] = ["cmd", "init-command"];

impl Client {
    /// Tells whether a call has statements after which it asks its input for none.
    fn is_whole(&self, reading: &Reading<'_>) -> bool {
        let mut options =
            self.options.split_ascii_whitespace().filter(|name| !BEFORE_INPUT.contains(name));
        options.any(|name| reading.options(name).flatten().next().is_some())
            || self.operand.is_some_and(|first| operands(reading).nth(first).is_some())
    }

    /// Returns the words of a call that are statements.
    fn texts(&self, reading: &Reading<'_>) -> Vec<Word> {
        let options = self.options.split_ascii_whitespace();
        let values =
            options.flat_map(|name| reading.options(name).flatten().cloned().collect::<Vec<_>>());
        let operands = self.operand.into_iter().flat_map(|first| operands(reading).skip(first));
        values.chain(operands.cloned()).collect()
    }
}

fn operands<'r>(reading: &'r Reading<'_>) -> impl Iterator<Item = &'r Word> {
    reading.words().filter(|word| word.known().is_none_or(|known| known != "query"))
}

/// What a call of a database client says itself.
#[derive(Debug)]
pub(crate) struct DatabaseCall {
    /// The file that is the database.
    pub(crate) database: Option<Word>,
    /// Whether it has statements or commands: such a client does not ask its input for more.
    pub(crate) has_text: bool,
}

/// Returns what a call of a database client says itself; `None` if it is none.
pub(crate) fn database_call(run: &Run) -> Option<DatabaseCall> {
    let name = run.name()?;
    let (_, client) = names().find(|(one, client)| client.input && *one == name)?;
    let reading = programs::read(run);
    let before = client.operand.and_then(|first| first.checked_sub(1));
    let database = before.and_then(|at| operands(&reading).nth(at).cloned());
    let files = ["f", "file", "i"].iter().flat_map(|name| reading.options(name).flatten());
    let takes_input = |word: &Word| word.known().as_deref() == Some("-") || is_standard_input(word);
    // `.read /dev/stdin`, `\\i -`
    let names_input = |text: &Word| {
        text.written()
            .split_whitespace()
            .any(|word| matches!(word, "-" | "/dev/stdin" | "/dev/fd/0"))
    };
    let reads_input =
        files.into_iter().any(takes_input) || client.texts(&reading).iter().any(names_input);
    Some(DatabaseCall { database, has_text: client.is_whole(&reading) && !reads_input })
}

impl Walker<'_> {
    /// Goes through the statements that a service gets whose program runs others, too: `gcloud`.
    pub(super) fn database_of_service(&mut self, name: &str, by: usize) {
        if let Some(client) = CLIENTS.iter().find(|client| client.names == name) {
            self.database(client, by);
        }
    }

    /// Goes through the statements that a client gets.
    pub(super) fn database(&mut self, client: &'static Client, by: usize) {
        let Some(run) = self.runs.get(by) else { return };
        let reading = programs::read(run);
        let mut texts = client.texts(&reading);
        let values = ["f", "file", "i"].iter().flat_map(|name| reading.options(name).flatten());
        let (input, mut files): (Vec<Word>, Vec<Word>) = values
            .cloned()
            .partition(|file| file.known().as_deref() == Some("-") || is_standard_input(file));
        let asks_input = files.is_empty() && !client.is_whole(&reading);
        if client.input && (asks_input || !input.is_empty()) {
            match self.input.clone() {
                Input::Text(text) | Input::Piped(text) => texts.push(text),
                Input::From(CodeFrom::Network, ..) => self.code_from_input(by, false, &[]),
                // What else comes from there is data as often as code.
                Input::From(..) | Input::Session => {}
            }
            let redirects = self.runs.get(by).into_iter().flat_map(|run| &run.redirects);
            let read = redirects.filter(|redirect| redirect.kind == RedirectKind::Read);
            files.extend(read.map(|redirect| redirect.target.clone()));
        }
        for file in files {
            self.statements_of_file(&file, client, by);
        }
        for text in texts {
            self.database_text(&text, client, by);
        }
    }

    /// Goes through a file with statements, if it is one of the project or the line has written it.
    fn statements_of_file(&mut self, file: &Word, client: &'static Client, by: usize) {
        let texts = match self.text_in_project(file) {
            _ if self.depth >= MAX_DEPTH => Err("is nested too deeply".to_owned()),
            found => found,
        };
        let texts = match texts {
            Ok(texts) => texts,
            Err(why) => {
                let (name, file) = (self.name_of(by), file.written());
                let why = format!("the statements in `{file}` cannot be told: it {why}");
                return self
                    .foreign_shell(&name, |walker| walker.unread_statement(file.as_str(), why));
            }
        };
        self.depth += 1;
        for text in texts {
            self.database_text(&text, client, by);
        }
        self.depth -= 1;
    }

    /// Goes through a text: lines that begin as the client's own commands do, and statements.
    fn database_text(&mut self, text: &Word, client: &'static Client, by: usize) {
        if !self.spend(16 + text.written().len() / 4) {
            return;
        }
        let Some(sign) = client.commands else { return self.statements(text, client.dialect, by) };
        let mut statements = String::new();
        for line in self.text_with_names(text).split_inclusive('\n') {
            match line.trim_start().strip_prefix(sign) {
                Some(command) => self.client_command(command.trim_end(), sign, client, by),
                None if sign == '\\' && is_mysql_command(line) => {
                    self.client_command(line.trim(), sign, client, by);
                }
                None => statements.push_str(line),
            }
        }
        for statement in statements.split(';').filter(|_| sign == '.') {
            // SQLite writes a copy: `VACUUM INTO 'copy.db'`.
            let mut words = statement.split_whitespace().map(str::to_lowercase);
            let (Some(first), true) = (words.next(), words.any(|word| word == "into")) else {
                continue;
            };
            let file = statement.split('\'').nth(1).filter(|_| first == "vacuum");
            self.client_file(file.unwrap_or_default(), RedirectKind::Write, by);
        }
        self.statements_of(&statements, client.dialect, by);
    }

    fn client_command(&mut self, command: &str, sign: char, client: &'static Client, by: usize) {
        let list = if sign == '.' { DOT } else { BACKSLASH };
        let name_end = command
            .char_indices()
            .find(|(at, c)| c.is_whitespace() || *at > 0 && command.starts_with('!'))
            .map_or(command.len(), |(at, _)| at);
        let (name, rest) = command.split_at(name_end);
        let rest = rest.trim();
        let fits =
            |known: &str| known == name || sign == '.' && name.len() > 1 && known.starts_with(name);
        let mysql = [("system", Does::Shell), ("source", Does::Reads), ("tee", Does::Writes)];
        let found = list.iter().chain(&mysql).find(|(known, _)| fits(known)).map(|(_, does)| *does);
        let program = self.name_of(by);
        match found {
            None => {}
            Some(Does::Shell) => self.carried_code(&self.word_of(rest), Some(by), &program),
            Some(Does::Loads) => {
                let why = format!("the code that `{program}` loads from `{rest}` is not read");
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
            Some(Does::Copies) => {
                let lower = rest.to_lowercase();
                let quoted = rest.split('\'').nth(1).unwrap_or_default();
                if lower.contains("program") {
                    self.carried_code(&self.word_of(quoted), Some(by), &program);
                } else {
                    let kind = match lower.split_whitespace().any(|word| word == "to") {
                        true => RedirectKind::Write,
                        false => RedirectKind::Read,
                    };
                    self.client_file(quoted, kind, by);
                }
            }
            Some(does) => {
                let file = rest.trim_matches(['\'', '"']);
                match file.strip_prefix('|') {
                    Some(line) => self.carried_code(&self.word_of(line), Some(by), &program),
                    None if does == Does::Writes => {
                        self.client_file(file, RedirectKind::Write, by);
                    }
                    None => {
                        let file = file.split_whitespace().next().unwrap_or_default();
                        self.client_file(file, RedirectKind::Read, by);
                        if name != "import" && name != "restore" {
                            self.statements_of_file(&self.word_of(file), client, by);
                        }
                    }
                }
            }
        }
    }

    fn client_file(&mut self, file: &str, kind: RedirectKind, by: usize) {
        if file.is_empty() || matches!(file, "stdin" | "stdout") {
            return;
        }
        let target = self.word_of(file);
        if let Some(run) = self.runs.get_mut(by) {
            run.redirects.push(Redirect { kind, target });
        }
    }

    fn statements(&mut self, text: &Word, dialect: &str, by: usize) {
        let text = self.text_with_names(text);
        self.statements_of(&text, dialect, by);
    }

    /// Notes each statement as a run of `sql`, whose words say what it does.
    fn statements_of(&mut self, text: &str, dialect: &str, by: usize) {
        let name = self.name_of(by);
        let whole = self.word_of(text.trim());
        let found = if whole.has_unknown() && whole.parts.len() == 1 {
            sql::SqlReading { unread: Some(text.trim().to_owned()), ..sql::SqlReading::default() }
        } else {
            sql::read(text, dialect)
        };
        self.foreign_shell(&name, |walker| {
            for words in &found.statements {
                let args = words.iter().map(|word| walker.word_of(word)).collect();
                walker.push_run(statement(args));
            }
            for line in &found.shell {
                let line = walker.word_of(line);
                walker.carried_code(&line, Some(by), "sql");
            }
            if let Some(unread) = &found.unread {
                let unread = joined([walker.word_of(unread)].iter()).written();
                let why = format!("the statement `{unread}` that `{name}` gets cannot be told");
                walker.unread_statement(&unread, why);
            }
        });
    }

    /// Notes a statement that may be any.
    fn unread_statement(&mut self, written: &str, why: String) {
        let run = self.push_run(statement(vec![Word::unknown(written, true)]));
        self.unclear(UnclearWhat::Words, why, Some(run));
    }

    /// Returns a text in which names stand for what is not known.
    fn text_with_names(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for part in &word.parts {
            match part {
                WordPart::Text(known) | WordPart::Glob(known) => text.push_str(known),
                WordPart::Unknown { written, .. } => {
                    self.holes.push(written.clone());
                    text.push_str(&format!("{HOLE}{}", self.holes.len()));
                }
            }
        }
        text
    }

    /// Returns the word that such a text stands for.
    fn word_of(&self, text: &str) -> Word {
        let mut word = Word::default();
        let mut rest = text;
        while let Some(at) = rest.find(HOLE) {
            let (before, after) = rest.split_at(at);
            let after = after.strip_prefix(HOLE).unwrap_or_default();
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let (place, next) = after.split_at(end);
            let hole =
                place.parse::<usize>().ok().and_then(|place| self.holes.get(place.wrapping_sub(1)));
            if !before.is_empty() {
                word.push(WordPart::Text(before.to_owned()));
            }
            let written = hole.cloned().unwrap_or_else(|| HOLE.to_owned());
            word.push(WordPart::Unknown { written, splits: false, plain: false });
            rest = next;
        }
        if !rest.is_empty() {
            word.push(WordPart::Text(rest.to_owned()));
        }
        word
    }
}

/// The run that a statement is.
fn statement(args: Vec<Word>) -> Run {
    Run { program: Word::text(crate::sql::PROGRAM), args, is_cmdlet: true, ..Run::default() }
}

/// `system …`, `source …`, `tee …` of mysql, which need no sign before them.
fn is_mysql_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    matches!(first, "system" | "source" | "tee") && !line.trim_end().ends_with(')')
}

#[cfg(test)]
mod tests;
