//! What programs write: known for `echo` and `printf`, and from which kind of source otherwise.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::parameters::cut;
use super::syntax::{Escapes, unescape};
use super::walk::{Input, Walker};
use crate::programs;
use crate::run::{CodeFrom, Origin, RedirectKind, Run};
use crate::word::{Word, WordPart, writes_plain_words};

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
        // `$(cd FOLDER && pwd)`
        let silent = |run: &Run| run.name().as_deref() == Some("cd") && run.redirects.is_empty();
        let all = self.runs.get(first..).unwrap_or_default();
        let rest = all.iter().position(|run| !silent(run)).unwrap_or_default();
        if let [run] = all.get(rest..).unwrap_or_default() {
            let writes_file =
                run.redirects.iter().any(|redirect| redirect.kind != RedirectKind::Read);
            let text = written_by(run)
                .or_else(|| self.temporary_name(run))
                .or_else(|| self.top_folder(run));
            if let (Some(text), true) = (text, writes_file == to_file) {
                return Input::Piped(text);
            }
            if run.name().as_deref() == Some("cat")
                && run.args.is_empty()
                && writes_file == to_file
                && run.redirects.iter().all(|redirect| redirect.kind == RedirectKind::Write)
            {
                return input.clone();
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

    /// Returns the text of the one run since `first`, if it writes nothing but words that begin with no sign.
    pub(super) fn plain_words(&self, first: usize) -> Option<String> {
        let [run] = self.runs.get(first..).unwrap_or_default() else { return None };
        if run.origin != Origin::Text || run.renamed || !run.redirects.is_empty() {
            return None;
        }
        if programs::is_filter(run) {
            // What it cuts out of a word may begin with a sign.
            let cuts = |word: &Word| {
                let text = word.known_prefix();
                text == "--only-matching"
                    || (text.starts_with('-') && !text.starts_with("--") && text.contains('o'))
            };
            return self.piped_words.clone().filter(|_| !run.args.iter().any(cuts));
        }
        let words: Option<Vec<_>> = run.args.iter().map(Word::known).collect();
        let code = format!("{} {}", run.name()?, words?.join(" "));
        // `* main` and `  topic`: a sign of its own, and names.
        let lists = |word: &&str| {
            !word.starts_with('-') || ["--merged", "--no-merged", "-a", "-r"].contains(word)
        };
        let is_list = |rest: &str| {
            let mut words = rest.split(' ').filter(|word| !word.is_empty()).peekable();
            words.peek().is_none_or(|first| first.starts_with('-'))
                && words.all(|word| lists(&word))
        };
        let are_branches = code.strip_prefix("git branch ").is_some_and(is_list);
        (are_branches || writes_plain_words(&code)).then_some(code)
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

    /// The folder of the repository: `git rev-parse --show-toplevel`. That of the session, if it is not on this
    /// machine. Variables and settings of git may name another.
    fn top_folder(&self, run: &Run) -> Option<Word> {
        let ([command, option], false) = (run.args.as_slice(), run.renamed) else { return None };
        let asks = run.name()? == "git"
            && command.known()? == "rev-parse"
            && option.known()? == "--show-toplevel"
            && !run.env.iter().any(|(name, _)| name.starts_with("GIT_"))
            && !self.state.exported.iter().any(|name| name.starts_with("GIT_"));
        let sets = |run: &Run| {
            run.args.iter().any(|word| word.has_unknown() || word.written().contains("worktree"))
        };
        let is_set = self.runs.iter().any(|run| run.name().as_deref() == Some("git") && sets(run));
        let cwd = Path::new(run.cwd.as_deref().filter(|_| asks && !is_set)?);
        let top = cwd.ancestors().find(|folder| folder.join(".git").exists());
        let settings = top.and_then(|top| std::fs::read_to_string(top.join(".git/config")).ok());
        if settings.is_some_and(|settings| settings.to_ascii_lowercase().contains("worktree")) {
            return None;
        }
        Some(Word::text(format!("{}\n", top.unwrap_or(cwd).to_str()?)))
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

/// What `echo`, `printf` and `pwd` write; parts of it may be unknown. What is always one plain word, such as a date,
/// is told by a text that stands for it.
fn written_by(run: &Run) -> Option<Word> {
    match &*run.name()? {
        "echo" => Some(echo(&run.args)),
        "printf" => printf(&run.args),
        "pwd" if run.args.is_empty() => run.cwd.as_deref().map(Word::text),
        "date" if !run.renamed => date(&run.args),
        "basename" if !run.renamed => base_name(&run.args),
        "dirname" if !run.renamed => match run.args.as_slice() {
            [path] => ended(folder_name(path)?),
            _ => None,
        },
        "seq" if !run.renamed => {
            let is_number =
                |word: &Word| word.known().is_some_and(|word| word.parse::<u32>().is_ok());
            run.args.iter().all(is_number).then(|| Word::text("%seq\n"))
        }
        "git" if !run.renamed => commit(&run.args),
        "nproc" | "uuidgen" | "hostname" | "whoami" if !run.renamed && run.args.is_empty() => {
            Some(Word::text(format!("%{}\n", run.name()?)))
        }
        "id" | "uname" if !run.renamed => {
            let [option] = run.args.as_slice() else { return None };
            let option = option.known()?;
            let is_word = matches!(option.as_ref(), "-u" | "-g" | "-un" | "-s" | "-m" | "-r");
            is_word.then(|| Word::text(format!("%{}\n", run.name().unwrap_or_default())))
        }
        _ => None,
    }
}

/// The format of a date, if all that it can write are digits and what stands between them in names.
fn date(args: &[Word]) -> Option<Word> {
    let mut formats = args.iter().filter_map(|word| word.known_prefix().strip_prefix('+'));
    let format = formats.next().filter(|_| formats.next().is_none())?;
    if args.iter().any(|word| word.known().is_none()) {
        return None;
    }
    let mut rest = format;
    while let Some((between, after)) = rest.split_once('%') {
        let after = after.strip_prefix('-').unwrap_or(after);
        if !is_plain(between) || !after.starts_with(|sign| "YymdHMSsNFTjuwVUGgIC".contains(sign)) {
            return None;
        }
        rest = after.get(1..)?;
    }
    (is_plain(rest) && format.contains('%')).then(|| Word::text(format!("{format}\n")))
}

fn is_plain(between: &str) -> bool {
    between
        .chars()
        .all(|sign| sign.is_ascii_digit() || matches!(sign, '-' | '_' | '.' | ':' | 'T' | 'Z'))
}

/// Ends what is written with a line break.
fn ended(mut text: Word) -> Option<Word> {
    text.push(WordPart::Text("\n".to_owned()));
    Some(text)
}

/// What `basename PATH [ENDING]` writes.
fn base_name(args: &[Word]) -> Option<Word> {
    let (path, ending) = match args {
        [path] => (path, None),
        [path, ending] => (path, Some(ending.known()?)),
        _ => return None,
    };
    if ending.as_ref().is_some_and(|ending| ending.contains(['*', '%'])) {
        return None;
    }
    let is_plain = !path.known_prefix().starts_with('-');
    let path = cut(path, "%/").filter(|_| is_plain)?;
    let name = cut(&path, "##*/")?;
    match ending {
        Some(ending) => ended(cut(&name, &format!("%{ending}"))?),
        None => ended(name),
    }
}

/// What `dirname PATH` writes.
fn folder_name(path: &Word) -> Option<Word> {
    let has_slash =
        path.parts.iter().any(|part| matches!(part, WordPart::Text(text) if text.contains('/')));
    let ends_in_slash =
        matches!(path.parts.last(), Some(WordPart::Text(text)) if text.ends_with('/'));
    match path.known_prefix() {
        start if start.starts_with('-') || ends_in_slash => None,
        _ if has_slash => {
            let folder = cut(path, "%/*")?;
            Some(if folder.parts.is_empty() { Word::text("/") } else { folder })
        }
        _ if path.has_unknown() => None,
        _ => Some(Word::text(".")),
    }
}

/// The name of the commit that git is at: `git rev-parse --short HEAD`.
fn commit(args: &[Word]) -> Option<Word> {
    let words: Option<Vec<_>> = args.iter().map(Word::known).collect();
    let words = words?;
    let (first, rest) = words.split_first().filter(|(first, _)| first.as_ref() == "rev-parse")?;
    let is_option = |word: &str| word.starts_with("--short") || word == "--verify";
    let (last, options) = rest.split_last()?;
    let is_known =
        matches!(last.as_ref(), "HEAD" | "@") && options.iter().all(|word| is_option(word));
    is_known.then(|| Word::text(format!("%{first}\n")))
}

fn echo(args: &[Word]) -> Word {
    let mut escapes = false;
    let mut newline = true;
    let mut first = 0;
    for word in args {
        let Some(text) = word.known() else { break };
        let letters = text.strip_prefix('-').unwrap_or_default();
        if letters.is_empty() || !letters.chars().all(|letter| matches!(letter, 'n' | 'e' | 'E')) {
            break;
        }
        for letter in letters.chars() {
            match letter {
                'n' => newline = false,
                letter => escapes = letter == 'e',
            }
        }
        first += 1;
    }
    let mut written = Word::default();
    for (place, word) in args.iter().skip(first).enumerate() {
        if place > 0 {
            written.push(WordPart::Text(" ".to_owned()));
        }
        for part in &word.parts {
            written.push(match part {
                WordPart::Text(text) if escapes => WordPart::Text(unescape(text, Escapes::Echo)),
                // The names of files that match are not known.
                WordPart::Glob(glob) => WordPart::Unknown { written: glob.clone(), splits: true },
                part => part.clone(),
            });
        }
    }
    if newline {
        written.push(WordPart::Text("\n".to_owned()));
    }
    written
}

/// `printf` with no fewer words than its format asks for, and only `%s`, `%b`, `%d` and `%%`.
fn printf(args: &[Word]) -> Option<Word> {
    let (args, is_after_end) = match args {
        [end, rest @ ..] if end.known().as_deref() == Some("--") => (rest, true),
        args => (args, false),
    };
    let (format, mut values) =
        args.split_first().map(|(format, values)| (format, values.iter()))?;
    let format = format.known()?;
    if format.starts_with('-') && !is_after_end {
        return None;
    }
    let mut written = Word::default();
    loop {
        let left = values.len();
        printed(&format, &mut values, &mut written)?;
        if values.len() == 0 {
            return Some(written);
        }
        // The format is used again as long as it takes words. Only lines are followed so.
        if values.len() == left || !format.ends_with("\\n") {
            return None;
        }
    }
}

/// Prints a format once.
fn printed<'w>(
    format: &str,
    values: &mut impl Iterator<Item = &'w Word>,
    written: &mut Word,
) -> Option<()> {
    let mut rest = format;
    while let Some((plain, after)) = rest.split_once('%') {
        written.push(WordPart::Text(unescape(plain, Escapes::Printf)));
        let sign = after.chars().next()?;
        match sign {
            '%' => written.push(WordPart::Text("%".to_owned())),
            's' | 'd' | 'b' => {
                let value = values.next()?;
                for part in &value.parts {
                    written.push(match part {
                        WordPart::Text(text) if sign == 'b' => {
                            WordPart::Text(unescape(text, Escapes::Echo))
                        }
                        WordPart::Glob(glob) => {
                            WordPart::Unknown { written: glob.clone(), splits: true }
                        }
                        part => part.clone(),
                    });
                }
            }
            _ => return None,
        }
        rest = after.get(sign.len_utf8()..)?;
    }
    written.push(WordPart::Text(unescape(rest, Escapes::Printf)));
    Some(())
}
