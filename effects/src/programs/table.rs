//! The tables of programs, read once.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use super::role::{Role, Roles};
use crate::options::OptionTable;

/// What is known of one program, or of one sub-command of a program.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// The options: its own, and those of the program that it is a sub-command of.
    pub(crate) options: Vec<ProgramOption>,
    lists: Lists,
    style: Style,
    operands: Roles,
    modes: Vec<Mode>,
    /// The options that make it go into folders.
    pub(crate) below: Vec<String>,
    /// The operand that it has if none is given.
    pub(crate) default: Option<String>,
    /// What is read by code of its own.
    pub(crate) special: Option<Special>,
}

/// An option of a program.
#[derive(Debug, Clone)]
pub(crate) struct ProgramOption {
    /// Its names without dashes, which all mean the same.
    pub(crate) names: Vec<String>,
    takes: Takes,
    /// What its value is.
    pub(crate) role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Optional,
}

/// Programs with words that the tables cannot describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Special {
    /// Its first word may be letters of options.
    Tar,
    /// `-O` and no `-o`: the file has the name of the address.
    Curl,
    /// The file has the name of the address.
    Wget,
    /// What it finds it can remove.
    Find,
    /// Its code can read and write files: awk, sed.
    Editor,
}

#[derive(Debug, Default)]
struct Lists {
    short_value: String,
    short_optional: String,
    short_flags: String,
    long_value: String,
    long_optional: String,
    long_flags: String,
}

#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a style of its own")]
struct Style {
    abbreviations: bool,
    dash_words: bool,
    numbers: bool,
    plus: bool,
    stop: bool,
}

#[derive(Debug)]
struct Mode {
    /// All of these options must be given; each is a list of names of one option.
    options: Vec<Vec<String>>,
    operands: Roles,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    options: String,
    #[serde(default)]
    style: String,
    #[serde(default)]
    operands: String,
    #[serde(default)]
    modes: Vec<(String, String)>,
    #[serde(default)]
    below: String,
    default: Option<String>,
    special: Option<Special>,
}

/// A name in the tables.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// Its lines: those of the program that it is a sub-command of, and its own at the end. They are read
    /// at the first use: of the many programs a command line has few.
    lines: Vec<&'static str>,
    program: OnceLock<Program>,
    parts: HashMap<&'static str, Entry>,
}

/// The data files.
pub(super) const FILES: &[&str] = &[
    include_str!("data/files.toml"),
    include_str!("data/development.toml"),
    include_str!("data/network.toml"),
    include_str!("data/services.toml"),
    include_str!("data/system.toml"),
];

/// The lines of one program. They are read when the program is first asked for.
#[derive(Debug, Default)]
struct Lines {
    /// The sub-commands of each line, empty for the program itself, and the value of the line.
    lines: Vec<(&'static str, &'static str)>,
    entry: OnceLock<Entry>,
}

static PROGRAMS: LazyLock<HashMap<&'static str, Lines>> = LazyLock::new(|| {
    let mut programs: HashMap<&str, Lines> = HashMap::with_capacity(2048);
    for (names, line) in FILES.iter().flat_map(|file| lines_of(file)) {
        let (names, parts) = names.split_once(' ').unwrap_or((names, ""));
        for name in names.split('|') {
            programs.entry(name).or_default().lines.push((parts, line));
        }
    }
    programs
});

/// The names and the values of the lines of a data file: `"names" = value`.
fn lines_of(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.lines().filter_map(|line| line.strip_prefix('"')?.split_once("\" = "))
}

/// Reads the value of a line. One that cannot be read is found by a test; a guard must not panic.
fn read_line(line: &str) -> Result<Line, toml::de::Error> {
    #[derive(Deserialize)]
    struct Value {
        line: Line,
    }
    toml::from_str(&format!("line = {line}")).map(|value: Value| value.line)
}

/// Whether the options of a program are not those of its sub-commands.
fn keeps_options(line: &str) -> bool {
    let style = line.split_once("style = \"").and_then(|(_, rest)| rest.split('"').next());
    style.is_some_and(|style| style.split(' ').any(|style| style == "own"))
}

/// Returns the program of a name; a version at the end does not count: `python3.11`.
pub(crate) fn entry(name: &str) -> Option<&'static Entry> {
    let bare = || {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        PROGRAMS.get(bare)
    };
    let family = || {
        let (start, _) = name.split_once('.')?;
        PROGRAMS.get(format!("{start}.*").as_str())
    };
    let lines = PROGRAMS.get(name).or_else(bare).or_else(family)?;
    Some(lines.entry.get_or_init(|| Entry::of(&lines.lines)))
}

/// Returns the program of a name without its sub-commands.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    entry(name).map(Entry::program)
}

/// Returns the program of a name with as many of the words as are sub-commands, and how many they are.
pub(crate) fn named_program<'w>(
    name: &str,
    words: impl Iterator<Item = &'w str>,
) -> Option<(&'static Program, usize)> {
    let mut entry = entry(name)?;
    let mut depth = 0;
    for word in words {
        let Some(part) = entry.part(word) else { break };
        (entry, depth) = (part, depth + 1);
    }
    Some((entry.program(), depth))
}

impl Entry {
    fn of(lines: &[(&'static str, &'static str)]) -> Self {
        let mut entry = Self::default();
        let mut lines = lines.to_vec();
        // A program is there before its sub-commands.
        lines.sort_by_key(|(parts, _)| parts.split_ascii_whitespace().count());
        for (parts, line) in lines {
            let parts: Vec<&str> = parts.split_ascii_whitespace().collect();
            entry.add(&parts, line);
        }
        entry
    }

    /// Adds a line to every sub-command that it stands for.
    fn add(&mut self, parts: &[&'static str], line: &'static str) {
        let Some((names, deeper)) = parts.split_first() else {
            self.lines.push(line);
            return;
        };
        let keeps = self.lines.iter().any(|line| keeps_options(line));
        let inherited = if keeps { Vec::new() } else { self.lines.clone() };
        for name in names.split('|') {
            let new = || Self { lines: inherited.clone(), ..Self::default() };
            self.parts.entry(name).or_insert_with(new).add(deeper, line);
        }
    }

    /// What is known of the program.
    pub(crate) fn program(&self) -> &Program {
        self.program.get_or_init(|| {
            let mut program = Program::default();
            for line in self.lines.iter().filter_map(|line| read_line(line).ok()) {
                program.apply(&line);
            }
            program.fill_lists();
            program
        })
    }

    /// Whether it has sub-commands.
    pub(crate) fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Returns a sub-command.
    pub(crate) fn part(&self, name: &str) -> Option<&Self> {
        self.parts.get(name)
    }
}

impl Program {
    fn apply(&mut self, line: &Line) {
        for written in line.options.split_ascii_whitespace() {
            let (option, dash_word) = ProgramOption::parse(written);
            self.style.dash_words |= dash_word;
            // A sub-command may use a name of its program in another way.
            for known in &mut self.options {
                known.names.retain(|name| !option.names.contains(name));
            }
            self.options.push(option);
        }
        // A sub-command reads its own operands to the end.
        self.style.stop = false;
        for style in line.style.split_ascii_whitespace() {
            match style {
                "gnu" => self.style.abbreviations = true,
                "dash" => self.style.dash_words = true,
                "numbers" => self.style.numbers = true,
                "plus" => self.style.plus = true,
                "stop" => self.style.stop = true,
                _ => {}
            }
        }
        self.operands = Roles::parse(&line.operands).unwrap_or_default();
        self.modes = line
            .modes
            .iter()
            .map(|(options, operands)| Mode {
                options: options.split('&').map(names).collect(),
                operands: Roles::parse(operands).unwrap_or_default(),
            })
            .collect();
        self.below = names(&line.below);
        self.default.clone_from(&line.default);
        self.special = line.special;
    }

    fn fill_lists(&mut self) {
        let mut lists = Lists::default();
        for option in &self.options {
            for name in &option.names {
                // With one dash before long names there are no short ones.
                let long = self.style.dash_words || name.chars().count() > 1;
                let list = match (option.takes, long) {
                    (Takes::Value, false) => &mut lists.short_value,
                    (Takes::Optional, false) => &mut lists.short_optional,
                    (Takes::Nothing, false) => &mut lists.short_flags,
                    (Takes::Value, true) => &mut lists.long_value,
                    (Takes::Optional, true) => &mut lists.long_optional,
                    (Takes::Nothing, true) => &mut lists.long_flags,
                };
                list.push_str(name);
                if long {
                    list.push(' ');
                }
            }
        }
        self.lists = lists;
    }

    /// How it reads its options.
    pub(crate) fn option_table(&self) -> OptionTable<'_> {
        OptionTable {
            short_value: &self.lists.short_value,
            short_optional: &self.lists.short_optional,
            short_flags: &self.lists.short_flags,
            long_value: &self.lists.long_value,
            long_optional: &self.lists.long_optional,
            long_flags: &self.lists.long_flags,
            abbreviations: self.style.abbreviations,
            dash_words: self.style.dash_words,
            numbers: self.style.numbers,
            plus: self.style.plus,
            stop_at_operand: self.style.stop,
        }
    }

    /// Returns the option of a name without dashes.
    pub(crate) fn option(&self, name: &str) -> Option<&ProgramOption> {
        self.options.iter().find(|option| option.names.iter().any(|known| known == name))
    }

    /// Returns the roles of its operands with the options that are given.
    pub(crate) fn roles(&self, has: impl Fn(&[String]) -> bool) -> &Roles {
        let mode = self.modes.iter().find(|mode| mode.options.iter().all(|names| has(names)));
        mode.map_or(&self.operands, |mode| &mode.operands)
    }
}

impl ProgramOption {
    /// Reads `-o|--output=write`, and returns whether a name of several letters has one dash.
    fn parse(written: &str) -> (Self, bool) {
        let (all, value) = match written.split_once('=') {
            Some((all, value)) => (all, Some(value)),
            None => (written, None),
        };
        let (takes, role) = match value {
            None => (Takes::Nothing, ""),
            Some(value) => match value.strip_prefix('?') {
                Some(role) => (Takes::Optional, role),
                None => (Takes::Value, value),
            },
        };
        let dash_word =
            all.split('|').any(|name| !name.starts_with("--") && name.chars().count() > 2);
        (
            Self { names: names(all), takes, role: Role::parse(role).unwrap_or(Role::Text) },
            dash_word,
        )
    }

    /// Returns whether it has a value in the next word.
    pub(crate) fn takes_value(&self) -> bool {
        self.takes == Takes::Value
    }
}

/// The names of an option, without dashes.
fn names(written: &str) -> Vec<String> {
    let bare = |name: &str| match name.trim() {
        "--" => "--".to_owned(),
        name => name.trim_start_matches('-').to_owned(),
    };
    written.split('|').map(bare).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
pub(super) mod check {
    //! What the tables must hold, for the tests.
    use super::*;

    /// Returns what is wrong in a data file.
    pub(crate) fn faults(text: &str) -> Vec<String> {
        let whole: HashMap<String, Line> = match toml::from_str(text) {
            Ok(lines) => lines,
            Err(error) => return vec![error.to_string()],
        };
        let mut faults = Vec::new();
        if lines_of(text).count() != whole.len() {
            faults.push("a line is not read as one".to_owned());
        }
        for (names, line) in lines_of(text) {
            let line = match read_line(line) {
                Ok(line) => line,
                Err(error) => return vec![format!("{names}: {error}")],
            };
            let mut roles = vec![line.operands.as_str()];
            roles.extend(line.modes.iter().map(|(_, operands)| operands.as_str()));
            for text in roles {
                if Roles::parse(text).is_none() {
                    faults.push(format!("{names}: the operands `{text}`"));
                }
            }
            for written in line.options.split_ascii_whitespace() {
                let role =
                    written.split_once('=').map_or("", |(_, role)| role.trim_start_matches('?'));
                if !(role.is_empty() || Role::parse(role).is_some()) || !written.starts_with('-') {
                    faults.push(format!("{names}: the option `{written}`"));
                }
            }
        }
        faults
    }

    /// Returns the names that have a line of their own more than once.
    pub(crate) fn described_twice(files: &[&str]) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let mut twice = Vec::new();
        for (names, _) in files.iter().flat_map(|file| lines_of(file)) {
            let mut all = vec![String::new()];
            for word in names.split(' ') {
                let longer = |start: &String| {
                    word.split('|').map(|name| format!("{start} {name}")).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
            twice.extend(all.into_iter().filter(|name| !seen.insert(name.clone())));
        }
        twice
    }
}
