//! What programs write: known for `echo` and `printf`, and from which kind of source otherwise.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::walk::{Input, Walker};
use crate::plain_words::{WRITERS, lists_branches, passes_lines, writes_plain_words};
use crate::programs;
use crate::run::{CodeFrom, Origin, Output, RedirectKind, Run};
use crate::word::Word;

mod known;

use known::{writes_one_word, written_by};

/// Programs that write what comes from the network.
const NETWORK: [&str; 22] = [
    "curl",
    "wget",
    "http",
    "https",
    "xh",
    "xhs",
    "curlie",
    "aria2c",
    "axel",
    "lynx",
    "w3m",
    "links",
    "fetch",
    "ftp",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ssh",
    "rsync",
    "lwp-request",
];

/// Programs that write something else than they read.
const DECODERS: [&str; 38] = [
    "base64", "base32", "basenc", "xxd", "openssl", "gpg", "gpg2", "age", "sops", "gunzip", "gzip",
    "zcat", "bunzip2", "bzip2", "bzcat", "unxz", "xz", "xzcat", "zstd", "zstdcat", "unzstd", "lz4",
    "brotli", "uudecode", "rev", "tr", "sed", "awk", "gawk", "perl", "python", "python3", "node",
    "ruby", "php", "od", "hexdump", "jq",
];

impl Walker<'_> {
    /// Says what the runs since `first` write, which themselves read `input`.
    pub(super) fn output_of(&self, first: usize, input: &Input) -> Input {
        self.output(first, input, false)
    }

    /// Says what the runs since `first` write to their files.
    pub(super) fn written_output(&self, first: usize, input: &Input) -> Input {
        self.output(first, input, true)
    }

    fn output(&self, first: usize, input: &Input, to_file: bool) -> Input {
        let runs = self.runs.get(first..).unwrap_or_default();
        let runs = || runs.iter().filter(|run| run.origin == Origin::Text);
        let named = |names: &[&str]| {
            runs().find_map(|run| run.name().filter(|name| names.contains(&&**name)))
        };
        if let Some(name) = named(&NETWORK) {
            return Input::From(CodeFrom::Network, name.into_owned(), None);
        }
        if let Input::From(CodeFrom::Network, name, _) = input {
            return Input::From(CodeFrom::Network, name.clone(), None);
        }
        // `cat <(curl …)`
        let read = runs().flat_map(|run| &run.args).filter_map(|word| self.source_of(word));
        if let Some(from) = read.reduce(|a, b| if a == CodeFrom::Network { a } else { b }) {
            let name = runs().next_back().and_then(Run::name).unwrap_or_default();
            return Input::From(from, name.into_owned(), None);
        }
        if let [run] = self.runs.get(first..).unwrap_or_default() {
            let writes_file =
                run.redirects.iter().any(|redirect| redirect.kind != RedirectKind::Read);
            let text = written_by(run)
                .or_else(|| self.temporary_name(run))
                .or_else(|| self.top_folder(run));
            // `echo x >&2`
            let is_led_away = !to_file && run.output != Output::Shown;
            if let (Some(text), true) = (text, writes_file == to_file && !is_led_away) {
                return Input::Piped(text);
            }
            if let Some((_, passed)) = self.passed.as_ref().filter(|(at, _)| *at == first)
                && writes_file == to_file
            {
                return passed.clone();
            }
        }
        if let Some(name) = named(&DECODERS) {
            return Input::From(CodeFrom::Decoded, name.into_owned(), None);
        }
        if let Input::From(CodeFrom::Decoded, name, _) = input {
            return Input::From(CodeFrom::Decoded, name.clone(), None);
        }
        let name = runs()
            .next_back()
            .and_then(Run::name)
            .map_or_else(|| "the command before".to_owned(), Cow::into_owned);
        Input::From(CodeFrom::Stdin, name, self.search(first, input))
    }

    /// Returns the text of the one run since `first`, if it writes nothing but words that are no options; of the one
    /// before it, if it only passes lines on.
    pub(super) fn plain_words(&self, first: usize) -> Option<String> {
        let [run] = self.runs.get(first..).unwrap_or_default() else { return None };
        if run.origin != Origin::Text || run.renamed || !run.redirects.is_empty() {
            return None;
        }
        let is_grep = |name: &str| matches!(name, "grep" | "egrep" | "fgrep");
        let name = run.name().filter(|name| WRITERS.contains(&name.as_ref()) || is_grep(name))?;
        let words: Option<Vec<_>> = run.args.iter().map(Word::known).collect();
        let words = words?;
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        if is_grep(&name) {
            return self.piped_words.clone().filter(|_| passes_lines(&words));
        }
        let code = format!("{name} {}", words.join(" "));
        (writes_plain_words(&code) || lists_branches(code.trim_end())).then_some(code)
    }

    /// Whether the one run since `first` writes one plain word, or nothing.
    pub(super) fn is_one_word(&self, first: usize) -> bool {
        let [run] = self.runs.get(first..).unwrap_or_default() else { return false };
        run.origin == Origin::Text && writes_one_word(run)
    }

    /// Returns the search whose names the runs since `first` write, if one does and nothing else.
    pub(super) fn search(&self, first: usize, input: &Input) -> Option<Arc<Run>> {
        let [run] = self.runs.get(first..).unwrap_or_default() else { return None };
        let reads_file = run.redirects.iter().any(|redirect| redirect.kind != RedirectKind::Write);
        match input {
            _ if reads_file || run.origin != Origin::Text => None,
            Input::From(_, _, search) if programs::is_filter(run) => search.clone(),
            _ if programs::is_search(run) => Some(Arc::new(run.clone())),
            _ => None,
        }
    }

    /// The folder of the repository, or that of its history: `git rev-parse --show-toplevel`, `--git-dir`. That of the session, if it is not on this
    /// machine. Variables and settings of git may name another.
    fn top_folder(&self, run: &Run) -> Option<Word> {
        let ([command, option], false) = (run.args.as_slice(), run.renamed) else { return None };
        let asks = run.name()? == "git"
            && command.known()? == "rev-parse"
            && matches!(&*option.known()?, "--show-toplevel" | "--git-dir")
            && run.redirects.is_empty();
        let sets = |run: &Run| {
            let names = |word: &Word| word.has_unknown() || word.written().contains("worktree");
            let is_git = run.name().as_deref() == Some("git") && run.args.iter().any(names);
            is_git || run.env.iter().any(|(name, _)| name.starts_with("GIT_"))
        };
        let is_set = self.runs.iter().any(sets)
            || self.state.variables.keys().any(|name| name.starts_with("GIT_"));
        let cwd = run.cwd.as_deref().filter(|_| asks && !is_set)?;
        let folder = Path::new(cwd);
        let top = folder.ancestors().find(|folder| folder.join(".git").exists());
        let is_elsewhere = !folder.is_dir() && self.around.cwd.as_deref() == Some(cwd);
        let top = top.or_else(|| is_elsewhere.then_some(folder))?;
        let settings = std::fs::read_to_string(top.join(".git/config")).unwrap_or_default();
        if settings.to_ascii_lowercase().contains("worktree") {
            return None;
        }
        if option.known()? == "--show-toplevel" {
            return Some(Word::text(format!("{}\n", top.to_str()?)));
        }
        let history = top.join(".git");
        // In the folder itself git writes the name alone, which another folder would not find.
        let written = if top == folder { ".git" } else { history.to_str()? };
        (is_elsewhere || history.is_dir()).then(|| Word::text(format!("{written}\n")))
    }

    /// What `mktemp` writes where it makes a file or a folder in the one for temporary files: its template stands for
    /// the name. Elsewhere it may fail and write nothing, and so it may if the line sets that folder.
    fn temporary_name(&self, run: &Run) -> Option<Word> {
        if run.name()? != "mktemp"
            || self.state.variables.contains_key("TMPDIR")
            || !run.env.is_empty()
        {
            return None;
        }
        let mut template = None;
        let mut is_below = false;
        for word in &run.args {
            let word = word.known()?;
            match word.as_ref() {
                "-d" | "--directory" | "-q" | "--quiet" => {}
                "-t" | "--tmpdir" => is_below = true,
                name if !name.starts_with('-') && template.is_none() => template = Some(word),
                _ => return None,
            }
        }
        let name = match template.as_deref() {
            None => "tmp.XXXXXXXXXX",
            Some(name) if is_below => name,
            Some(name) => name.strip_prefix("/tmp/")?,
        };
        let is_plain = name.ends_with("XXX") && !name.contains('/') && !name.starts_with('.');
        is_plain.then(|| Word::text(format!("{TEMPORARY}{name}\n")))
    }
}

const TEMPORARY: &str = "/tmp/";

/// Returns whether a text is a name that `mktemp` makes: one word, whose last letters are still to be chosen.
pub(super) fn is_temporary_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    text.strip_prefix(TEMPORARY)
        .is_some_and(|name| name.ends_with("XXX") && name.chars().all(is_plain))
}
