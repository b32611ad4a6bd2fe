//! Patches that `git apply` and `patch` take from a file: the files that they change stand in them.

use super::super::walk::{Input, Walker};
use crate::checkout::GitPlace;
use crate::effects::UnclearWhat;
use crate::programs::read;
use crate::run::RedirectKind;
use crate::word::Word;

/// Options with which nothing is changed in the folder.
const ONLY_SHOWS: &[&str] = &[
    "check",
    "stat",
    "numstat",
    "summary",
    "cached",
    "dry-run",
    "abort",
    "quit",
    "show-current-patch",
];

/// The files that a patch changes, as it names them.
#[derive(Debug, Default, PartialEq, Eq)]
struct PatchedFiles {
    written: Vec<String>,
    deleted: Vec<String>,
}

impl Walker<'_> {
    /// Notes what the patches of a run write and delete, as far as their text is known.
    pub(super) fn patched(&mut self, by: usize) {
        let Some(run) = self.runs.get(by) else { return };
        let reading = read(run);
        let value = |names: &[&str]| -> Option<Word> {
            names.iter().find_map(|name| reading.options(name).flatten().last()).cloned()
        };
        if ONLY_SHOWS.iter().any(|name| reading.options(name).next().is_some()) {
            return;
        }
        let is_git = run.name().as_deref() == Some("git");
        let strip = value(&["p", "strip"]).and_then(|count| count.known()?.parse().ok());
        let strip = strip.or_else(|| is_git.then_some(1));
        let of_git = GitPlace::of(run).folder.filter(|_| is_git).map(Word::text);
        let folders: Vec<Word> = of_git.into_iter().chain(value(&["d", "directory"])).collect();
        let mut files: Vec<Word> = match is_git {
            true => reading.operands().cloned().collect(),
            false => {
                let named = value(&["i", "input"]).or_else(|| reading.operands().nth(1).cloned());
                named.into_iter().collect()
            }
        };
        let is_input = files.is_empty();
        if is_input {
            let inputs =
                run.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
            files.extend(inputs.map(|redirect| redirect.target.clone()));
        }
        let mut texts: Vec<Word> =
            files.iter().flat_map(|file| self.patch_text(file, by)).collect();
        if is_input {
            match self.input.clone() {
                Input::Text(text) | Input::Piped(text) => texts.push(text),
                Input::From(..) | Input::Session => {}
            }
        }
        let mut changed = PatchedFiles::default();
        for text in &texts {
            changed.add(&text.written(), strip);
        }
        self.changed_by_patch(&changed, &folders);
    }

    /// The texts of a file with a patch, if the line has written it or it is one of the project.
    fn patch_text(&mut self, file: &Word, by: usize) -> Vec<Word> {
        match self.text_in_project(file) {
            Ok(texts) => texts,
            Err(why) => {
                let why = format!("the patch `{}` {why}", file.written());
                self.unclear(UnclearWhat::Writes, why, Some(by));
                Vec::new()
            }
        }
    }

    fn changed_by_patch(&mut self, changed: &PatchedFiles, folders: &[Word]) {
        if let [folder, rest @ ..] = folders {
            return self.in_folder(Some(folder), |walker| walker.changed_by_patch(changed, rest));
        }
        for (program, paths) in [("tee", &changed.written), ("rm", &changed.deleted)] {
            let names = paths.iter().map(|path| Word::text(format!("./{path}")));
            let words: Vec<Word> = std::iter::once(Word::text(program)).chain(names).collect();
            if words.len() > 1 {
                self.carried_program(&words, "a patch");
            }
        }
    }
}

impl PatchedFiles {
    /// Adds the files of a patch, without the first folders of their names; all folders for `None`.
    fn add(&mut self, patch: &str, strip: Option<usize>) {
        let mut before: Option<String> = None;
        for line in patch.lines() {
            let line = line.trim_end_matches('\r');
            if let Some(name) = line.strip_prefix("--- ") {
                before = file_name(name, strip);
            } else if let Some(name) = line.strip_prefix("+++ ") {
                match (file_name(name, strip), before.take()) {
                    (Some(after), _) => self.written.push(after),
                    (None, before) => self.deleted.extend(before),
                }
            } else if let Some(name) = line.strip_prefix("rename from ") {
                self.deleted.extend(file_name(name, Some(0)));
            } else if let Some(name) =
                line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to "))
            {
                self.written.extend(file_name(name, Some(0)));
            } else if let Some(names) = line.strip_prefix("diff --git ") {
                // A change of the mode or of a binary file names it nowhere else.
                self.written.extend(names.split_once(" b/").map(|(_, name)| name.to_owned()));
            }
        }
    }
}

/// Returns the name of a file in a header of a patch; `None` for the file that is no file.
fn file_name(header: &str, strip: Option<usize>) -> Option<String> {
    let name = header.split('\t').next().unwrap_or_default().trim();
    let name = name.trim_matches('"');
    if name == "/dev/null" || name.is_empty() {
        return None;
    }
    let skip = strip.unwrap_or_else(|| name.matches('/').count());
    let rest = name.splitn(skip + 1, '/').last().unwrap_or_default();
    (!rest.is_empty()).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(patch: &str, strip: Option<usize>) -> (Vec<String>, Vec<String>) {
        let mut changed = PatchedFiles::default();
        changed.add(patch, strip);
        (changed.written, changed.deleted)
    }

    #[test]
    fn a_patch_names_what_it_writes_and_deletes() {
        let patch = "--- a/src/x.rs\t2026-01-01\n+++ b/src/x.rs\n@@ -1 +1 @@\n-a\n+b\n--- a/old\n+++ /dev/null\n@@\n-x\n\
            diff --git a/m b/m\nold mode 100644\nnew mode 100755\nrename from p/q\nrename to r\n";
        let (written, deleted) = changed(patch, Some(1));
        assert_eq!(written, ["src/x.rs", "m", "r"]);
        assert_eq!(deleted, ["old", "p/q"]);
        assert_eq!(changed(patch, None).0, ["x.rs", "m", "r"]);
        assert_eq!(changed(patch, Some(0)).0.first().map(String::as_str), Some("b/src/x.rs"));
    }
}
