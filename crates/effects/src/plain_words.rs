//! Commands that write nothing but words that begin with no sign, so that none is an option: numbers, identifiers of
//! containers and commits, names of branches.

/// What git writes here is the name of a branch or a commit.
const NAMES_OF_GIT: [&str; 5] = [
    "git rev-parse HEAD",
    "git rev-parse --short HEAD",
    "git branch --show-current",
    "git rev-parse --abbrev-ref HEAD",
    "git symbolic-ref --short HEAD",
];

/// The programs that may write such words.
pub(crate) const WRITERS: [&str; 9] =
    ["git", "pgrep", "lsof", "docker", "podman", "nerdctl", "kubectl", "oc", "wc"];

/// Whether a command writes nothing but such words. Only options that are known to add nothing are let through.
pub(crate) fn writes_plain_words(code: &str) -> bool {
    let code = code.trim();
    if NAMES_OF_GIT.contains(&code) {
        return true;
    }
    if let Some(file) = code.strip_prefix("wc -l < ") {
        return !file.contains([' ', '|', ';', '&', '<', '>', '$', '`', '\n']);
    }
    if code.contains(['|', ';', '&', '<', '>', '$', '`', '\n', '\'', '"', '\\']) {
        return false;
    }
    let words: Vec<&str> = code.split_ascii_whitespace().collect();
    let are_plain = |words: &[&str]| words.iter().all(|word| !word.starts_with('-'));
    match words.as_slice() {
        ["git", "merge-base", commits @ ..] => are_plain(commits),
        // It writes nothing if there is no tag.
        ["git", "describe", rest @ ..] => rest.iter().all(|word| {
            let is_choice = matches!(*word, "--tags" | "--always" | "--long" | "--exact-match");
            let digits = word.strip_prefix("--abbrev=");
            is_choice || !word.starts_with('-') || digits.is_some_and(are_digits)
        }),
        ["git", "rev-list", rest @ ..] => rest.iter().all(|word| is_limit(word)),
        ["git", "log", rest @ ..] => {
            let is_format = |word: &str| matches!(word, "--format=%h" | "--format=%H");
            let (formats, rest): (Vec<&str>, Vec<&str>) =
                rest.iter().copied().partition(|word| is_format(word));
            formats.len() == 1 && rest.into_iter().all(is_limit)
        }
        ["pgrep", "-f" | "-x", name] | ["pgrep", name] => are_plain(&[name]),
        ["lsof", ports] => ports.starts_with("-ti:") || ports.starts_with("-ti4:"),
        ["lsof", "-t", ports] => ports.starts_with("-i:"),
        ["docker" | "podman" | "nerdctl", rest @ ..] => match rest {
            ["ps" | "images", "-q" | "-aq" | "-qa" | "-a", more @ ..]
            | ["network" | "volume", "ls", "-q", more @ ..] => match more {
                [] => rest.iter().any(|word| word.contains('q')),
                ["-q"] | ["-f" | "--filter", _] => true,
                _ => false,
            },
            ["compose", "ps", "-q", services @ ..] => are_plain(services),
            _ => false,
        },
        ["kubectl" | "oc", "get", kind, "-o", "name"]
        | ["kubectl" | "oc", "get", kind, "-n" | "-l", _, "-o", "name"]
        | ["kubectl" | "oc", "-n", _, "get", kind, "-o", "name"] => are_plain(&[kind]),
        _ => false,
    }
}

fn are_digits(word: &str) -> bool {
    word.bytes().all(|sign| sign.is_ascii_digit())
}

/// The name of a branch, for each of those that [`lists_branches`] means.
pub(crate) const A_BRANCH: &str = "git branch --show-current";

/// Whether a command writes the names of branches, and the signs `*` and `+` before those that are checked out.
pub(crate) fn lists_branches(code: &str) -> bool {
    let words: Vec<&str> = code.split(' ').collect();
    let is_choice = |word: &&str| matches!(*word, "--merged" | "--no-merged" | "-l" | "--list");
    matches!(words.as_slice(), ["git", "branch", rest @ ..]
        if rest.iter().all(|word| is_choice(word) || !word.starts_with('-'))
            && rest.first().is_none_or(is_choice))
}

/// Whether the words behind `grep` let it write lines of its input as they are.
pub(crate) fn passes_lines(words: &[&str]) -> bool {
    let (options, patterns): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with('-'));
    let is_plain =
        |word: &&str| word.len() > 1 && word.bytes().skip(1).all(|sign| b"viwxEF".contains(&sign));
    patterns.len() == 1 && options.iter().all(is_plain)
}

/// Whether a word of `git rev-list` or `git log` is a commit, or says only which commits are meant.
fn is_limit(word: &str) -> bool {
    const PLAIN: [&str; 5] = ["--reverse", "--no-merges", "--merges", "--first-parent", "-n"];
    let digits = word.strip_prefix('-').or_else(|| word.strip_prefix("--max-count="));
    !word.starts_with('-') || PLAIN.contains(&word) || digits.is_some_and(are_digits)
}
