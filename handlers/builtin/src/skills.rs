//! Skills: folders with a file `SKILL.md`, which says in its front matter what the skill is for.

mod front_matter;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use hookgate_contract::glob::NameGlob;

use self::front_matter::FrontMatter;

/// The file of a skill.
const FILE: &str = "SKILL.md";

/// How many skills of a folder are read.
const MOST: usize = 200;

/// How much of a file is read.
const MAX_FILE: u64 = 256 * 1024;

/// A skill that a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skill {
    /// Its name; that of its folder, unless its file says another.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) about: String,
    /// Whether its text always holds.
    pub(crate) is_always_on: bool,
    /// What a prompt mentions that is about it.
    pub(crate) triggers: Vec<String>,
    /// Which paths a prompt mentions that is about it.
    pub(crate) paths: Vec<String>,
    /// Its text, without the front matter.
    pub(crate) body: String,
    /// Its file.
    pub(crate) file: PathBuf,
}

/// The skills of some folders, and what could not be read of them.
#[derive(Debug, Default)]
pub(crate) struct Skills {
    /// The skills, by folder and name.
    pub(crate) found: Vec<Skill>,
    /// Files that are no skills although they are named as such, each with the reason.
    pub(crate) unreadable: Vec<String>,
}

impl Skills {
    /// Reads the skills of these folders. Of two with one name the first counts.
    pub(crate) fn of_folders<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut skills = Self::default();
        for folder in folders {
            let Ok(entries) = folder.read_dir() else { continue };
            let mut places: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            places.sort();
            for place in places.into_iter().take(MOST) {
                skills.read(&place.join(FILE));
            }
        }
        skills
    }

    fn read(&mut self, file: &Path) {
        // A pipe would block for ever.
        if !fs::metadata(file).is_ok_and(|file| file.is_file()) {
            return;
        }
        match Skill::of_file(file) {
            Ok(skill) if self.found.iter().any(|known| known.name == skill.name) => {}
            Ok(skill) => self.found.push(skill),
            Err(problem) => self.unreadable.push(format!("{}: {problem}", file.display())),
        }
    }
}

impl Skill {
    fn of_file(file: &Path) -> Result<Self, String> {
        // A project could link to any file of the user: only what is a skill where it lies is read.
        let target = file.canonicalize().map_err(|error| error.to_string())?;
        if target.file_name().is_none_or(|name| name != FILE) {
            return Err(format!("it is a link to a file that is not named {FILE}"));
        }
        let mut bytes = Vec::new();
        let read = File::open(&target);
        let read = read.and_then(|open| open.take(MAX_FILE + 1).read_to_end(&mut bytes));
        read.map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(format!("it has more than {MAX_FILE} bytes"));
        }
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let (matter, body) = FrontMatter::split(&text)?;
        let folder = file.parent().and_then(Path::file_name);
        let folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let paths = matter.list("paths")?;
        for path in &paths {
            NameGlob::parse(path).map_err(|error| format!("`paths`: {error}"))?;
        }
        Ok(Self {
            name: matter.text("name")?.unwrap_or(folder),
            about: matter.text("description")?.unwrap_or_default(),
            is_always_on: matter.flag("always")?,
            triggers: matter.list("triggers")?,
            paths,
            body: body.trim().to_owned(),
            file: file.to_owned(),
        })
    }

    /// Tells whether a prompt is about this skill: it mentions its name, a trigger or a path of it.
    pub(crate) fn is_meant_by(&self, prompt: &str) -> bool {
        let lower = prompt.to_lowercase();
        let mut words = std::iter::once(&self.name).chain(&self.triggers);
        words.any(|words| mentions(&lower, &words.to_lowercase())) || self.names_path(prompt)
    }

    fn names_path(&self, prompt: &str) -> bool {
        let globs = self.paths.iter().filter_map(|glob| NameGlob::parse(glob).ok());
        let globs: Vec<NameGlob> = globs.collect();
        !globs.is_empty()
            && paths_of(prompt).any(|path| {
                // So that `**/x` means `x`, too.
                let below = format!("/{path}");
                globs.iter().any(|glob| glob.matches(path) || glob.matches(&below))
            })
    }
}

/// Tells whether words stand in a text as whole words.
fn mentions(text: &str, words: &str) -> bool {
    let words = words.trim();
    let is_inside = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    !words.is_empty()
        && text.match_indices(words).any(|(at, found)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|after| after.chars().next());
            let begins = !(is_inside(words.chars().next()) && is_inside(before));
            begins && !(is_inside(words.chars().next_back()) && is_inside(after))
        })
}

/// Returns what may be paths in a text.
fn paths_of(text: &str) -> impl Iterator<Item = &str> {
    let is_around = |sign: char| "\"'`()[]{}<>,;:!?".contains(sign);
    let words = text.split_whitespace().map(move |word| word.trim_matches(is_around));
    let words = words.map(|word| word.strip_suffix('.').unwrap_or(word));
    let words = words.map(|word| word.strip_prefix("./").unwrap_or(word));
    words.filter(|word| word.contains(['/', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_mentioned_as_whole_words() {
        for (text, words, expected) in [
            ("please deploy it", "deploy", true),
            ("redeploying", "deploy", false),
            ("the start of art", "art", true),
            ("the start", "art", false),
            ("roll out now", "roll out", true),
            ("c++ code", "c++", true),
            ("anything", " ", false),
        ] {
            assert_eq!(mentions(text, words), expected, "{text}: {words}");
        }
    }

    #[test]
    fn paths_are_found_between_other_signs() {
        let text = "look at `infra/main.tf`, (./src/lib.rs) and README.md. Then stop";
        assert_eq!(
            paths_of(text).collect::<Vec<_>>(),
            ["infra/main.tf", "src/lib.rs", "README.md"]
        );
    }
}
