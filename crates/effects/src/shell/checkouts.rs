//! Notes which commands of a line change what is checked out.

use super::syntax::tree::{Joint, List};
use super::walk::Walker;
use crate::checkout::{CheckedOut, Checkout, GitPlace, When};
use crate::git_words::git_words;
use crate::options::{Given, OptionTable, OptionsRead, read_options};
use crate::paths::join;
use crate::programs::is_git_command;
use crate::word::Word;

/// The most changes that are followed.
const MOST: usize = 16;

const fn options(
    short_value: &'static str,
    long_value: &'static str,
    long_optional: &'static str,
    long_flags: &'static str,
) -> OptionTable<'static> {
    OptionTable {
        short_value,
        long_value,
        long_optional,
        long_flags,
        abbreviations: true,
        ..OptionTable::NONE
    }
}

const SWITCH: OptionTable<'static> = options(
    "cC",
    "create force-create orphan conflict",
    "track recurse-submodules",
    "detach guess no-guess discard-changes force merge quiet progress no-progress no-track ignore-other-worktrees \
     overwrite-ignore no-overwrite-ignore no-recurse-submodules",
);

const CHECKOUT: OptionTable<'static> = options(
    "bB",
    "orphan conflict pathspec-from-file unified inter-hunk-context",
    "track recurse-submodules",
    "detach guess no-guess force merge quiet progress no-progress no-track ignore-other-worktrees overwrite-ignore \
     no-overwrite-ignore no-recurse-submodules ours theirs patch ignore-skip-worktree-bits overlay no-overlay \
     pathspec-file-nul",
);

const BRANCH: OptionTable<'static> = options(
    "u",
    "set-upstream-to sort points-at format contains no-contains merged no-merged",
    "abbrev column color track",
    "move copy delete force list all remotes show-current verbose quiet edit-description unset-upstream ignore-case \
     no-track",
);

const WORKTREE: OptionTable<'static> = options(
    "bB",
    "reason",
    "",
    "detach checkout no-checkout force guess-remote no-guess-remote track no-track lock orphan quiet",
);

const CLONE: OptionTable<'static> = options(
    "obcuj",
    "origin branch config upload-pack jobs reference reference-if-able separate-git-dir depth shallow-since \
     shallow-exclude server-option filter template ref-format bundle-uri",
    "recurse-submodules recursive",
    "local no-hardlinks shared quiet verbose progress no-checkout bare mirror dissociate single-branch no-tags \
     no-single-branch shallow-submodules remote-submodules sparse reject-shallow",
);

const INIT: OptionTable<'static> = options(
    "b",
    "initial-branch separate-git-dir object-format ref-format template",
    "shared",
    "quiet bare",
);

const REBASE: OptionTable<'static> = options(
    "xsXC",
    "onto exec strategy strategy-option whitespace",
    "empty rebase-merges gpg-sign",
    "interactive continue abort skip quit root keep-base autosquash autostash no-autostash apply merge force-rebase \
     edit-todo show-current-patch update-refs",
);

impl Walker<'_> {
    /// Notes what a program changes of what is checked out.
    pub(super) fn note_checkout(&mut self, by: usize) {
        let Some(run) = self.runs.get(by) else { return };
        let words = match run.name().as_deref() {
            Some("git") => git_words(&run.args),
            Some("gh" | "glab" | "hub") => &run.args,
            _ => return,
        };
        let is_git = run.name().as_deref() == Some("git");
        let place = GitPlace::of(run);
        let Some(name) = words.first().and_then(Word::known) else { return };
        let rest = words.get(1..).unwrap_or_default();
        let to = match is_git {
            true => of_git(&name, rest, &place),
            false => {
                words.iter().any(|word| word.known().as_deref() == Some("checkout")).then(|| {
                    CheckedOut::Unknown("which branch a pull request is on is not known".to_owned())
                })
            }
        };
        if let Some(to) = to {
            self.add_checkout(place, to);
        }
    }

    fn add_checkout(&mut self, place: GitPlace, to: CheckedOut) {
        if self.checkouts.len() > MOST {
            return;
        }
        let to = match self.checkouts.len() {
            MOST => {
                CheckedOut::Unknown("the branch is changed too often to be followed".to_owned())
            }
            _ => to,
        };
        let when = if self.status.may_have_ended { When::Perhaps } else { When::Always };
        let from = if self.via.iter().all(|name| super::status::passes_on(name)) {
            self.status.from
        } else {
            usize::MAX
        };
        self.checkouts.push(Checkout { place, to, when, succeeded: false, from });
    }

    /// What stands in a branch of the text may not have run.
    pub(super) fn checkouts_perhaps(&mut self, since: usize) {
        for checkout in self.checkouts.iter_mut().skip(since) {
            if checkout.when == When::Always {
                checkout.when = When::Perhaps;
            }
        }
    }

    /// Whether changes have succeeded is not known any more.
    pub(super) fn checkouts_uncertain(&mut self, since: usize) {
        for checkout in self.checkouts.iter_mut().skip(since) {
            checkout.succeeded = false;
        }
    }

    /// What is known of changes after a command of a list: behind `&&` they have succeeded, behind `;` nobody
    /// knows, unless `set -e` ends the shell.
    pub(super) fn end_of_command(
        &mut self,
        list: &List,
        at: usize,
        start: usize,
        depth: usize,
        errexit: bool,
    ) {
        let Some(item) = list.get(at) else { return };
        if item.joint == Joint::Next {
            self.status.chain = start;
            self.status.told = start;
        }
        let chain = self.status.chain;
        if self.checkouts.len() == chain {
            return;
        }
        if item.background {
            self.checkouts_perhaps(chain);
        }
        // `A || B`: B runs if A has failed, which one change must be for this to say something.
        if item.joint == Joint::Or && start == chain + 1 && self.checkouts.len() == start + 1 {
            let is_own = self.checkouts.get(chain).is_some_and(|first| first.from <= depth);
            if is_own
                && list.get(at.wrapping_sub(1)).is_some_and(|first| first.joint == Joint::Next)
                && let Some(second) = self.checkouts.get_mut(start)
            {
                second.when = When::IfFailed(chain);
            }
        }
        let next = list.get(at + 1).map(|next| next.joint);
        let plain = !item.pipeline.negated && !item.background;
        let alone = item.joint == Joint::Next && plain;
        for checkout in self.checkouts.iter_mut().skip(self.status.told.max(chain)) {
            match next {
                Some(Joint::And) => checkout.succeeded |= plain && checkout.from <= depth,
                Some(Joint::Or) => checkout.succeeded = false,
                _ => {
                    checkout.succeeded = errexit && alone && checkout.from <= depth;
                }
            }
        }
        if item.joint == Joint::Or && next == Some(Joint::And) {
            // `(A || B) && …`: one of them has.
            self.checkouts_uncertain(chain);
            self.status.told = self.checkouts.len();
        }
    }

    /// What the rounds of a loop change of what is checked out, earlier rounds may have changed before each of its runs.
    pub(super) fn repeat_checkouts(&mut self, first_run: usize, first: usize) {
        let made = self.checkouts.get(first..).unwrap_or_default().iter();
        let made: Vec<Checkout> = made
            .map(|one| Checkout { when: When::Perhaps, succeeded: false, ..one.clone() })
            .collect();
        let runs = self.runs.get_mut(first_run..).unwrap_or_default();
        for run in runs.iter_mut().filter(|_| !made.is_empty()) {
            for checkout in run.checkouts.iter_mut().skip(first) {
                if let When::IfFailed(at) = &mut checkout.when
                    && *at >= first
                {
                    *at += made.len();
                }
            }
            let at = first.min(run.checkouts.len());
            run.checkouts.splice(at..at, made.iter().cloned());
        }
    }
}

/// What a command of git checks out.
fn of_git(name: &str, args: &[Word], place: &GitPlace) -> Option<CheckedOut> {
    match name {
        "switch" => switch(&read_options(&SWITCH, args)),
        "checkout" => checkout(args),
        "branch" => branch(&read_options(&BRANCH, args)),
        "symbolic-ref" => symbolic_ref(args),
        "worktree" => worktree(args, place),
        "clone" => clone(args, place),
        "init" => init(args, place),
        "rebase" => {
            let read = read_options(&REBASE, args);
            let operands: Vec<_> = read.operands().collect();
            let branch = if read.has("root") { operands.first() } else { operands.get(1) };
            match (read.unknown(), branch) {
                (Some(word), _) => Some(unknown(word)),
                (None, branch) => branch.map(|word| named(word, CheckedOut::Operand)),
            }
        }
        "bisect" => Some(CheckedOut::Unknown("`git bisect` checks commits out".to_owned())),
        "stash" if args.first().and_then(Word::known).as_deref() == Some("branch") => {
            let name = args.get(1)?;
            Some(named(name, |name| CheckedOut::Created { name, reset: false, here: false }))
        }
        "flow" | "town" | "machete" | "spice" => {
            Some(CheckedOut::Unknown(format!("`git {name}` changes branches in its own way")))
        }
        name if is_git_command(name) => None,
        name => Some(CheckedOut::Alias(name.to_owned())),
    }
}

fn switch(read: &OptionsRead<'_>) -> Option<CheckedOut> {
    let operands: Vec<_> = read.operands().collect();
    if let Some(created) = created(read, "c create", "C force-create", operands.is_empty()) {
        return Some(created);
    }
    if read.has("d detach") {
        return Some(CheckedOut::Commit);
    }
    if let Some(word) = read.unknown() {
        return Some(unknown(word));
    }
    let word = operands.first()?;
    if read.has("t track") {
        return Some(named(word, |name| CheckedOut::Created {
            name: name.split_once('/').map_or(name.as_str(), |(_, rest)| rest).to_owned(),
            reset: false,
            here: false,
        }));
    }
    Some(named(word, branch_or_previous))
}

fn checkout(args: &[Word]) -> Option<CheckedOut> {
    let read = read_options(&CHECKOUT, args);
    let end = read.end_of_options;
    let is_before = |at: usize| end.is_none_or(|end| at < end);
    let mut before = Vec::new();
    let mut files = false;
    for given in &read.given {
        match given {
            Given::Operand { word, at } if is_before(*at) => before.push(*word),
            Given::Operand { .. } => files = true,
            _ => {}
        }
    }
    if let Some(created) = created(&read, "b", "B", before.is_empty()) {
        return Some(created);
    }
    if files || read.has("p patch ours theirs pathspec-from-file") || before.len() > 1 {
        return None;
    }
    if let Some(word) = read.unknown() {
        return Some(unknown(word));
    }
    if read.has("d detach") {
        return Some(CheckedOut::Commit);
    }
    let word = before.first()?;
    if read.has("t track") {
        return switch(&read_options(&SWITCH, args));
    }
    if word.has_glob() {
        return None;
    }
    Some(named(word, |name| match name.as_str() {
        "-" | "@{-1}" => branch_or_previous(name),
        _ => CheckedOut::Operand(name),
    }))
}

/// The branch that an option makes.
fn created(read: &OptionsRead<'_>, new: &str, reset: &str, here: bool) -> Option<CheckedOut> {
    let options = [(new, false, here), (reset, true, here), ("orphan", false, true)];
    let (word, reset, here) = options
        .into_iter()
        .find_map(|(names, reset, here)| Some((read.value(names)?, reset, here)))?;
    Some(named(word, |name| CheckedOut::Created { name, reset, here }))
}

fn branch(read: &OptionsRead<'_>) -> Option<CheckedOut> {
    let forced = read.has("M");
    if !forced && !read.has("m move") {
        return None;
    }
    if let Some(word) = read.unknown() {
        return Some(unknown(word));
    }
    let operands: Vec<_> = read.operands().collect();
    let (from, to) = match operands.as_slice() {
        [to] => (None, to),
        [from, to] => match from.known() {
            Some(from) => (Some(from.into_owned()), to),
            None => return Some(unknown(from)),
        },
        _ => return None,
    };
    let forced = forced || read.has("f force");
    Some(named(to, |to| CheckedOut::Renamed { from, to, forced }))
}

fn symbolic_ref(args: &[Word]) -> Option<CheckedOut> {
    let read = read_options(&options("m", "", "", "delete quiet short recurse no-recurse"), args);
    let operands: Vec<_> = read.operands().collect();
    match operands.as_slice() {
        [name, to] if name.known().as_deref() == Some("HEAD") => Some(named(to, CheckedOut::Head)),
        [name, _] if name.known().is_none() => Some(unknown(name)),
        _ => None,
    }
}

fn worktree(args: &[Word], place: &GitPlace) -> Option<CheckedOut> {
    if args.first().and_then(Word::known).as_deref() != Some("add") {
        return None;
    }
    let read = read_options(&WORKTREE, args.get(1..).unwrap_or_default());
    let operands: Vec<_> = read.operands().collect();
    let word = operands.first()?;
    let path = word.known()?;
    let folder = join(place.folder.as_deref(), &path)?;
    let branch = match (read.value("b B"), operands.get(1)) {
        (Some(name), _) => Some(name.known()?.into_owned()),
        _ if read.has("d detach") => None,
        (None, Some(name)) => Some(name.known()?.into_owned()),
        (None, None) => folder.rsplit('/').next().map(str::to_owned),
    };
    Some(CheckedOut::Worktree { folder, branch })
}

fn clone(args: &[Word], place: &GitPlace) -> Option<CheckedOut> {
    let read = read_options(&CLONE, args);
    let operands: Vec<_> = read.operands().collect();
    let from = operands.first()?.known()?;
    let name = match operands.get(1) {
        Some(folder) => folder.known()?.into_owned(),
        None => {
            let path = from.trim_end_matches('/').trim_end_matches(".git");
            path.rsplit(['/', ':']).next()?.to_owned()
        }
    };
    let folder = join(place.folder.as_deref(), &name)?;
    let branch = read.value("b branch").and_then(Word::known).map(Into::into);
    Some(CheckedOut::Repository { folder, branch })
}

fn init(args: &[Word], place: &GitPlace) -> Option<CheckedOut> {
    let read = read_options(&INIT, args);
    let folder = match read.operands().next() {
        Some(word) => join(place.folder.as_deref(), &word.known()?)?,
        None => place.folder.clone()?,
    };
    let branch = read.value("b initial-branch").and_then(Word::known).map(Into::into);
    Some(CheckedOut::Repository { folder, branch })
}

fn branch_or_previous(name: String) -> CheckedOut {
    match name.as_str() {
        "-" => CheckedOut::Unknown("which branch was checked out before is not known".to_owned()),
        name if name.starts_with("@{") => {
            CheckedOut::Unknown(format!("which branch `{name}` is is not known"))
        }
        _ => CheckedOut::Branch(name),
    }
}

fn named(word: &Word, make: impl FnOnce(String) -> CheckedOut) -> CheckedOut {
    match word.known() {
        Some(name) => make(name.into_owned()),
        None => unknown(word),
    }
}

fn unknown(word: &Word) -> CheckedOut {
    CheckedOut::Unknown(format!("`{}` is not known before it runs", word.written()))
}
