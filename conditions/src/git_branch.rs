//! The condition `git_branch`: the branch that is checked out where the session works.
//!
//! ```toml
//! git_branch = "main"
//! git_branch = ["main", "release/*"]    # one of them
//! git_branch = "!main"                  # any other, or none
//! ```
//!
//! In a glob, `*` is any text, with slashes. The branch is read from the files of the repository, and no
//! process is started: worktrees and submodules have their own branch, and a branch without a commit is a
//! branch. A detached HEAD, and a folder that is in no repository, have no branch: names and globs do not
//! hold there, a list of negations does. It is unknown if the step has no folder, or if the files cannot
//! be read.
//!
//! The folder is that of the session. A command that works elsewhere, such as `git -C other commit` or
//! `cd other && git commit`, is tested by the branch of the session's folder all the same.

use std::path::Path;

use hookgate_contract::quote::Quoted;
use hookgate_contract::{Condition, ConditionKind, Envelope, Truth};
use serde_json::json;

use crate::git::{Head, head_of};
use crate::glob_names::Names;
use crate::texts::{invalid, texts};

/// Returns the kind.
pub(crate) fn kind() -> ConditionKind {
    ConditionKind::new("git_branch", |settings, _| {
        let mut names = Names::default();
        let given = texts(settings, "git_branch");
        if given.is_empty() {
            return None;
        }
        for text in given {
            if let Err(problem) = names.add(text.text, check) {
                settings.absorb([invalid("git_branch", text.span, problem)]);
            }
        }
        Some(Box::new(GitBranch(names)))
    })
    .about("the branch that is checked out in the folder of the session")
    .example(r#"git_branch = ["main", "release/*"]"#)
    .schema(|| {
        json!({
            "description": "Names or globs of branches of which one is enough; `!x` is any other.",
            "oneOf": [
                {"type": "string", "pattern": r"^\S+$"},
                {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": r"^\S+$"}},
            ],
        })
    })
    .set()
}

/// Refuses a pattern that no branch can match, or that looks like something else.
fn check(name: &str) -> Result<(), String> {
    if let Some(short) = name.strip_prefix("refs/heads/") {
        return Err(format!(
            "branches are named without `refs/heads/`; write \"{}\"",
            Quoted(short)
        ));
    }
    let regex =
        name.starts_with('^') || name.ends_with('$') || name.contains(".*") || name.contains(".+");
    if regex {
        return Err(format!(
            "`{}` looks like a regular expression; write a name or a glob such as \"release/*\"",
            Quoted(name)
        ));
    }
    let odd = |c: &char| c.is_whitespace() || c.is_control() || "~^:".contains(*c);
    if let Some(odd) = name.chars().find(odd) {
        return Err(format!("no name of a branch contains `{}`", Quoted(&odd.to_string())));
    }
    let never = name.contains("..") || name.starts_with('-') || name.starts_with('/');
    if never || name.ends_with('/') || name.ends_with('.') || name.ends_with(".lock") {
        return Err(format!("`{}` is not the name of a branch", Quoted(name)));
    }
    Ok(())
}

struct GitBranch(Names);

/// What is checked out in the folder of a step, for all hooks.
struct StepHead(Head);

fn head(step: &Envelope<'_>) -> Head {
    let head = step.derived(|| {
        StepHead(match step.context().cwd.map(Path::new) {
            None => Head::Unreadable("the step has no cwd".to_owned()),
            Some(folder) if !folder.is_absolute() => Head::Unreadable(format!(
                "the cwd {} is not absolute",
                Quoted(&folder.to_string_lossy())
            )),
            Some(folder) => head_of(folder),
        })
    });
    head.0.clone()
}

impl Condition for GitBranch {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        match head(step) {
            Head::Unreadable(_) => Truth::Unknown,
            head => self.0.holds(head.branch()).into(),
        }
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        let cwd = step.context().cwd.unwrap_or_default();
        let cwd = Quoted(cwd);
        match head(step) {
            Head::Branch(name) => format!("{cwd} is on branch {}", Quoted(&name)),
            Head::Detached(at) => format!("{cwd} is on no branch: HEAD is at {}", Quoted(&at)),
            Head::NoRepository => format!("{cwd} is in no git repository"),
            Head::Unreadable(why) => format!("the branch is not known: {}", Quoted(&why)),
        }
    }

    fn subject(&self, step: &Envelope<'_>) -> Option<String> {
        head(step).branch().map(|name| format!("branch {}", Quoted(name)))
    }

    fn doubts(&self) -> Vec<String> {
        self.0.doubts()
    }

    fn is_heavy(&self) -> bool {
        false
    }
}
