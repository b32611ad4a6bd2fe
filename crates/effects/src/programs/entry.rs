//! The names in the tables: programs and their sub-commands.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::table::Program;

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
pub(super) fn lines_of(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.lines().filter_map(|line| line.strip_prefix('"')?.split_once("\" = "))
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

/// Returns the names of the sub-commands of a program, sorted; `None` if the tables have none.
pub(crate) fn sub_commands(name: &str) -> Option<Vec<&'static str>> {
    let entry = entry(name).filter(|entry| entry.has_parts())?;
    let mut all: Vec<&'static str> = entry.parts.keys().copied().collect();
    all.sort_unstable();
    Some(all)
}

/// Whether a word is a command of git that the tables have, and so none of its aliases.
pub(crate) fn is_git_command(name: &str) -> bool {
    entry("git").is_some_and(|git| git.part(name).is_some())
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
        self.program.get_or_init(|| Program::of(&self.lines))
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
