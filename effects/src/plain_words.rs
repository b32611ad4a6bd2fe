//! Commands that write nothing but words that begin with no sign, so that none is an option: numbers, identifiers of
//! containers, names that git gives.

/// What git writes here is the name of a branch.
const NAMES_OF_GIT: [&str; 3] = [
    "git branch --show-current",
    "git rev-parse --abbrev-ref HEAD",
    "git symbolic-ref --short HEAD",
];

/// Whether a command writes nothing but such words.
pub(crate) fn writes_plain_words(code: &str) -> bool {
    let code = code.trim();
    if NAMES_OF_GIT.contains(&code) {
        return true;
    }
    let counted = code.strip_prefix("wc -l <").or_else(|| code.strip_prefix("wc -c <"));
    if counted.unwrap_or(code).contains(['|', ';', '&', '<', '>', '$', '`', '\n']) {
        return false;
    }
    let bare = code.replace(['\'', '"'], "");
    let words: Vec<&str> = bare.split_ascii_whitespace().collect();
    let has = |asked: &[&str]| words.iter().any(|word| asked.contains(word));
    let is_quiet = |word: &&str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        let are_letters = letters.bytes().all(|letter| letter.is_ascii_lowercase());
        *word == "--quiet" || (are_letters && letters.contains('q'))
    };
    match words.as_slice() {
        ["git", "merge-base" | "describe", ..] => true,
        ["git", "rev-list", rest @ ..] => rest.iter().all(|word| is_plain_option(word)),
        ["git", "log", rest @ ..] => {
            has(&HASHES) && rest.iter().all(|word| HASHES.contains(word) || is_plain_option(word))
        }
        ["git", "branch" | "for-each-ref", ..] => has(&["--format=%(refname:short)"]),
        ["pgrep", rest @ ..] => !rest.iter().any(|word| {
            word.starts_with("--list") || (word.starts_with('-') && word.contains(['a', 'l']))
        }),
        ["lsof", rest @ ..] => rest.iter().any(|word| word.starts_with("-t")),
        ["docker" | "podman" | "nerdctl", rest @ ..] => match rest {
            ["ps" | "images", options @ ..]
            | ["container" | "image" | "volume" | "network", "ls", options @ ..]
            | ["compose", "ps", options @ ..] => {
                let formats = options.iter().any(|word| word.starts_with("--format"));
                !formats && options.iter().any(is_quiet)
            }
            _ => false,
        },
        ["kubectl" | "oc", "get", rest @ ..] | ["kubectl" | "oc", "-n", _, "get", rest @ ..] => {
            rest.windows(2).any(|pair| {
                pair == ["-o", "name"]
                    || pair == ["-o", "jsonpath={.items[0].metadata.name}"]
                    || pair == ["-o", "jsonpath={.metadata.name}"]
            }) || has(&["-o=name", "-oname"])
        }
        _ => counted.is_some(),
    }
}

/// Formats of `git log` that write hashes.
const HASHES: [&str; 6] = [
    "--format=%h",
    "--format=%H",
    "--pretty=%h",
    "--pretty=%H",
    "--pretty=format:%h",
    "--pretty=format:%H",
];

/// Whether a word of `git rev-list` or `git log` adds nothing to the names that these write.
fn is_plain_option(word: &str) -> bool {
    const PLAIN: [&str; 7] =
        ["--reverse", "--no-merges", "--merges", "--all", "--first-parent", "--branches", "--"];
    const LIMITS: [&str; 6] =
        ["--max-count=", "--since=", "--until=", "--after=", "--before=", "--author="];
    match word.strip_prefix('-') {
        None => true,
        Some(rest) => {
            PLAIN.contains(&word)
                || LIMITS.iter().any(|limit| word.starts_with(limit))
                || rest == "n"
                || rest.bytes().all(|digit| digit.is_ascii_digit())
        }
    }
}
