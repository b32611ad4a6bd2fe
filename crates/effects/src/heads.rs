//! What may be checked out where a program works, when it runs: what the files of the repository say, and what
//! the line has changed before.

use std::path::{Path, PathBuf};

use hookgate_contract::Head;
use hookgate_git::{Repository, Settings};

use crate::checkout::{CheckedOut, Checkout, GitFiles, GitPlace, When};
use crate::run::Run;

/// Which repository a place is in.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Where {
    /// One that is there.
    Found(Repository),
    /// One that an earlier change makes in a folder, whose place in the list this is.
    Made(usize),
    /// None.
    Nowhere,
    /// It is not known, and why.
    Unknown(String),
}

/// Whether a change succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Success {
    Sure,
    Open,
    Never,
}

/// What may be checked out at a place after some changes, without repetition and never empty.
#[must_use]
pub(crate) fn heads(place: &GitPlace, checkouts: &[Checkout], home: Option<&str>) -> Vec<Head> {
    let here = find(place, checkouts);
    let mut possible = vec![first_head(&here, checkouts, home)];
    let mut outcomes = Vec::with_capacity(checkouts.len());
    // Names that changes have made since the files were read.
    let mut made: Vec<String> = Vec::new();
    for (at, checkout) in checkouts.iter().enumerate() {
        let there = find(&checkout.place, checkouts.get(..at).unwrap_or_default());
        let is_here = match (&here, &there) {
            (Where::Unknown(_), _) | (_, Where::Unknown(_)) => None,
            (here, there) => Some(is_same(here, there)),
        };
        let makes_other =
            matches!(checkout.to, CheckedOut::Repository { .. } | CheckedOut::Worktree { .. });
        if is_here == Some(false) || makes_other {
            outcomes.push(Success::Open);
            continue;
        }
        let (success, head) = effect_of(&checkout.to, &there, &possible, &made, home);
        if let (Some(Head::Branch(name)), true) =
            (&head, matches!(checkout.to, CheckedOut::Created { .. }))
        {
            made.push(name.clone());
        }
        outcomes.push(if checkout.when == When::Always { success } else { Success::Open });
        let Some(head) = head else { continue };
        let runs = match checkout.when {
            When::Always => Success::Sure,
            When::Perhaps => Success::Open,
            When::IfFailed(first) => match outcomes.get(first) {
                Some(Success::Sure) => Success::Never,
                Some(Success::Never) => Success::Sure,
                _ => Success::Open,
            },
        };
        // Where its folder is not there, a `cd` before may have failed.
        let is_there = || checkout.place.folder.as_deref().is_some_and(|at| Path::new(at).is_dir());
        let surely =
            checkout.succeeded || (runs == Success::Sure && success == Success::Sure && is_there());
        if surely && is_here == Some(true) {
            possible = vec![head];
        } else if runs != Success::Never && success != Success::Never && !possible.contains(&head) {
            possible.push(head);
        }
    }
    possible
}

/// Whether a run works in the folder that the line says: a `cd` that nobody asks about fails if its folder is
/// not there.
pub(crate) fn is_there(run: &Run) -> bool {
    run.stays_in().is_empty()
}

/// What may be checked out where a run works.
pub(crate) fn heads_of(run: &Run, home: Option<&str>) -> Vec<Head> {
    let mut all = heads(&GitPlace::of(run), &run.checkouts, home);
    for cwd in run.stays_in() {
        let stayed = Run { cwd, ..run.clone() };
        for head in heads(&GitPlace::of(&stayed), &run.checkouts, home) {
            if !all.contains(&head) {
                all.push(head);
            }
        }
    }
    all
}

fn is_same(one: &Where, other: &Where) -> bool {
    match (one, other) {
        // Each working folder has its own branch.
        (Where::Found(one), Where::Found(other)) => one.own_folder() == other.own_folder(),
        (one, other) => one == other,
    }
}

/// Finds the repository of a place, of which an earlier change may make it.
pub(crate) fn repository(place: &GitPlace) -> Result<Option<Repository>, String> {
    match &place.files {
        GitFiles::Unknown(why) => Err(why.clone()),
        GitFiles::In(folder) => Repository::at(Path::new(folder)),
        GitFiles::OfFolder => match &place.folder {
            // Where it is depends on a process that is not this one.
            Some(folder) if !Path::new(folder).is_absolute() => {
                Err(format!("the folder `{folder}` in which it works is not absolute"))
            }
            Some(folder) => Repository::find(Path::new(folder)),
            None => Err("the folder in which it works is not known before it runs".to_owned()),
        },
    }
}

fn find(place: &GitPlace, checkouts: &[Checkout]) -> Where {
    // With the files named, it is the repository of that folder, and of none above.
    let (folder, above) = match (&place.files, &place.folder) {
        (GitFiles::OfFolder, folder) => (folder.as_deref().map(Path::new), true),
        (GitFiles::In(files), _) => {
            let files = Path::new(files);
            (if files.ends_with(".git") { files.parent() } else { Some(files) }, false)
        }
        (GitFiles::Unknown(_), _) => (None, false),
    };
    if let Some(folder) = folder {
        let makes = |checkout: &Checkout| match &checkout.to {
            CheckedOut::Repository { folder: made, .. }
            | CheckedOut::Worktree { folder: made, .. } => {
                let made_here = folder == Path::new(made) || (above && folder.starts_with(made));
                made_here && !is_repository(made)
            }
            _ => false,
        };
        if let Some(at) = checkouts.iter().rposition(makes) {
            return Where::Made(at);
        }
    }
    match repository(place) {
        Ok(Some(repository)) => Where::Found(repository),
        Ok(None) => Where::Nowhere,
        Err(why) => Where::Unknown(why),
    }
}

fn is_repository(folder: &str) -> bool {
    let git: PathBuf = Path::new(folder).join(".git");
    git.exists()
}

fn first_head(here: &Where, checkouts: &[Checkout], home: Option<&str>) -> Head {
    match here {
        Where::Found(repository) => repository.head(),
        Where::Nowhere => Head::NoRepository,
        Where::Unknown(why) => Head::Unreadable(why.clone()),
        Where::Made(at) => match checkouts.get(*at).map(|made| &made.to) {
            Some(CheckedOut::Worktree { branch: Some(branch), .. })
            | Some(CheckedOut::Repository { branch: Some(branch), .. }) => {
                Head::Branch(branch.clone())
            }
            Some(CheckedOut::Worktree { branch: None, .. }) => {
                Head::Detached("a commit".to_owned())
            }
            _ => {
                let _ = home;
                Head::Unreadable("the branch of a new repository is not known".to_owned())
            }
        },
    }
}

/// What a change makes of the head, and whether it succeeds; `None` if it changes nothing.
fn effect_of(
    to: &CheckedOut,
    there: &Where,
    possible: &[Head],
    made: &[String],
    home: Option<&str>,
) -> (Success, Option<Head>) {
    let repository = match there {
        Where::Found(repository) => Some(repository),
        _ => None,
    };
    let branch = |name: &str| Some(Head::Branch(name.to_owned()));
    match to {
        CheckedOut::Created { name, reset, here } => {
            let success = match repository.map(|repository| exists(repository, name)) {
                _ if made.contains(name) && !reset => Success::Open,
                None | Some(Err(_)) => Success::Open,
                Some(Ok(true)) if !reset => Success::Never,
                Some(Ok(true)) => match repository {
                    Some(found) if *here && !found.is_used_elsewhere(name) => Success::Sure,
                    _ => Success::Open,
                },
                Some(Ok(false))
                    if *here && repository.is_some_and(|found| is_free(found, name)) =>
                {
                    Success::Sure
                }
                Some(Ok(false)) => Success::Open,
            };
            (success, branch(name))
        }
        CheckedOut::Branch(name) => match repository {
            Some(found) => existing(found, name, possible, made),
            None => (Success::Open, branch(name)),
        },
        CheckedOut::Operand(name) => match repository {
            Some(found) => operand(found, name, possible, made),
            None => (Success::Open, branch(name)),
        },
        CheckedOut::Commit => (Success::Open, Some(Head::Detached("a commit".to_owned()))),
        CheckedOut::Renamed { from, to, forced } => {
            let is_current =
                |from: &String| possible.iter().any(|head| head.branch() == Some(from.as_str()));
            if from.as_ref().is_some_and(|from| !is_current(from)) {
                return (Success::Open, None);
            }
            let sure = possible.len() == 1 && repository.is_some_and(|found| is_free(found, to));
            (if sure || *forced { Success::Sure } else { Success::Open }, branch(to))
        }
        CheckedOut::Head(to) => match to.strip_prefix("refs/heads/") {
            Some(name) => (Success::Sure, branch(name)),
            None => (Success::Open, Some(Head::Detached(to.clone()))),
        },
        CheckedOut::Alias(name) => {
            let alias = repository.map(|found| {
                let settings = Settings::of(found, home);
                settings.get(&format!("alias.{name}")).map(str::to_owned)
            });
            match alias.flatten() {
                Some(alias) => {
                    let why = format!("`git {name}` stands for `{alias}`");
                    (Success::Open, Some(Head::Unreadable(why)))
                }
                None => (Success::Open, None),
            }
        }
        CheckedOut::Unknown(why) => (Success::Open, Some(Head::Unreadable(why.clone()))),
        CheckedOut::Repository { .. } | CheckedOut::Worktree { .. } => (Success::Open, None),
    }
}

/// `git switch NAME`
fn existing(
    found: &Repository,
    name: &str,
    possible: &[Head],
    made: &[String],
) -> (Success, Option<Head>) {
    let head = Head::Branch(name.to_owned());
    if possible == [head.clone()] {
        return (Success::Sure, Some(head));
    }
    match exists(found, name) {
        // Both are the same commit: no file changes, so that nothing can be in the way.
        Ok(true) if is_same_commit(found, name, possible) => (Success::Sure, Some(head)),
        Ok(false) if !made.iter().any(|made| made == name) && !is_remote(found, name) => {
            (Success::Never, Some(head))
        }
        _ => (Success::Open, Some(head)),
    }
}

/// `git checkout WORD`
fn operand(
    found: &Repository,
    word: &str,
    possible: &[Head],
    made: &[String],
) -> (Success, Option<Head>) {
    match existing(found, word, possible, made) {
        (Success::Never, _) => {}
        // A file of the same name makes it ambiguous.
        (_, head) => return (Success::Open, head),
    }
    let refs = ["", "refs/", "refs/tags/", "refs/remotes/"];
    let is_ref = refs
        .iter()
        .any(|start| matches!(found.reference(&format!("{start}{word}")), Ok(Some(_)) | Err(_)));
    let is_commit = word == "@"
        || word.contains(['~', '^', '@', ':'])
        || (word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match is_ref || is_commit {
        true => (Success::Open, Some(Head::Detached(word.to_owned()))),
        // A file, or an error.
        false => (Success::Open, None),
    }
}

fn exists(found: &Repository, name: &str) -> Result<bool, String> {
    Ok(found.reference(&format!("refs/heads/{name}"))?.is_some())
}

/// Whether no other branch is in the way of a name.
fn is_free(found: &Repository, name: &str) -> bool {
    let Ok(all) = found.references("refs/heads/") else { return false };
    let in_the_way = |other: &String| {
        other == name
            || other.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
            || name.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    is_name(name) && !all.iter().any(in_the_way)
}

/// Whether git takes a name for a branch.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/_-.+#=%!,".contains(c);
    !name.is_empty()
        && name.chars().all(plain)
        && name != "HEAD"
        && !name.starts_with('-')
        && !name.contains("..")
        && !name.contains("//")
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
        && !name.ends_with('.')
}

fn is_same_commit(found: &Repository, name: &str, possible: &[Head]) -> bool {
    let [Head::Branch(current)] = possible else { return false };
    let commit = |name: &str| found.reference(&format!("refs/heads/{name}")).ok().flatten();
    let one = commit(name);
    one.is_some() && one == commit(current) && !found.is_busy() && !found.is_used_elsewhere(name)
}

fn is_remote(found: &Repository, name: &str) -> bool {
    let all = found.references("refs/remotes/").unwrap_or_else(|_| vec![format!("?/{name}")]);
    all.iter().any(|remote| remote.split_once('/').is_some_and(|(_, branch)| branch == name))
}
