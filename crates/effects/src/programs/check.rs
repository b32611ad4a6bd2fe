//! What the tables must hold, for the tests.

use std::collections::HashMap;

use super::entry::lines_of;
use super::role::{Role, Roles};
use super::table::{Line, read_line};

/// Returns what is wrong in a data file.
pub(super) fn faults(text: &str) -> Vec<String> {
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
        let style = line.style.as_str();
        for written in line.options.split_ascii_whitespace() {
            // Such a name would make every dash of the program begin a long one: `-qO` were no `-q -O` then.
            let has_dash_word = written
                .split('=')
                .next()
                .unwrap_or_default()
                .split('|')
                .any(|name| !name.starts_with("--") && name.chars().count() > 2);
            if has_dash_word && !style.split(' ').any(|one| one == "dash") {
                faults.push(format!("{names}: the option `{written}` without the style `dash`"));
            }
            let role = written.split_once('=').map_or("", |(_, role)| role.trim_start_matches('?'));
            if !(role.is_empty() || Role::parse(role).is_some()) || !written.starts_with('-') {
                faults.push(format!("{names}: the option `{written}`"));
            }
        }
    }
    faults
}

/// Returns the names that have a line of their own more than once.
pub(super) fn described_twice(files: &[&str]) -> Vec<String> {
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
