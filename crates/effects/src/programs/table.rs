//! The tables of programs, read once.

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
    /// The options with which it only tries, beside those that are named so.
    pub(super) trial: Vec<String>,
    /// Whether it does its work although an option is named as if it tried.
    pub(super) never_tries: bool,
    /// Whether its sub-commands act on something elsewhere, which a verb can lose.
    pub(crate) service: bool,
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
    /// What it does with its file depends on the other options: ssh-keygen.
    Keygen,
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
    /// Its options are not those of its sub-commands.
    own: bool,
}

#[derive(Debug)]
struct Mode {
    /// All of these options must be given; each is a list of names of one option.
    options: Vec<Vec<String>>,
    operands: Roles,
}

/// One line of a data file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    #[serde(default)]
    pub(super) options: String,
    #[serde(default)]
    pub(super) style: String,
    #[serde(default)]
    pub(super) operands: String,
    #[serde(default)]
    pub(super) modes: Vec<(String, String)>,
    #[serde(default)]
    below: String,
    default: Option<String>,
    special: Option<Special>,
    #[serde(default)]
    trial: String,
    #[serde(default)]
    service: bool,
}

/// Reads the value of a line. One that cannot be read is found by a test; a guard must not panic.
pub(super) fn read_line(line: &str) -> Result<Line, toml::de::Error> {
    #[derive(Deserialize)]
    struct Value {
        line: Line,
    }
    toml::from_str(&format!("line = {line}")).map(|value: Value| value.line)
}

impl Program {
    /// Reads the lines of a program, one after the other.
    pub(super) fn of(lines: &[&str]) -> Self {
        let mut program = Self::default();
        for line in lines.iter().filter_map(|line| read_line(line).ok()) {
            program.apply(&line);
        }
        program.fill_lists();
        program
    }

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
                "own" => self.style.own = true,
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
        self.never_tries |= line.trial == "never";
        if !self.never_tries {
            self.trial.extend(line.trial.split_ascii_whitespace().flat_map(names));
        }
        self.service |= line.service;
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

    /// Whether an option of this name stands before the sub-commands of the program, and nowhere else.
    pub(crate) fn has_own_option(&self, name: &str) -> bool {
        self.style.own && self.option(name).is_some()
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
