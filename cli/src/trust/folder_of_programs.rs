//! Programs that run what they find in a folder: the files there are what is run.

use std::fs;
use std::path::{Path, PathBuf};

use hookgate::effects::Run;

/// How many files of a folder are looked at.
const MOST: usize = 500;

/// How deep it goes.
const DEEPEST: usize = 8;

/// Programs that run all files of the folder that is their last operand.
const RUN_ALL: &[&str] = &["run-parts"];

/// Programs whose rules are files of a folder, and the options that name it or such a file.
const RUN_RULES: &[(&[&str], &[&str])] = &[
    (
        &["make", "gmake", "just", "rake", "ninja"],
        &["-C", "--directory", "-f", "--file", "--justfile"],
    ),
    (&["npm", "pnpm", "yarn", "bun", "npx", "bunx"], &["--prefix", "-C", "--dir", "--cwd"]),
    (&["go"], &["-C"]),
    (&["cargo"], &["--manifest-path"]),
    (
        &["mvn", "gradle", "ant", "composer", "invoke", "fab", "nox", "tox", "mise", "task"],
        &["-f", "-p", "-d"],
    ),
];

/// Verbs of such programs that only show something.
const SHOWS: &[&str] = &["--version", "-v", "-V", "--help", "version", "help"];

/// Returns the folder whose files a program runs, or what it would run if that is not known; `None` if it runs none.
pub(super) fn run_folder(run: &Run, here: &Path) -> Option<Result<PathBuf, String>> {
    let name = run.name()?;
    let words: Vec<_> = run.args.iter().map(|word| word.known()).collect();
    let at = |word: &str| here.join(word);
    if RUN_ALL.contains(&&*name) {
        let last = words.iter().rev().flatten().find(|word| !word.starts_with('-'));
        return Some(match last {
            Some(folder) => Ok(at(folder)),
            None => Err("the files of a folder that is not known before".to_owned()),
        });
    }
    let (_, options) = RUN_RULES.iter().find(|(names, _)| names.contains(&&*name))?;
    if words.iter().flatten().any(|word| SHOWS.contains(&word.as_ref())) {
        return None;
    }
    let value = words.iter().enumerate().find_map(|(index, word)| {
        let word = word.as_deref()?;
        let next = || words.get(index + 1)?.as_deref().map(str::to_owned);
        options.iter().find_map(|option| {
            let rest = word.strip_prefix(option)?;
            match rest.strip_prefix('=').unwrap_or(rest) {
                "" => next(),
                // `-Cfolder`, but not `--directory-of`.
                value if rest.starts_with('=') || !option.starts_with("--") => {
                    Some(value.to_owned())
                }
                _ => None,
            }
        })
    });
    Some(match value {
        Some(named) if at(&named).is_file() => Ok(at(&named).parent().unwrap_or(here).to_owned()),
        Some(named) => Ok(at(&named)),
        None => Err("the rules of the folder that a session is in".to_owned()),
    })
}

/// Returns all files below a folder; `None` if they are too many, or cannot be listed.
pub(super) fn files_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    add_below(folder, 0, &mut files)?;
    Some(files)
}

fn add_below(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Option<()> {
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        if path.is_dir() {
            if depth >= DEEPEST {
                return None;
            }
            add_below(&path, depth + 1, files)?;
        } else {
            files.push(path);
        }
        if files.len() > MOST {
            return None;
        }
    }
    Some(())
}

/// Returns the files that a pattern of a shell may mean: those whose names begin as it does, so that one which is added
/// later counts, too. `None` if they cannot be listed. Only the name of the file may be a pattern.
pub(super) fn matching(pattern: &Path) -> Option<Vec<PathBuf>> {
    const WILD: [char; 4] = ['*', '?', '[', '{'];
    let (folder, name) = (pattern.parent()?, pattern.file_name()?.to_str()?);
    if folder.to_string_lossy().contains(WILD) {
        return None;
    }
    let start = name.split(WILD).next().unwrap_or_default();
    let entries = fs::read_dir(folder).ok()?.collect::<Result<Vec<_>, _>>().ok()?;
    let begins = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(start);
    let meant = entries.into_iter().filter(|entry| begins(&entry.file_name()));
    Some(meant.map(|entry| entry.path()).filter(|path| !path.is_dir()).collect())
}
