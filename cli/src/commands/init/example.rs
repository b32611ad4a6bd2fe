//! The shipped policies, which are inside of the program.

use super::files::File;
use crate::abort::Abort;
use crate::terminal::table::{self, To, cell};

/// A shipped policy.
pub(super) struct Example {
    /// The name of its folder, which may begin with a number: `07-ask-before-publishing`.
    name: &'static str,
    /// The paths of its files in the folder, and their texts.
    files: &'static [(&'static str, &'static str)],
}

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

impl Example {
    /// Returns its files.
    pub(super) fn files(&self) -> Vec<File> {
        self.files.iter().map(|(name, text)| File::new(*name, *text)).collect()
    }

    /// Returns the first sentence of the comment with which its config begins.
    fn about(&self) -> String {
        let config = self.files.iter().find(|(name, _)| *name == "hooks.toml");
        let text = config.map(|(_, text)| *text).unwrap_or_default();
        let comment = text.lines().map_while(|line| line.strip_prefix('#'));
        let comment = comment.map(str::trim).take_while(|line| !line.is_empty());
        let comment = comment.collect::<Vec<_>>().join(" ");
        let sentence = comment.split_once(". ").map_or(comment.as_str(), |(first, _)| first);
        sentence.trim_end_matches('.').to_owned()
    }

    /// Whether a name means this policy: the name of its folder, with or without the number, or the
    /// number alone.
    fn is_named(&self, name: &str) -> bool {
        match self.name.split_once('-') {
            Some((number, rest)) if number.parse::<u32>().is_ok() => {
                name == self.name || name == rest || name.parse::<u32>() == number.parse()
            }
            _ => name == self.name,
        }
    }
}

/// Returns the policies to begin with, each with what it does.
pub(super) fn to_begin_with() -> Vec<(&'static str, String)> {
    EXAMPLES.iter().take(START).map(|example| (example.name, example.about())).collect()
}

/// Finds a policy by its name.
pub(super) fn find(name: &str) -> Result<&'static Example, Abort> {
    EXAMPLES.iter().find(|example| example.is_named(name)).ok_or_else(|| {
        let known: Vec<&str> = EXAMPLES.iter().map(|example| example.name).collect();
        Abort::unknown_name("example", name, &known)
    })
}

/// Returns all policies with a line each.
pub(super) fn list() -> comfy_table::Table {
    let mut rows = table::new(To::Stdout, &["example", "what it does"]);
    for example in EXAMPLES {
        rows.add_row([cell(example.name), cell(example.about())]);
    }
    table::keep_whole(&mut rows, &[0]);
    rows
}
