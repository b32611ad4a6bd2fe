//! Builtins that change variables and arguments.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::state::Variable;
use super::super::walk::{Input, Walker};
use crate::run::Run;
use crate::variables::is_name;
use crate::word::{Word, WordPart};

impl Walker<'_> {
    pub(super) fn forget_names(&mut self, args: &[Word]) {
        for word in args {
            match word.known() {
                Some(name) => {
                    let name = name.trim_start_matches('-').to_owned();
                    self.change().forget(&name);
                    // `read -aname`
                    if let Some(rest) = name.get(1..) {
                        self.change().forget(rest);
                    }
                }
                None => self.change().forget_all(),
            }
        }
    }

    /// `find . | while read -r f`: each line is a file that the search finds.
    pub(super) fn read_names(&mut self, args: &[Word]) {
        self.forget_names(args);
        let mut is_whole = true;
        let mut names = Vec::new();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.known() else {
                is_whole = false;
                continue;
            };
            match text.as_ref() {
                "-r" | "-s" => {}
                // `-d ''` for `find -print0`; a part of a line is no name of a file.
                "-d" | "-rd" if words.next().and_then(Word::known).as_deref() == Some("") => {}
                text if text.starts_with('-') => is_whole = false,
                text => names.push(text.to_owned()),
            }
        }
        for name in &names {
            for start in ["", "./"] {
                self.searches.remove(&format!("{start}${name}"));
            }
        }
        let ([name], Input::From(_, _, Some(search))) = (names.as_slice(), &self.input) else {
            return;
        };
        if !is_whole {
            return;
        }
        let search = Arc::clone(search);
        // What is found below this folder is written with a dot before it, so it is no option.
        let is_here = starts_here(&search);
        let mut value = Word::text(if is_here { "./" } else { "" });
        value.push(WordPart::Unknown { written: format!("${name}"), splits: false, plain: false });
        value.parts.retain(|part| !matches!(part, WordPart::Text(text) if text.is_empty()));
        self.searches.insert(value.written(), Some(search));
        self.change().assign(name, Variable::Text(value));
    }

    pub(super) fn declare(&mut self, args: &[Word], by: usize) {
        let name = self.name_of(by);
        let has = |letter: char| args.iter().any(|word| is_option_with(word, letter));
        let exports = (name == "export" && !has('n')) || (name != "export" && has('x'));
        for word in args {
            let name = word.known_prefix().split(['=', '+']).next().unwrap_or_default().to_owned();
            if name.is_empty() || name.starts_with('-') {
                continue;
            }
            if exports {
                self.change().exported.insert(name);
            }
        }
        let is_computed =
            |word: &Word| word.known().is_none() && !word.known_prefix().contains('=');
        if args.iter().any(is_computed) {
            self.change().forget_all();
        }
        let upper = match (has('u'), has('l')) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        // A reference to another variable, or a number that is computed.
        let other = has('n') || has('i');
        if !other && upper.is_none() {
            return;
        }
        for text in args.iter().filter_map(Word::known) {
            let name = text.split(['=', '+']).next().unwrap_or_default();
            if name.is_empty() || name.starts_with('-') {
                continue;
            }
            if other {
                // A number is computed, and a reference names another variable.
                let value = Word::text(
                    text.get(name.len()..).unwrap_or_default().trim_start_matches(['+', '=']),
                );
                self.evaluated(&value, Some(by));
                if has('i') {
                    self.change().numbers.insert(name.to_owned());
                }
                if has('n') {
                    // The value that was assigned, whose words are expanded.
                    let named = match self.state.variables.get(name) {
                        Some(Variable::Text(word)) => word.known().map(Cow::into_owned),
                        _ => None,
                    };
                    self.change().refer(name, named.filter(|named| is_name(named)));
                } else {
                    self.change().forget(name);
                }
            } else if let Some(upper) = upper {
                self.change().cased.insert(name.to_owned(), upper);
                if let Some(value) = self.state.variables.get(name).cloned() {
                    self.change().assign(name, value);
                }
            }
        }
    }

    pub(super) fn set(&mut self, args: &[Word]) {
        let Some(end) =
            args.iter().position(|word| matches!(word.known().as_deref(), Some("--" | "-")))
        else {
            let is_option = |word: &Word| word.known_prefix().starts_with(['-', '+']);
            // `set -o pipefail` has an operand that is none.
            let named =
                args.iter().any(|word| matches!(word.known(), Some(text) if text.ends_with('o')));
            if !args.is_empty() && !args.iter().all(is_option) && !named {
                self.change().positional = None;
            }
            return;
        };
        let words = args.get(end + 1..).unwrap_or_default();
        let known = words.iter().all(|word| !word.splits());
        self.change().positional = known.then(|| words.to_vec());
    }

    pub(super) fn shift(&mut self, args: &[Word]) {
        let count = match args.first() {
            None => Some(1),
            Some(word) => word.known().and_then(|text| text.parse::<usize>().ok()),
        };
        let words = self.state.positional.as_ref();
        let rest =
            words.zip(count).and_then(|(words, count)| words.get(count..)).map(<[Word]>::to_vec);
        self.change().positional = rest;
    }
}

fn is_option_with(word: &Word, letter: char) -> bool {
    word.known().is_some_and(|text| text.starts_with('-') && text.contains(letter))
}

/// Whether a search is one of `find .`, which writes each name with that folder before it.
fn starts_here(search: &Run) -> bool {
    let first = search.args.first().and_then(Word::known);
    matches!(search.name().as_deref(), Some("find" | "gfind"))
        && matches!(first.as_deref(), Some("." | "./"))
        && search.args.get(1).is_none_or(|word| word.known_prefix().starts_with(['-', '(', '!']))
}
