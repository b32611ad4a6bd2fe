//! What becomes of the exit status of a program: whether the line as a whole can only succeed if the program
//! ran and succeeded.
//!
//! Each command of a list stands at a depth: one of the text at 1, one in a group inside of that at 2. Success
//! of the commands at some depth, and of those around them, says that the program succeeded; [`Status::from`]
//! is the least such depth, and 0 stands for the whole line.

use super::syntax::tree::{Item, Joint, Kind, List};
use super::walk::Walker;
use crate::run::Doubt;
use crate::word::Word;

/// What is known of the exit status at a point of the text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Status {
    /// How many commands are around this point.
    pub(super) depth: usize,
    /// From which depth on success of the commands around says that this one succeeded.
    pub(super) from: usize,
    /// Whether `set -e` means nothing here: left of `&&` and `||`, in a condition, behind `!`.
    pub(super) is_tested: bool,
    /// Whether the shell may have ended with success before this point.
    pub(super) may_have_ended: bool,
    /// Where the changes of branches begin that the list of `&&` and `||` at this point has made.
    pub(super) chain: usize,
    /// Where those of its changes begin that no `||` stands behind: of the others nothing more is told.
    pub(super) told: usize,
    /// Where the changes of branches of the command before begin.
    pub(super) before: usize,
}

/// Programs that end with the status of what they run.
const PASS_ON: &str = ". source bash builtin bun bunx caffeinate chrt command conda dash dbus-run-session direnv doas \
    dotenv eval env exec faketime gtimeout hatch ionice ksh mise nice nohup npm npx pdm pipenv pkexec pnpm pnpx poetry \
    rye sh stdbuf sudo taskset tee time timeout unbuffer uv uvx xvfb-run yarn zsh git";

impl Walker<'_> {
    /// Goes through something whose status says nothing about what is around it: a condition, a body that may
    /// not run, a substitution.
    pub(super) fn apart(&mut self, go: impl FnOnce(&mut Self)) {
        let from = self.status.from;
        self.status.from = from.max(self.status.depth + 1);
        go(self);
        self.status.from = from;
    }

    /// Goes through a condition, in which `set -e` ends nothing.
    pub(super) fn as_condition(&mut self, go: impl FnOnce(&mut Self)) {
        let is_tested = std::mem::replace(&mut self.status.is_tested, true);
        self.apart(go);
        self.status.is_tested = is_tested;
    }

    /// Begins with a command of a list, and returns what is to be restored after it.
    pub(super) fn begin_item(&mut self, list: &List, at: usize) -> Status {
        let outer = self.status;
        let errexit = self.state.errexit && !outer.is_tested;
        let depth = outer.depth + 1;
        let counts = counts(list, at, errexit, !self.active.is_empty());
        self.status.depth = depth;
        if !counts {
            self.status.from = outer.from.max(depth);
        }
        let is_last = list.get(at + 1).is_none_or(|next| next.joint == Joint::Next);
        let negated = list.get(at).is_some_and(|item| item.pipeline.negated);
        self.status.is_tested |= !is_last || negated;
        self.status.before = self.checkouts.len();
        outer
    }

    /// Ends a command of a list.
    pub(super) fn end_item(&mut self, outer: Status, list: &List, at: usize) {
        let ended = self.status.may_have_ended;
        let start = self.status.before;
        let errexit = self.state.errexit && !outer.is_tested;
        let depth = self.status.depth;
        self.status = Status { may_have_ended: ended, before: start, ..outer };
        self.end_of_command(list, at, start, depth, errexit);
    }

    /// Whether the shell goes on with the next list of `&&` and `||` although a command of this one has failed.
    pub(super) fn goes_on_after_failure(&self, list: &List, at: usize) -> bool {
        if list.get(at + 1).is_some_and(|next| next.joint != Joint::Next) {
            return false;
        }
        let Some(item) = list.get(at) else { return false };
        let ends = item.joint == Joint::Or && surely_ends(item, !self.active.is_empty());
        let by_errexit = self.state.errexit && !self.status.is_tested && item.joint == Joint::Next;
        !ends && !by_errexit
    }

    /// Notes that the folder may still be the one that it was.
    pub(super) fn folder_may_be(&mut self, before: Option<&str>) {
        if self.state.cwd.as_deref() != before
            && let Some(folder) = self.state.cwd.clone()
        {
            let before = before.map(str::to_owned);
            self.change().doubt(Doubt { folder, now: before.clone(), before });
        }
    }

    /// What `exit`, `return`, `trap`, `set` and `shopt` change.
    pub(super) fn note_end(&mut self, name: &str, by: usize) {
        if !matches!(name, "exit" | "return" | "trap" | "set" | "shopt" | "setopt") {
            return;
        }
        let args = self.runs.get(by).map(|run| run.args.clone()).unwrap_or_default();
        let args = args.as_slice();
        match name {
            "exit" | "return" if !fails(args) => self.status.may_have_ended = true,
            "trap" => {
                let code = args.first().map(Word::written).unwrap_or_default();
                self.status.may_have_ended |= code.contains("exit") || code.contains("return");
            }
            "set" => self.set_options(args),
            "shopt" | "setopt" if names_dot_names(args) => {
                let is_off = args.iter().any(|word| word.known().as_deref() == Some("-u"));
                self.change().dot_names = !is_off;
            }
            _ => {}
        }
    }

    fn set_options(&mut self, args: &[Word]) {
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.known() else {
                self.status.may_have_ended |= word.splits();
                return;
            };
            let on = text.starts_with('-');
            if !on && !text.starts_with('+') || text.len() < 2 || text.starts_with("--") {
                return;
            }
            for letter in text.chars().skip(1) {
                match letter {
                    'e' => self.change().errexit = on,
                    'n' if on => self.status.may_have_ended = true,
                    'o' => match words.next().and_then(Word::known).as_deref() {
                        Some("errexit") => self.change().errexit = on,
                        Some("pipefail") => self.change().pipefail = on,
                        Some("noexec") if on => self.status.may_have_ended = true,
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
    }

    /// Returns whether the status of a program that starts here counts for the line as a whole.
    pub(super) fn status_counts(&self) -> bool {
        let passes = self.via.iter().all(|name| passes_on(name));
        self.status.from == 0 && !self.status.may_have_ended && passes
    }
}

/// Whether words name the option of bash or zsh by which a star means names that begin with a dot.
pub(super) fn names_dot_names(args: &[Word]) -> bool {
    args.iter().any(|word| {
        let name = word.known().unwrap_or_default().to_ascii_lowercase().replace('_', "");
        matches!(name.as_str(), "dotglob" | "globdots")
    })
}

/// Whether a program ends with the status of what it runs.
pub(super) fn passes_on(name: &str) -> bool {
    PASS_ON.split_ascii_whitespace().any(|one| one == name)
}

/// Returns whether success of a list says that one of its commands ran and succeeded.
fn counts(list: &List, at: usize, errexit: bool, in_function: bool) -> bool {
    let Some(item) = list.get(at) else { return false };
    let start =
        list.get(..=at).and_then(|items| items.iter().rposition(|item| item.joint == Joint::Next));
    let start = start.unwrap_or(0);
    let after = list.get(at + 1..).unwrap_or_default();
    let length = after.iter().take_while(|item| item.joint != Joint::Next).count();
    let rest = after.get(..length).unwrap_or_default();
    let is_last = length == after.len();
    let in_background = rest.last().unwrap_or(item).background;
    // What follows `||` may not run.
    let surely_runs = at == start || item.joint != Joint::Or;
    if item.pipeline.negated || in_background || !surely_runs {
        return false;
    }
    if is_last {
        return rest.iter().all(|item| item.joint == Joint::And || surely_fails(item, in_function));
    }
    if errexit && at == start && rest.is_empty() {
        return true;
    }
    // `cargo test || exit 1; …` goes on only after success.
    let ands = rest.iter().take_while(|item| item.joint == Joint::And).count();
    rest.get(ands).is_some_and(|item| surely_ends(item, in_function))
}

/// Whether a command always fails, if it runs.
fn surely_fails(item: &Item, in_function: bool) -> bool {
    is_failing(item, &|name| name == "false" || ends(name, in_function))
}

/// Whether a command always ends the shell or the function with a failure, if it runs.
pub(super) fn surely_ends(item: &Item, in_function: bool) -> bool {
    is_failing(item, &|name| ends(name, in_function))
}

fn ends(name: &str, in_function: bool) -> bool {
    name == "exit" || (name == "return" && in_function)
}

fn is_failing(item: &Item, is_meant: &dyn Fn(&str) -> bool) -> bool {
    let [command] = item.pipeline.commands.as_slice() else { return false };
    if item.pipeline.negated || item.background {
        return false;
    }
    match &command.kind {
        Kind::Simple(simple) => {
            let words: Option<Vec<_>> = simple.words.iter().map(|word| word.bare()).collect();
            match words.as_deref() {
                Some([name]) if is_meant(name) => true,
                Some([name, status]) if is_meant(name) => {
                    status.parse::<u32>().is_ok_and(|status| status % 256 != 0)
                }
                _ => false,
            }
        }
        Kind::Group(list) => {
            list.last().is_some_and(|last| last.joint == Joint::Next && is_failing(last, is_meant))
                && !list.iter().any(may_leave)
        }
        _ => false,
    }
}

/// Whether a command of a group may leave it before its end.
fn may_leave(item: &Item) -> bool {
    let [command] = item.pipeline.commands.as_slice() else { return true };
    match &command.kind {
        Kind::Simple(simple) => {
            let name = simple.words.first().and_then(|word| word.bare()).unwrap_or_default();
            match name {
                "exit" | "return" => !is_failing(item, &|_| true),
                "" | "exec" | "eval" | "source" | "." | "break" | "continue" | "trap" => true,
                _ => false,
            }
        }
        _ => true,
    }
}

/// Whether the words of `exit` or `return` are those of a failure. Without a word it is the status of the
/// command before.
fn fails(args: &[Word]) -> bool {
    let [status] = args else { return false };
    status.known().and_then(|text| text.parse::<u32>().ok()).is_some_and(|status| status % 256 != 0)
}
