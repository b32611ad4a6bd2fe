//! Globs that a tool takes as its input: `src/**/*.{ts,tsx}`.

use hookgate_contract::glob::expand_braces;

use crate::paths::expand_home;
use crate::word::{Word, WordPart};

/// The most words that braces may stand for.
const MOST: usize = 64;

/// The longest glob that is read, in bytes.
const LONGEST: usize = 4096;

/// The most `**/` in one glob: each may stand for no folder, which makes another word.
const MOST_DEEP: u32 = 3;

/// What a glob means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Globbed {
    /// A path with `*`, `?` and `[…]`. A `**` in it stands for one or more folders, and is an unknown
    /// part: a glob of a word is that of a shell, which stays in one folder.
    pub(super) word: Word,
    /// Whether all that is below is meant: the glob ends with `/**`.
    pub(super) below: bool,
}

/// Returns the paths of a glob, one for each choice of its braces and of the folders that `**/` can
/// leave out; `None` if these are too many, or if the glob is too long or empty.
pub(super) fn read_glob(text: &str, home: Option<&str>) -> Option<Vec<Globbed>> {
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let mut found = Vec::new();
    for choice in choices_of(text)? {
        let mut names: Vec<&str> = choice.split('/').collect();
        let below = names.last() == Some(&"**");
        while names.last() == Some(&"**") {
            names.pop();
        }
        names.dedup_by(|next, before| *next == "**" && *before == "**");
        let deep = u32::try_from(names.iter().filter(|name| **name == "**").count()).ok()?;
        if deep > MOST_DEEP {
            return None;
        }
        for left_out in 0..1_u32 << deep {
            let word = word_of(&names, left_out, home);
            let globbed = Globbed { word, below };
            if !found.contains(&globbed) {
                found.push(globbed);
            }
        }
    }
    Some(found)
}

/// Makes a path of names. Each bit of `left_out` is a `**` that stands for no folder.
fn word_of(names: &[&str], left_out: u32, home: Option<&str>) -> Word {
    let mut word = Word::default();
    let mut deep = 0;
    for (at, name) in names.iter().enumerate() {
        match *name {
            "**" => {
                deep += 1;
                if left_out >> (deep - 1) & 1 == 1 {
                    continue;
                }
                if at == 0 {
                    // A path that begins with something unknown could be absolute; this one is not.
                    word.push(WordPart::Text("./".into()));
                }
                word.push(WordPart::Unknown { written: "**".into(), splits: false, plain: false });
            }
            "~" if at == 0 => word = expand_home("~", home),
            name => append(&mut word, name),
        }
        if at + 1 < names.len() {
            word.push(WordPart::Text("/".into()));
        }
    }
    if word.parts.is_empty() {
        let folder = if names.is_empty() { "." } else { "/" };
        word.push(WordPart::Text(folder.into()));
    }
    word
}

/// Returns the folder that a glob lists if it asks for any name in it: `src/*` is `src`, `src/**/*` is
/// `src/**`. Such a glob names no file, and the tool tells no more than `ls` does.
pub(super) fn listed(text: &str) -> &str {
    match text.strip_suffix('*').and_then(|rest| rest.strip_suffix('/')) {
        Some("") => "/",
        Some(folder) => folder,
        None if text == "*" => ".",
        None => text,
    }
}

/// Replaces braces by their choices. Braces without a comma, or that are never closed, stay.
fn choices_of(text: &str) -> Option<Vec<String>> {
    expand_braces(text, MOST, |choices| choices.len() > 1)
}

/// Adds a glob without braces and slashes.
fn append(word: &mut Word, text: &str) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => word.push(WordPart::Glob(c.to_string())),
            '\\' => word.push(WordPart::Text(chars.next().unwrap_or(c).to_string())),
            '[' => {
                // A class ends at a bracket that does not come first; `[` alone is a text.
                let rest: String = chars.clone().collect();
                match class_length(&rest) {
                    Some(length) => {
                        let class: String = chars.by_ref().take(length).collect();
                        word.push(WordPart::Glob(format!("[{class}")));
                    }
                    None => word.push(WordPart::Text("[".into())),
                }
            }
            c => word.push(WordPart::Text(c.to_string())),
        }
    }
}

/// Returns how many characters a class has after its `[`, with the bracket at the end.
fn class_length(rest: &str) -> Option<usize> {
    let start = usize::from(rest.starts_with(['!', '^']));
    let end = rest.chars().skip(start + 1).take_while(|c| *c != '/').position(|c| c == ']')?;
    Some(start + 1 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |part: &WordPart| match part {
            WordPart::Text(text) => text.clone(),
            WordPart::Glob(glob) => format!("<{glob}>"),
            WordPart::Unknown { written, .. } => format!("${written}"),
        };
        let below = |globbed: &Globbed| if globbed.below { " and below" } else { "" };
        let found = read_glob(text, Some("/h")).unwrap();
        let shown =
            |one: &Globbed| one.word.parts.iter().map(show).collect::<String>() + below(one);
        found.iter().map(shown).collect()
    }

    #[test]
    fn globs_become_words() {
        assert_eq!(shown("src/[!a-z]?.rs"), ["src/<[!a-z]?>.rs"]);
        assert_eq!(shown("[a"), ["[a"]);
        assert_eq!(shown(r"a\*"), ["a*"]);
        assert_eq!(shown("~/x*"), ["/h/x<*>"]);
        assert_eq!(shown("/a/*"), ["/a/<*>"]);
    }

    #[test]
    fn two_stars_are_any_folders() {
        assert_eq!(shown("**/*.pem"), ["./$**/<*>.pem", "<*>.pem"]);
        assert_eq!(shown("src/**/x"), ["src/$**/x", "src/x"]);
        assert_eq!(shown("src/**"), ["src and below"]);
        assert_eq!(shown("**"), [". and below"]);
        assert_eq!(shown("/**"), ["/ and below"]);
        assert_eq!(shown("a**b"), ["a<**>b"]);
        assert!(read_glob("a/**/b/**/c/**/d/**/e", None).is_none());
    }

    #[test]
    fn a_glob_of_all_names_lists_a_folder() {
        for (glob, folder) in
            [("src/*", "src"), ("src/**/*", "src/**"), ("*", "."), ("**/*", "**"), ("/*", "/")]
        {
            assert_eq!(listed(glob), folder);
        }
        for glob in ["src/**", "src/*.rs", "**", "a/.*"] {
            assert_eq!(listed(glob), glob);
        }
    }

    #[test]
    fn braces_are_choices() {
        assert_eq!(shown("*.{ts,tsx}"), ["<*>.ts", "<*>.tsx"]);
        assert_eq!(shown("{a,{b,c}}/{d,e}"), ["a/d", "a/e", "b/d", "b/e", "c/d", "c/e"]);
        assert_eq!(shown("{a}"), ["{a}"]);
        assert_eq!(shown("{a,b"), ["{a,b"]);
        assert!(read_glob(&"{a,b}".repeat(40), None).is_none());
    }
}
