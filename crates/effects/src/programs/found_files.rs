//! The files that a search finds: those that `find -delete` removes, and those that `find -exec` and
//! `xargs` give to a program as words.

use super::reading::{Reading, read};
use super::role::PathRole;
use super::sink::Sink;
use crate::git_words::git_words;
use crate::options::Given;
use crate::paths::absolute;
use crate::run::Run;
use crate::shell_names::is_shell;
use crate::word::{Word, WordPart};

/// What a search finds, as far as its words say.
#[derive(Debug, Default)]
pub(super) struct FoundFiles {
    /// Where it begins.
    starts: Vec<Word>,
    /// The names that it is limited to, as globs; none means any.
    names: Vec<String>,
    /// Whether it leaves out files for other reasons: their age, their size.
    leaves_out: bool,
}

/// Returns what the words of a run were found by: one of the runs before it. `None` if they do not come from a
/// search that is read here.
pub(super) fn given_to(run: &Run, before: &[Run]) -> Option<FoundFiles> {
    if let Some(search) = &run.search {
        // In another folder the same names are other files.
        return if search.cwd == run.cwd { found_by(search) } else { None };
    }
    // `find -exec sh -c 'head "$1"' _ {}`: the shell hands on what it was given.
    let by = run.via.iter().rev().find(|by| !is_shell(by))?;
    let shell = run.via.last().filter(|last| *last != by);
    if let Some(shell) = shell
        && let Some(given) = before.iter().rev().find(|run| run.name().as_deref() == Some(shell))
        && let Some(search) = &given.search
    {
        return if search.cwd == run.cwd { found_by(search) } else { None };
    }
    let searches = is_find(by) || matches!(by.as_str(), "fd" | "fdfind");
    let search = before.iter().rev().find(|run| searches && run.name().as_deref() == Some(by))?;
    if shell.is_some() && search.cwd != run.cwd {
        return None;
    }
    found_by(search)
}

/// Whether a run writes names of files that it has found, and nothing else.
pub(crate) fn is_search(run: &Run) -> bool {
    const WRITES_MORE: [&str; 4] = ["-printf", "-fprintf", "-files0-from", "--format"];
    let writes_more =
        |word: &Word| WRITES_MORE.iter().any(|it| word.known_prefix().starts_with(it));
    !run.args.iter().any(writes_more) && found_by(run).is_some()
}

/// Whether each name that a search writes begins with the folder in which it was found: a file named like an option
/// is none then.
pub(crate) fn writes_folders(search: &Run) -> bool {
    let name = search.name();
    let name = name.as_deref().unwrap_or_default();
    let reading = read(search);
    let folders = match name {
        _ if is_find(name) => return true,
        "rg" if reading.options("files").next().is_some() => 0,
        "rg" | "grep" | "egrep" => 1,
        _ => return false,
    };
    reading.operands().count() > folders
}

fn is_find(name: &str) -> bool {
    matches!(name, "find" | "gfind")
}

/// Whether a program only leaves out or sorts the lines of its standard input.
pub(crate) fn is_filter(run: &Run) -> bool {
    let reading = read(run);
    let has = |names: &[&str]| names.iter().any(|name| reading.options(name).next().is_some());
    // Other options may cut a line, or add to it.
    let (plain, most): (&[&str], usize) = match run.name().as_deref() {
        Some("grep" | "egrep" | "rg") => {
            let in_option = has(&["e", "regexp", "f", "file"]);
            let plain: &[&str] = &[
                "v",
                "invert-match",
                "i",
                "ignore-case",
                "E",
                "F",
                "P",
                "w",
                "x",
                "e",
                "regexp",
                "f",
                "file",
                "z",
                "null-data",
                "m",
                "max-count",
                "a",
            ];
            (plain, usize::from(!in_option))
        }
        Some("sort") => (&["u", "r", "n", "V", "f", "z", "h", "unique", "reverse"], 0),
        Some("uniq") => (&["u", "d", "i"], 0),
        Some("head" | "tail") => (&["n", "lines", "q", "z"], 0),
        _ => return false,
    };
    let is_plain = |given: &Given<'_>| match given {
        Given::Option { name, .. } => {
            plain.contains(&name.as_ref()) || name.bytes().all(|digit| digit.is_ascii_digit())
        }
        Given::Operand { .. } => true,
        Given::Unknown { .. } => false,
    };
    run.redirects.is_empty()
        && !run.more_args
        && reading.given.iter().all(is_plain)
        && reading.operands().count() <= most
}

/// Whether `grep` may write a name for its standard input: `grep -l --label=NAME`.
fn may_name_input(run: &Run) -> bool {
    run.args
        .iter()
        .any(|word| word.known_prefix().starts_with("--la") || word.known().as_deref() == Some("-"))
}

/// Whether `grep` writes the names of files, and not what stands in them.
fn lists_names(reading: &Reading<'_>) -> bool {
    let names = ["l", "L", "files-with-matches", "files-without-match"];
    names.iter().any(|name| reading.options(name).next().is_some())
}

/// Whether this word of `fd` begins a program that gets what was found, alone or behind other letters: `-x`, `-HX`.
pub(crate) fn is_exec_of_fd(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(name) => matches!(name.split('=').next(), Some("exec" | "exec-batch")),
        None => word.starts_with('-') && word.ends_with(['x', 'X']),
    }
}

/// Options with which `fd` finds less, beside the ending of the name.
const LIMITS_OF_FD: &[&str] = &[
    "E",
    "exclude",
    "S",
    "size",
    "changed-within",
    "changed-before",
    "o",
    "owner",
    "d",
    "max-depth",
    "max-results",
    "1",
];

fn found_by(run: &Run) -> Option<FoundFiles> {
    let name = run.name()?;
    let mut found = match &*name {
        name if is_find(name) => found_by_find(run),
        "fd" | "fdfind" => {
            let words = run.args.iter().take_while(|word| !is_exec_of_fd(word.known_prefix()));
            let run = &Run { args: words.cloned().collect(), ..run.clone() };
            let reading = read(run);
            let endings = reading.options("e").chain(reading.options("extension")).flatten();
            let mut names: Vec<_> =
                endings.filter_map(Word::known).map(|ending| format!("*.{ending}")).collect();
            let pattern = reading.operands().next().and_then(Word::known).unwrap_or_default();
            // That it leaves out what git ignores and what begins with a dot is as little as with `rm -r *`.
            let takes_all = matches!(&*pattern, "" | "." | ".*");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            if names.is_empty() && !takes_all && pattern.chars().all(is_plain) {
                names.push(format!("*{pattern}*"));
            }
            FoundFiles {
                starts: reading.operands().skip(1).cloned().collect(),
                names,
                leaves_out: !takes_all
                    || LIMITS_OF_FD.iter().any(|it| reading.options(it).next().is_some()),
            }
        }
        "rg" if read(run).options("files").next().is_some() => {
            FoundFiles { starts: read(run).operands().cloned().collect(), ..FoundFiles::default() }
        }
        "rg" | "grep" | "egrep" if lists_names(&read(run)) && !may_name_input(run) => {
            let pattern = ["e", "regexp", "f", "file"];
            let in_option = pattern.iter().any(|name| read(run).options(name).next().is_some());
            let starts = read(run).operands().skip(usize::from(!in_option)).cloned().collect();
            FoundFiles { starts, ..FoundFiles::default() }
        }
        // A file is written as it was named, and what is in a folder without the folder.
        "ls" => {
            // Its options are many, and few have a word behind them: each word may be one of a file.
            let named =
                run.args.iter().filter(|word| !word.known_prefix().starts_with('-')).cloned();
            // With `-d`, and without folders among them, they are all.
            let lists_names = |word: &Word| {
                let text = word.known_prefix();
                text.starts_with('-') && !text.starts_with("--") && text.contains('d')
            };
            let here = (!run.args.iter().any(lists_names)).then(|| Word::text("."));
            FoundFiles { starts: named.chain(here).collect(), ..FoundFiles::default() }
        }
        "git" => tracked_files(run)?,
        _ => return None,
    };
    if found.starts.is_empty() {
        found.starts.push(Word::text("."));
    }
    for start in &mut found.starts {
        *start = absolute(start, run.cwd.as_deref());
    }
    Some(found)
}

/// The files of which git writes the names, if it does so.
fn tracked_files(run: &Run) -> Option<FoundFiles> {
    let words = git_words(&run.args);
    let (command, args) = words.split_first()?;
    let has = |option: &str| args.iter().any(|word| word.known().as_deref() == Some(option));
    let may_format = args.iter().any(|word| word.known_prefix().starts_with("--f"));
    let command = command.known();
    let lists_names = match command.as_deref() {
        Some("ls-files") => !may_format,
        Some("diff" | "ls-tree" | "diff-tree") => has("--name-only") && !may_format,
        Some("grep") => has("-l") || has("--files-with-matches") || has("--name-only"),
        _ => false,
    };
    if !lists_names {
        return None;
    }
    let mut found = FoundFiles { leaves_out: true, ..FoundFiles::default() };
    if command.as_deref() == Some("grep") {
        return Some(found);
    }
    // Without a glob it may be a commit, too.
    for word in args.iter().filter(|word| !word.known_prefix().starts_with('-')) {
        match word.known().filter(|word| word.contains(['*', '?', '['])) {
            Some(glob) => found.names.push(glob.into_owned()),
            None => found.starts.push(word.clone()),
        }
    }
    if !found.starts.is_empty() {
        found.starts.push(Word::text("."));
    }
    (found.starts.is_empty() || found.names.is_empty()).then_some(found)
}

/// Reads the words of `find`. Names count only where each of them must or may hold: not after `!`.
fn found_by_find(run: &Run) -> FoundFiles {
    let mut found = FoundFiles::default();
    let begins_test = |word: &&Word| word.known_prefix().starts_with(['-', '(', '!']);
    let args = run.args.get(options_of_find(run)..).unwrap_or_default();
    found.starts = args.iter().take_while(|word| !begins_test(word)).cloned().collect();
    let mut words = args.iter().skip(found.starts.len());
    let (mut ors, mut nots) = (0, false);
    while let Some(word) = words.next() {
        match word.known().as_deref() {
            Some("-name") => found.names.extend(words.next().map(Word::written)),
            Some("-o" | "-or") => ors += 1,
            Some("!" | "-not") => nots = true,
            Some("-type" | "-maxdepth" | "-mindepth") => {
                words.next();
            }
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => break,
            Some("-delete" | "-print" | "-print0" | "-depth" | "(" | ")" | "-a" | "-xdev") => {}
            _ => found.leaves_out = true,
        }
    }
    if nots || (!found.names.is_empty() && ors + 1 != found.names.len() && ors > 0) {
        found.names.clear();
        found.leaves_out = true;
    }
    found
}

/// How many words of `find` stand before the folders: `-L`, `-D search`, `-O3`.
pub(super) fn options_of_find(run: &Run) -> usize {
    let mut at = 0;
    while let Some(word) = run.args.get(at).and_then(Word::known) {
        match word.as_ref() {
            "-H" | "-L" | "-P" | "--" => at += 1,
            "-D" => at += 2,
            level if level.starts_with("-O") => at += 1,
            _ => break,
        }
    }
    at
}

/// Whether `find` goes into the folders that links lead to.
fn follows_links(run: &Run) -> bool {
    run.args.iter().any(|word| matches!(word.known().as_deref(), Some("-L" | "-follow")))
}

impl FoundFiles {
    /// Adds what is done with the files.
    pub(super) fn done(&self, role: PathRole, sink: &mut Sink<'_>) {
        let cwd = sink.run.cwd.as_deref().unwrap_or_default();
        let before: Vec<String> = sink.folders_before().collect();
        let stayed = self.starts.iter().flat_map(|start| {
            let rest = start.known().and_then(|start| start.strip_prefix(cwd).map(str::to_owned));
            rest.into_iter()
                .flat_map(|rest| before.iter().map(move |folder| format!("{folder}{rest}")))
        });
        let stayed: Vec<Word> = stayed.map(Word::text).collect();
        for start in self.starts.iter().chain(&stayed) {
            if self.names.is_empty() {
                // To read some files below a folder says as little about each of them as `grep -r` does.
                let reads = PathRole { reads: role.reads, below: true, ..PathRole::default() };
                sink.path(start, reads);
                // What is named may itself be a file.
                if start.known().as_deref() != sink.run.cwd.as_deref() {
                    sink.path(start, PathRole { below: false, ..reads });
                }
                let rest = PathRole { reads: false, ..role };
                if self.leaves_out {
                    sink.path(&below(start), rest);
                } else {
                    sink.path(start, PathRole { below: true, ..rest });
                }
            }
            // `*.env` takes `.env`, too.
            let bare = self.names.iter().filter_map(|name| name.strip_prefix('*'));
            let bare = bare.filter(|rest| rest.starts_with('.') && !rest.contains(['*', '?', '[']));
            for name in self.names.iter().map(String::as_str).chain(bare) {
                if role.deletes && is_of_git(start, name) {
                    sink.path(&file_in(start, &format!(".git/{name}")), role);
                }
                sink.path(&file_in(start, name), role);
                sink.path(&file_in(&below(start), name), role);
            }
        }
    }
}

/// Whether git has a file of this name in a folder. A search goes into `.git` as into any other folder, but most
/// names that people look for are not there; so the disk is asked.
fn is_of_git(folder: &Word, name: &str) -> bool {
    let is_name = !name.contains(['*', '?', '[', '/']);
    folder.known().is_some_and(|folder| {
        is_name && std::path::Path::new(&*folder).join(".git").join(name).exists()
    })
}

/// Anything below a folder.
fn below(start: &Word) -> Word {
    let mut path = start.clone();
    if start.known().is_none_or(|known| known != "/") {
        path.push(WordPart::Text("/".into()));
    }
    path.push(WordPart::Unknown { written: "**".into(), splits: false, plain: false });
    path
}

/// A file in a folder. That a `*` at the start of its name takes a dot is left out, as in a shell: nobody
/// means `.env.rs` by `*.rs`.
fn file_in(folder: &Word, name: &str) -> Word {
    let mut path = folder.clone();
    if folder.known().is_none_or(|known| known != "/") {
        path.push(WordPart::Text("/".into()));
    }
    for piece in name.split_inclusive(['*', '?', ']']) {
        let plain = piece.find(['*', '?', '[']).unwrap_or(piece.len());
        let (text, glob) = piece.split_at(plain);
        if !text.is_empty() {
            path.push(WordPart::Text(text.to_owned()));
        }
        if !glob.is_empty() {
            path.push(WordPart::Glob(glob.to_owned()));
        }
    }
    path
}

/// Adds what `find -delete` does.
pub(super) fn find(sink: &mut Sink<'_>) {
    let deletes = sink.run.args.iter().any(|word| word.known().as_deref() == Some("-delete"));
    if let Some(found) = found_by(sink.run).filter(|_| deletes && !only_empty(sink.run)) {
        if follows_links(sink.run) {
            let why = "`find` goes where the links that it finds lead".to_owned();
            sink.unclear(crate::effects::UnclearWhat::Deletes, why);
        }
        found.done(PathRole { deletes: true, ..PathRole::default() }, sink);
    }
}

/// Whether a search finds nothing but what is empty, so that nothing is lost with it: `-empty` stands before
/// `-delete`, and nothing weakens it.
fn only_empty(run: &Run) -> bool {
    let words: Vec<_> = run.args.iter().filter_map(Word::known).collect();
    let at = |name: &str| words.iter().position(|word| word == name);
    let weakens = ["-o", "-or", ",", "(", "-exec", "-execdir", "-ok", "-okdir"];
    let is_not = |word: &str| matches!(word, "!" | "-not");
    // Behind most tests stands their value: `-name -empty`.
    const NO_VALUE: [&str; 6] = ["-print", "-print0", "-depth", "-xdev", "-mount", "-empty"];
    let is_full = words.windows(2).any(|pair| match pair {
        [before, word] if &**word == "-empty" => {
            is_not(before) || (before.starts_with('-') && !NO_VALUE.contains(&&**before))
        }
        [before, word] => is_not(before) && is_not(word),
        _ => false,
    });
    words.len() == run.args.len()
        && !is_full
        && at("-empty").is_some_and(|empty| at("-delete").is_some_and(|delete| empty < delete))
        && !words.iter().any(|word| weakens.contains(&&**word))
}

/// Whether a word is nothing but what a search puts in its place: `{}`, also with its folder in front, or `$(find .)`.
pub(super) fn stands_for_found(word: &Word, run: &Run) -> bool {
    match word.parts.as_slice() {
        [WordPart::Unknown { written, .. }]
        | [WordPart::Text(_), WordPart::Unknown { written, .. }]
            if written.starts_with(['$', '`']) =>
        {
            run.search_word.as_ref() == Some(&word.written())
        }
        // In a shell, only the folder that the search itself has put before the name.
        [WordPart::Text(before), WordPart::Unknown { .. }]
            if before != "./" && run.via.last().is_some_and(|last| is_shell(last)) =>
        {
            false
        }
        [WordPart::Unknown { written, .. }]
        | [WordPart::Text(_), WordPart::Unknown { written, .. }] => {
            run.search_word.is_none() && !written.starts_with(['$', '`', '<', '>'])
        }
        _ => false,
    }
}
