//! The condition `git_branch`: the branch that is checked out where a command works, or the session.
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
//! Beside a condition that means commands (`runs`, `pushes`) or files (`writes`, `deletes`, …), it is about the
//! repository of each command or file that is meant: `cd ../other && git commit`, `git -C ../other commit` and
//! `git switch -c topic && git commit` are judged by what is checked out there, and then. What may fail on the
//! way leaves several branches possible; if they do not give the same answer, it is unknown. Alone, it is about
//! the folder of the session.

use std::path::Path;

use hookgate_contract::look_alike::LookAlike;
use hookgate_contract::quote::Quoted;
use hookgate_contract::{Command, Condition, ConditionKind, Envelope, Head, Truth};
use hookgate_git::head_of;
use serde_json::json;

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
    .about(
        "the branch that is checked out where a command works; alone, in the folder of the session",
    )
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
    if let Some(odd) = LookAlike::find(name) {
        return Err(format!("the name has {odd}: write `{}`", Quoted(&odd.plain)));
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

impl GitBranch {
    fn holds(&self, head: &Head) -> Truth {
        match head {
            Head::Unreadable(_) => Truth::Unknown,
            head => self.0.holds(head.branch()).into(),
        }
    }
}

impl Condition for GitBranch {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        self.holds(&head(step))
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        let cwd = step.context().cwd.unwrap_or_default();
        explained(&Quoted(cwd).to_string(), &head(step))
    }

    fn subject(&self, step: &Envelope<'_>) -> Option<String> {
        head(step).branch().map(|name| format!("branch {}", Quoted(name)))
    }

    fn doubts(&self) -> Vec<String> {
        let remote = self.0.wanted().filter_map(|name| {
            let rest = name.strip_prefix("remotes/").unwrap_or(&name);
            let branch = rest.strip_prefix("origin/")?;
            Some(format!(
                "`{}` may never be checked out: the name of a branch has no remote in it; write `{}`",
                Quoted(&name),
                Quoted(branch)
            ))
        });
        remote.chain(self.0.doubts()).collect()
    }

    fn depends_on_place(&self) -> bool {
        true
    }

    fn depends_on_surroundings(&self) -> bool {
        true
    }

    fn hold_for(&self, _step: &Envelope<'_>, command: &Command) -> Truth {
        let mut answers = command.heads.iter().map(|head| self.holds(head));
        let Some(first) = answers.next() else { return Truth::Unknown };
        // What may be checked out decides only if all of it gives the same answer.
        if answers.all(|answer| answer == first) { first } else { Truth::Unknown }
    }

    fn explain_for(&self, _step: &Envelope<'_>, command: &Command) -> String {
        let place = match (&command.shown, &command.folder) {
            (Some(shown), Some(folder)) => format!("{shown} works in {}, which", Quoted(folder)),
            (Some(shown), None) => format!("the repository of {shown}"),
            (None, _) => "the repository of the command".to_owned(),
        };
        match command.heads.as_slice() {
            [one] => explained(&place, one),
            several => {
                if let Some(unreadable) =
                    several.iter().find(|head| matches!(head, Head::Unreadable(_)))
                {
                    return explained(&place, unreadable);
                }
                let mut all: Vec<String> = several.iter().map(named).collect();
                all.dedup();
                let last = all.pop().unwrap_or_default();
                let all =
                    if all.is_empty() { last } else { format!("{} or {last}", all.join(", ")) };
                format!("{place} is then on {all}: a change of the branch before may fail")
            }
        }
    }

    fn subject_for(&self, _step: &Envelope<'_>, command: &Command) -> Option<String> {
        match command.heads.as_slice() {
            [head] => head.branch().map(|name| format!("branch {}", Quoted(name))),
            _ => None,
        }
    }

    fn is_heavy(&self) -> bool {
        false
    }
}

fn named(head: &Head) -> String {
    match head {
        Head::Branch(name) => format!("branch {}", Quoted(name)),
        _ => "no branch".to_owned(),
    }
}

fn explained(place: &str, head: &Head) -> String {
    match head {
        Head::Branch(name) => format!("{place} is on branch {}", Quoted(name)),
        Head::Detached(at) => format!("{place} is on no branch: HEAD is at {}", Quoted(at)),
        Head::NoRepository => format!("{place} is in no git repository"),
        Head::Unreadable(why) => format!("the branch is not known: {}", Quoted(why)),
    }
}
