//! The repository that a program works with, as its folder, variables and words say it.

use crate::checkout::{GitFiles, GitPlace};
use crate::git_words::git_options;
use crate::paths::join;
use crate::run::{Place, Run};
use crate::word::Word;

impl GitPlace {
    /// Returns where a program works. For git its options `-C` and `--git-dir` count.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        if run.place == Place::Remote {
            let why = "it runs on another machine".to_owned();
            return Self { folder: None, files: GitFiles::Unknown(why) };
        }
        let mut folder = run.cwd.clone();
        let mut files = GitFiles::OfFolder;
        let mut named: Option<Word> = None;
        for (name, value) in &run.env {
            match name.as_str() {
                "GIT_DIR" => named = Some(value.clone()),
                "GIT_CEILING_DIRECTORIES" | "GIT_COMMON_DIR" => {
                    files = GitFiles::Unknown(format!("`{name}` says where git looks for it"));
                }
                _ => {}
            }
        }
        if run.name().as_deref() == Some("git") {
            for (name, value) in git_options(&run.args) {
                match name {
                    "C" => {
                        folder = value.known().and_then(|to| join(folder.as_deref(), &to));
                    }
                    "git-dir" => named = Some(value),
                    "bare" if named.is_none() => named = Some(Word::text(".")),
                    _ => {}
                }
            }
        }
        if let Some(word) = named {
            files = match word.known().and_then(|path| join(folder.as_deref(), &path)) {
                Some(path) => GitFiles::In(path),
                None => {
                    let why = format!("`{}` is not known before it runs", word.written());
                    GitFiles::Unknown(why)
                }
            };
        }
        Self { folder, files }
    }
}
