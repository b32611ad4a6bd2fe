//! `find -exec` and `fd -x`.

use super::super::start::Launch;
use super::super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::programs;
use crate::word::{Word, WordPart};

impl Walker<'_> {
    pub(super) fn find(&mut self, name: &str, args: &[Word], by: usize) {
        let start = starts(args);
        let mut at = 0;
        while let Some(word) = args.get(at) {
            at += 1;
            match word.known().as_deref() {
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let end = args.iter().skip(at).enumerate().position(|(place, word)| {
                        let is_plus = word.known().as_deref() == Some("+")
                            && place > 0
                            && args.get(at + place - 1).and_then(Word::known).as_deref()
                                == Some("{}");
                        is_plus || word.known().as_deref() == Some(";")
                    });
                    let end = end.map_or(args.len(), |length| at + length);
                    let words = args.get(at..end).unwrap_or_default();
                    self.placeholder_program(name, words, &start, by);
                    at = end + 1;
                }
                // Tests whose value is no action.
                Some(
                    "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex"
                    | "-type" | "-size" | "-mtime" | "-mmin" | "-ctime" | "-atime" | "-newer"
                    | "-user" | "-group" | "-perm" | "-maxdepth" | "-mindepth" | "-printf"
                    | "-fprint" | "-fprint0" | "-fls" | "-lname" | "-links" | "-inum" | "-fstype"
                    | "-samefile" | "-xtype" | "-amin" | "-cmin" | "-uid" | "-gid" | "-used",
                ) => at += 1,
                Some(_) => {}
                None if word.splits() && word.known_prefix().is_empty() => {
                    // `find . $opts`: the words may be `-exec …`. That is told of the words only.
                    let why = format!("`{}` may hold actions of `{name}`", word.written());
                    self.unclear(UnclearWhat::Words, why, Some(by));
                }
                None => {}
            }
        }
    }

    pub(super) fn fd(&mut self, name: &str, args: &[Word], by: usize) {
        let mut at = 0;
        while let Some(word) = args.get(at) {
            at += 1;
            let known = word.known();
            let attached = known.as_deref().and_then(|text| {
                text.strip_prefix("--exec-batch=").or_else(|| text.strip_prefix("--exec="))
            });
            if !known.as_deref().is_some_and(programs::is_exec_of_fd) {
                continue;
            }
            let length = args.iter().skip(at).position(|word| word.known().as_deref() == Some(";"));
            let end = length.map_or(args.len(), |length| at + length);
            let mut words: Vec<Word> = attached.map(Word::text).into_iter().collect();
            words.extend(args.get(at..end).unwrap_or_default().iter().cloned());
            self.placeholder_program(name, &words, "", by);
            at = end + 1;
        }
    }

    /// Starts a program some of whose words are `{}`: files that are not known.
    pub(super) fn placeholder_program(
        &mut self,
        name: &str,
        words: &[Word],
        below: &str,
        by: usize,
    ) {
        let Some(first) = words.first() else {
            return;
        };
        if first.written().contains("{}") {
            let why = format!("`{name}` runs the files that it finds");
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
        let filled: Vec<Word> = words.iter().map(|word| fill(word, "{}", below)).collect();
        let has_place = words.iter().any(|word| word.written().contains("{}"));
        let launch = Launch { more_args: !has_place && name != "find", ..Launch::default() };
        self.start_by(name, &filled, launch);
    }
}

/// Replaces a placeholder by a part that is not known.
pub(super) fn fill(word: &Word, place: &str, below: &str) -> Word {
    if place.is_empty() {
        return word.clone();
    }
    let mut filled = Word::default();
    for part in &word.parts {
        let WordPart::Text(text) = part else {
            filled.push(part.clone());
            continue;
        };
        let mut rest = text.as_str();
        while let Some((plain, after)) = rest.split_once(place) {
            if !plain.is_empty() {
                filled.push(WordPart::Text(plain.to_owned()));
            } else if filled.parts.is_empty() && !below.is_empty() {
                filled.push(WordPart::Text(below.to_owned()));
            }
            filled.push(WordPart::Unknown {
                written: place.to_owned(),
                splits: false,
                plain: false,
            });
            rest = after;
        }
        if !rest.is_empty() {
            filled.push(WordPart::Text(rest.to_owned()));
        }
    }
    filled
}

/// The one folder that a search starts in; empty if there are more, or it is not known.
fn starts(args: &[Word]) -> String {
    let is_option = |word: &&Word| matches!(word.known().as_deref(), Some("-H" | "-L" | "-P"));
    let mut folders = args
        .iter()
        .skip_while(is_option)
        .take_while(|word| !word.known_prefix().starts_with(['-', '(', '!']));
    match (folders.next().map(Word::known), folders.next()) {
        (None, _) => "./".to_owned(),
        (Some(Some(folder)), None) if !folder.is_empty() => {
            if folder.ends_with('/') {
                folder.into_owned()
            } else {
                format!("{folder}/")
            }
        }
        _ => String::new(),
    }
}
