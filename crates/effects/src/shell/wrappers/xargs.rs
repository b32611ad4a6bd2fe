//! `xargs` and `parallel`: words come from the standard input.

use std::sync::Arc;

use super::super::builtins::joined;
use super::super::roles::{self, Role};
use super::super::start::Launch;
use super::super::walk::{Input, Walker};
use super::find::fill;
use crate::effects::UnclearWhat;
use crate::options::{OptionTable, read_options};
use crate::plain_words::{A_BRANCH, lists_branches};
use crate::run::{CodeFrom, Run};
use crate::word::{Word, WordPart};

const XARGS: OptionTable<'static> = OptionTable {
    short_value: "adEILnPsJRS",
    short_optional: "eil",
    short_flags: "0oprtx",
    long_value: "arg-file delimiter max-args max-procs max-chars process-slot-var",
    long_optional: "eof replace max-lines",
    long_flags: "null open-tty interactive no-run-if-empty verbose exit help version show-limits",
    abbreviations: true,
    stop_at_operand: true,
    ..OptionTable::NONE
};

const PARALLEL: OptionTable<'static> = OptionTable {
    short_value: "jPNnSadCIXLs",
    short_flags: "0kqtuvmrz",
    long_value: "jobs arg-file delimiter colsep max-args max-procs sshlogin sshloginfile joblog results tmpdir \
        workdir timeout delay retries halt tagstring env basefile return transferfile load memfree nice block recstart \
        recend shebang-wrap profile max-replace-args max-lines max-chars tempdir sshdelay",
    long_optional: "bar replace",
    long_flags: "keep-order dry-run verbose will-cite no-notice null quote tag line-buffer lb group ungroup pipe eta \
        progress xargs resume resume-failed linebuffer no-run-if-empty help version",
    abbreviations: true,
    stop_at_operand: true,
    ..OptionTable::NONE
};

/// Options of `parallel` with which a call gets several words, or pieces of one, or words from elsewhere as well.
const GROUPS: &str =
    "n max-args N max-replace-args X m xargs L max-lines C colsep I a arg-file d delimiter";

/// The most words of a line that are put in one by one.
const MOST_VALUES: usize = 16;

/// Returns the words of `::: a b`, if they are the only source.
fn values(given: &[Word]) -> Option<&[Word]> {
    let (mark, values) = given.split_first()?;
    let is_mark = |word: &Word| word.known_prefix().starts_with(":::");
    (mark.known()? == ":::" && values.len() <= MOST_VALUES && !values.iter().any(is_mark))
        .then_some(values)
}

/// Puts the words of a source behind a template, or where its only place is, as if one call got all of them: each
/// call gets one. `None` if the template has other places, of which each call fills all with the same word.
fn with_values(template: &[Word], values: &[Word]) -> Option<Vec<Word>> {
    let has_place = |word: &&Word| {
        let written = word.written();
        PLACES.iter().any(|place| written.contains(place))
    };
    let at = match template.iter().filter(has_place).count() {
        0 => template.len(),
        1 => template.iter().position(|word| word.known().as_deref() == Some("{}"))?,
        _ => return None,
    };
    let (before, after) = template.split_at_checked(at)?;
    Some([before, values, after.get(1..).unwrap_or_default()].concat())
}

/// Where `parallel` puts the words of its sources.
const PLACES: [&str; 10] = ["{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}"];

impl Walker<'_> {
    pub(super) fn xargs(&mut self, name: &str, args: &[Word], by: usize) {
        let read = read_options(&XARGS, args);
        if read.has("help version show-limits") {
            return;
        }
        self.check_options(&read, args, name, by);
        let rest = args.get(read.rest..).unwrap_or_default();
        let Some(first) = rest.first() else {
            return;
        };
        self.check_splits(args, rest, name, by);
        let place = match read.value("I J replace i R") {
            Some(place) => place.known().unwrap_or_default().into_owned(),
            None if read.has("i replace") => "{}".to_owned(),
            None => String::new(),
        };
        if !place.is_empty() && first.written().contains(&place) {
            self.unclear(
                UnclearWhat::Program,
                format!("`{name}` runs what stands in its input"),
                Some(by),
            );
        }
        self.injected(name, rest, &place, by);
        let mut filled: Vec<Word> = rest.iter().map(|word| fill(word, &place, "")).collect();
        // With another sign between the words, parts of them are words.
        let splits_otherwise = read.has("a arg-file d delimiter E e eof");
        let plain = self.piped_words.clone().filter(|plain| {
            let writer = plain.split(' ').next().unwrap_or_default();
            matches!(&self.input, Input::From(CodeFrom::Stdin, name, _) if name == writer || name.ends_with("grep"))
                && !splits_otherwise
        });
        // Elsewhere the sign before a branch may be a pattern: `git checkout '*'`.
        let plain = match plain {
            Some(plain) if lists_branches(&plain) => {
                let is_for_branches =
                    rest.iter().take(2).filter_map(Word::known).eq(["git", "branch"]);
                is_for_branches.then(|| A_BRANCH.to_owned())
            }
            plain => plain,
        };
        // One of these words stands for all.
        if let Some(plain) = &plain {
            let written = format!("$({plain})");
            let one = WordPart::Unknown { written, splits: false, plain: false };
            if place.is_empty() {
                filled.push(Word { parts: vec![one] });
            } else {
                let is_place = |part: &WordPart| matches!(part, WordPart::Unknown { written, .. } if *written == place);
                let parts = filled.iter_mut().flat_map(|word| &mut word.parts);
                parts.filter(|part| is_place(part)).for_each(|part| *part = one.clone());
            }
        }
        // What a program writes for `kill` are numbers of processes; a text of the line may be anything.
        let is_text = matches!(self.input, Input::Text(_) | Input::Piped(_));
        let are_processes = first.known().as_deref() == Some("kill") && !is_text;
        let more_args = place.is_empty() && !are_processes && plain.is_none();
        let search = self.search_of_input().filter(|_| !splits_otherwise);
        let launch = Launch { more_args, search, ..Launch::default() };
        // The input of `xargs` is data: what it runs gets none. With `-a` it is theirs.
        let is_data = !read.has("a arg-file");
        self.in_subshell(|walker| {
            if is_data {
                walker.input = Input::Session;
            }
            walker.start_by(name, &filled, launch);
        });
    }

    /// Notes programs that run the words which `xargs` adds.
    fn injected(&mut self, name: &str, rest: &[Word], place: &str, by: usize) {
        let last = rest.last().and_then(Word::known).unwrap_or_default();
        let runs_words = |program: &str| match roles::of(program, true) {
            Role::Shell | Role::Wrapper(_) => true,
            Role::Special(special) => special != super::Special::Find,
            _ => false,
        };
        let base = last.rsplit('/').next().unwrap_or_default();
        let ends_with_code_option =
            last.starts_with('-') && !last.starts_with("--") && last.ends_with(['c', 'e']);
        let first = rest.first().and_then(Word::known).unwrap_or_default();
        let first = first.rsplit('/').next().unwrap_or_default();
        let interprets = matches!(roles::of(first, true), Role::Shell | Role::Interpreter(_));
        if place.is_empty() && (runs_words(base) || (ends_with_code_option && interprets)) {
            self.unclear(
                UnclearWhat::Program,
                format!("`{name}` runs what stands in its input"),
                Some(by),
            );
        }
    }

    /// Returns the search that writes the standard input, if nothing else writes it.
    fn search_of_input(&self) -> Option<Arc<Run>> {
        match &self.input {
            Input::From(_, _, search) => search.clone(),
            _ => None,
        }
    }

    pub(super) fn parallel(&mut self, name: &str, args: &[Word], by: usize) {
        let read = read_options(&PARALLEL, args);
        if read.has("help version") {
            return;
        }
        self.check_options(&read, args, name, by);
        let rest = args.get(read.rest..).unwrap_or_default();
        let sources =
            rest.iter().position(|word| word.known().is_some_and(|text| text.starts_with(":::")));
        let template = rest.get(..sources.unwrap_or(rest.len())).unwrap_or_default();
        // `-I` gives the place another name.
        let named = read.value("I").map(Word::written).unwrap_or_default();
        let renamed: Vec<Word>;
        let template = if named.is_empty() {
            template
        } else {
            renamed = template.iter().map(|word| replace(word, &named, "{}")).collect();
            &renamed
        };
        if template.is_empty() {
            match sources {
                // `parallel ::: 'rm x' 'rm y'`: each word is code.
                Some(at) if rest.get(at).and_then(Word::known).as_deref() == Some(":::") => {
                    for code in rest.get(at + 1..).unwrap_or_default() {
                        self.run_by(name, |walker| {
                            walker.code_in_new_shell(code, by, None, None, &[])
                        });
                    }
                }
                _ => self.unclear(
                    UnclearWhat::Program,
                    format!("`{name}` runs what stands in its input"),
                    Some(by),
                ),
            }
            return;
        }
        let given = sources.and_then(|at| rest.get(at..)).unwrap_or_default();
        let known = values(given).filter(|_| !read.has(GROUPS));
        let from_input = sources.is_none() && !read.has("a arg-file");
        let remote = read.has("S sshlogin sshloginfile");
        let go = |walker: &mut Self| {
            walker.run_by(name, |walker| walker.template(template, known, from_input, by));
        };
        if remote { self.remotely(go) } else { go(self) }
    }

    /// Starts what `parallel` runs with each word of its sources; they are given if they are known.
    fn template(
        &mut self,
        template: &[Word],
        values: Option<&[Word]>,
        from_input: bool,
        by: usize,
    ) {
        let name = self.name_of(by);
        let has_place = template.iter().any(|word| {
            let written = word.written();
            PLACES.iter().any(|place| written.contains(place))
        });
        let is_code = |text: &str| text.contains(['|', ';', '&', ' ', '>', '<', '$']);
        if template.iter().filter_map(Word::known).any(|text| is_code(&text)) {
            // What is put in at a place is quoted: it is one word and no code. What is made of a word is not followed.
            let last = (!has_place).then(|| Word::text("{}"));
            let code = joined(template.iter().chain(&last));
            let code = PLACES.iter().fold(code, |code, place| {
                replace(&code, place, if *place == "{}" { "\"$1\"" } else { "\"$2\"" })
            });
            let unknown = fill(&Word::text("{}"), "{}", "");
            let values = values.filter(|values| !values.is_empty());
            for value in values.unwrap_or(std::slice::from_ref(&unknown)) {
                let positional = Some(vec![value.clone(), unknown.clone()]);
                self.code_in_new_shell(&code, by, None, positional, &[]);
            }
            return;
        }
        let words = match values.and_then(|values| with_values(template, values)) {
            Some(words) => words,
            None => {
                let filled = template.iter().map(|word| {
                    PLACES.iter().fold(word.clone(), |word, place| fill(&word, place, ""))
                });
                filled.collect()
            }
        };
        if words.first().is_some_and(|first| first.known().is_none()) {
            self.unclear(
                UnclearWhat::Program,
                format!("`{name}` runs what stands in its input"),
                Some(by),
            );
        }
        // Without a place the words come last.
        let more_args = !has_place && values.is_none();
        if more_args {
            self.injected(&name, &words, "", by);
        }
        let search = self.search_of_input().filter(|_| from_input);
        self.start(words, Launch { more_args, search, ..Launch::default() });
    }
}

/// Replaces a text in the known parts of a word.
fn replace(word: &Word, from: &str, to: &str) -> Word {
    let parts = word.parts.iter().map(|part| match part {
        WordPart::Text(text) => WordPart::Text(text.replace(from, to)),
        part => part.clone(),
    });
    Word { parts: parts.collect() }
}
