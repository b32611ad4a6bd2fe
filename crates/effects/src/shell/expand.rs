//! Expands words as far as they are known before the command runs.

use std::sync::Arc;

use super::braces;
use super::output::is_temporary_name;
use super::syntax::tree::{Kind, List, Piece, Substitution, Word as Written};
use super::walk::{Input, Walker};
use crate::plain_words::writes_plain_words;
use crate::run::{CodeFrom, Run};
use crate::word::{Word, WordPart};

/// The most computed texts that are remembered. With so many all code counts as computed.
pub(super) const MOST_COMPUTED: usize = 32;

/// Words while they are put together: an unquoted blank of a value ends one.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) done: Vec<Word>,
    current: Word,
    /// Whether the word counts even if it is empty: it has quotes.
    counts: bool,
}

impl Fields {
    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.current.push(WordPart::Text(text.to_owned()));
        }
        self.counts = true;
    }

    pub(super) fn glob(&mut self, glob: &str) {
        // `https://x.org/?a=1`, `localhost:80/?a=1`: no file fits it, so that the shell leaves it as it is.
        let part = match is_address(self.current.known_prefix()) {
            true => WordPart::Text(glob.to_owned()),
            false => WordPart::Glob(glob.to_owned()),
        };
        self.current.push(part);
        self.counts = true;
    }

    pub(super) fn unknown(&mut self, written: &str, splits: bool) {
        self.part(written.to_owned(), splits, false);
    }

    fn part(&mut self, written: String, splits: bool, plain: bool) {
        self.current.push(WordPart::Unknown { written, splits, plain });
        self.counts = true;
    }

    pub(super) fn end_word(&mut self) {
        if self.counts {
            self.done.push(std::mem::take(&mut self.current));
        }
        self.counts = false;
    }

    /// Adds a value that stands without quotes: it is split at blanks, and globs in it count.
    pub(super) fn split(&mut self, value: &Word) {
        for part in &value.parts {
            match part {
                WordPart::Text(text) => self.split_text(text),
                WordPart::Glob(glob) => self.glob(glob),
                WordPart::Unknown { written, plain, .. } => {
                    self.part(written.clone(), true, *plain);
                }
            }
        }
    }

    fn split_text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let blank = |sign: char| matches!(sign, ' ' | '\t' | '\n');
            if rest.starts_with(blank) {
                self.end_word();
                rest = rest.trim_start_matches(blank);
                continue;
            }
            let length = rest.find(blank).unwrap_or(rest.len());
            let piece = rest.get(..length).unwrap_or_default();
            let plain = piece.find(['*', '?', '[']).unwrap_or(piece.len());
            let (text, glob) = piece.split_at(plain);
            if !text.is_empty() {
                self.text(text);
            }
            if !glob.is_empty() {
                self.glob(glob);
            }
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// Adds a value that stands in quotes. A glob in it was expanded when the variable got it (`for f in *`), so it
    /// stands for one of its names.
    pub(super) fn whole(&mut self, value: &Word) {
        self.counts = true;
        for part in &value.parts {
            match part {
                WordPart::Text(text) => self.text(text),
                WordPart::Glob(glob) => self.glob(glob),
                WordPart::Unknown { written, plain, .. } => {
                    self.part(written.clone(), false, *plain);
                }
            }
        }
    }
}

/// The code in `$(…)` or backticks.
fn inside_of(written: &str) -> &str {
    let inside = written.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    inside.unwrap_or_else(|| written.trim_matches('`')).trim()
}

fn is_grep(run: &Run) -> bool {
    run.name().is_some_and(|name| matches!(&*name, "grep" | "egrep" | "rg"))
}

/// Whether a text begins with a host and a `/` behind it.
fn is_address(text: &str) -> bool {
    let scheme = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let has_port = |host: &str| {
        host.split_once(':').is_some_and(|(name, port)| {
            !name.is_empty() && !port.is_empty() && port.bytes().all(|sign| sign.is_ascii_digit())
        })
    };
    match scheme {
        Some(address) => address.contains('/'),
        None => text.split_once('/').is_some_and(|(host, _)| has_port(host)),
    }
}

/// Makes globs of a word mean anything, as far as it is known.
fn means_dot_names(word: &mut Word) {
    for part in &mut word.parts {
        if let WordPart::Glob(written) = part {
            *part =
                WordPart::Unknown { written: std::mem::take(written), splits: true, plain: false };
        }
    }
}

impl Walker<'_> {
    /// Expands a word of a command: it may become several words, or none.
    pub(super) fn fields(&mut self, written: &Written, into: &mut Vec<Word>) {
        if let Some(text) = written.bare() {
            // The common case: nothing to expand.
            if !text.contains(['{', '~', '=']) {
                self.spend(1);
                into.push(Word::text(text));
                return;
            }
        }
        if !self.spend(1) {
            return;
        }
        match braces::expand(written) {
            braces::Expansion::None => self.one_word(written, into),
            braces::Expansion::Words(words) => {
                for word in &words {
                    if !self.spend(8 + word.pieces.len()) {
                        return;
                    }
                    self.one_word(word, into);
                }
            }
            braces::Expansion::TooMany(shown) => {
                // It took as long as to make most of the words.
                self.spend(128);
                self.commands_in(written);
                into.push(Word::unknown(shown, true));
            }
        }
    }

    fn one_word(&mut self, written: &Written, into: &mut Vec<Word>) {
        self.spend(1 + written.pieces.len());
        let mut fields = Fields::default();
        for (place, piece) in written.pieces.iter().enumerate() {
            match piece {
                Piece::Bare(text) => {
                    let is_last = place + 1 == written.pieces.len();
                    self.bare(text, place == 0, is_last, &mut fields);
                }
                piece => self.piece(piece, true, &mut fields),
            }
        }
        fields.end_word();
        if self.state.dot_names {
            fields.done.iter_mut().for_each(means_dot_names);
        }
        into.append(&mut fields.done);
    }

    /// Expands a word that stays one: an assignment, a here-string, the target of a redirection.
    pub(super) fn single(&mut self, written: &Written) -> Word {
        self.spend(1 + written.pieces.len());
        let mut fields = Fields::default();
        for (place, piece) in written.pieces.iter().enumerate() {
            match piece {
                Piece::Bare(text) => {
                    let is_last = place + 1 == written.pieces.len();
                    self.bare(text, place == 0, is_last, &mut fields);
                }
                piece => self.piece(piece, false, &mut fields),
            }
        }
        fields.current
    }

    /// Unquoted text: a tilde at its beginning is a home folder.
    fn bare(&mut self, text: &str, is_first: bool, is_last: bool, fields: &mut Fields) {
        let mut rest = text;
        if is_first {
            // After `=` of an assignment-like word, too: `dd of=~/x`.
            if let Some((name, value)) = text.split_once('=')
                && value.starts_with('~')
            {
                fields.text(name);
                fields.text("=");
                rest = value;
            }
            if rest.starts_with('~') {
                let length = rest.find('/').unwrap_or(rest.len());
                let prefix = rest.get(..length).unwrap_or_default();
                if length < rest.len() || is_last {
                    match (prefix, self.home(), self.state.cwd.clone()) {
                        ("~", Some(home), _) => fields.whole(&home),
                        ("~+", _, Some(cwd)) => fields.text(&cwd),
                        _ => fields.unknown(prefix, false),
                    }
                    rest = rest.get(length..).unwrap_or_default();
                    if rest.is_empty() {
                        return;
                    }
                }
            }
        }
        fields.text(rest);
    }

    /// Adds a piece that is no unquoted text. What is not quoted is split if `splits`.
    pub(super) fn piece(&mut self, piece: &Piece, splits: bool, fields: &mut Fields) {
        // What stands in a word may be looked at more than once, and so may what stands in that: `${a:${b:${c:1}}}`.
        if self.exhausted {
            fields.unknown("", splits);
            return;
        }
        match piece {
            Piece::Bare(text) | Piece::Quoted(text) => fields.text(text),
            Piece::Glob(glob) if splits => fields.glob(glob),
            Piece::Glob(text) => fields.text(text),
            Piece::Parameter(parameter) => self.parameter(parameter, splits, fields),
            Piece::Command(inside) => {
                let value = self.substituted(inside);
                if inside.quoted || !splits {
                    fields.whole(&value);
                } else {
                    fields.split(&value);
                }
            }
            Piece::Process(inside) => {
                let from = self.process(inside);
                self.sources.insert(inside.written.clone(), from);
                fields.unknown(&inside.written, false);
            }
            Piece::Arithmetic(inside) => {
                self.arithmetic(&inside.0);
                fields.unknown(&inside.1, false);
            }
        }
    }

    /// Goes through `$(…)` and returns what it stands for: known for `echo` and `printf` of known words.
    fn substituted(&mut self, inside: &Substitution) -> Word {
        let first_run = self.runs.len();
        self.in_subshell(|walker| walker.apart(|walker| walker.list(&inside.list)));
        let written = inside.written.as_str();
        // One command, which surely runs.
        let is_simple = match inside.list.as_slice() {
            [item] => {
                matches!(item.pipeline.commands.as_slice(), [command] if matches!(command.kind, Kind::Simple(_)))
            }
            _ => false,
        };
        self.note_shell_setup(first_run, written);
        let search = self.search_of(&inside.list, first_run);
        let known = self.searches.entry(written.to_owned()).or_insert_with(|| search.clone());
        if *known != search {
            *known = None;
        }
        if is_simple && self.is_one_word(first_run) {
            let written = written.to_owned();
            return Word { parts: vec![WordPart::Unknown { written, splits: false, plain: true }] };
        }
        // A function of this name may write anything.
        if writes_plain_words(inside_of(written)) && self.plain_words(first_run).is_none() {
            return Word::unknown(format!("{written};"), true);
        }
        match self.output_of(first_run, &Input::Session) {
            // What it writes may be left out.
            Input::Piped(_) if !is_simple => Word::unknown(written, true),
            Input::Piped(text) if text.known().is_some() => {
                let text = text.known().unwrap_or_default();
                let text = text.trim_end_matches('\n').to_owned();
                // A name that `mktemp` has made up is no code.
                let is_made = is_temporary_name(&text);
                if !text.is_empty() && !is_made && self.computed.len() < MOST_COMPUTED {
                    self.computed.push(text.clone());
                }
                Word::text(text)
            }
            // `$(basename "$f")` of a file that a star names.
            Input::Piped(text) if !text.has_unknown() && !text.parts.is_empty() => {
                let mut text = text;
                if let Some(WordPart::Text(last)) = text.parts.last_mut() {
                    last.truncate(last.trim_end_matches('\n').len());
                }
                text.parts.retain(|part| !matches!(part, WordPart::Text(text) if text.is_empty()));
                text
            }
            Input::From(from, ..) => {
                if from != CodeFrom::Stdin {
                    self.sources.insert(written.to_owned(), from);
                }
                Word::unknown(written, true)
            }
            _ => Word::unknown(written, true),
        }
    }

    /// Returns the search whose names a list writes, if it is one pipeline.
    fn search_of(&mut self, list: &List, first_run: usize) -> Option<Arc<Run>> {
        let piped = self.piped_search.take();
        let [item] = list.as_slice() else { return None };
        match item.pipeline.commands.as_slice() {
            [_] => self.search(first_run, &Input::Session),
            // `grep` may let through the very names that a pattern means.
            _ => piped.filter(|_| !self.runs.iter().skip(first_run + 1).any(is_grep)),
        }
    }

    /// Goes through `<(…)` or `>(…)`.
    fn process(&mut self, inside: &Substitution) -> CodeFrom {
        let first_run = self.runs.len();
        let is_read_there = inside.written.starts_with('>');
        self.in_subshell(|walker| {
            if is_read_there {
                walker.input = Input::From(CodeFrom::Stdin, "the command".to_owned(), None);
            }
            walker.apart(|walker| walker.list(&inside.list));
        });
        self.note_shell_setup(first_run, &inside.written);
        match self.output_of(first_run, &Input::Session) {
            Input::From(from, ..) => from,
            _ => CodeFrom::Stdin,
        }
    }

    /// Goes through all commands in a word whose value does not matter.
    pub(super) fn commands_in(&mut self, written: &Written) {
        let mut fields = Fields::default();
        for piece in &written.pieces {
            if !matches!(piece, Piece::Bare(_) | Piece::Quoted(_) | Piece::Glob(_)) {
                self.piece(piece, false, &mut fields);
            }
        }
    }

    /// Goes through an arithmetic expression. It may change variables.
    pub(super) fn arithmetic(&mut self, inside: &Written) {
        let text = self.single(inside);
        self.evaluated(&text, None);
        for piece in &inside.pieces {
            let Piece::Bare(text) = piece else { continue };
            if !text.contains('=') && !text.contains("++") && !text.contains("--") {
                continue;
            }
            for name in text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_') {
                if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
                    self.change().forget(name);
                }
            }
        }
    }
}
