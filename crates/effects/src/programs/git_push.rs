//! What `git push` and `git send-pack` push: by their words, and by the settings of the repository.
//!
//! The rules are those of `builtin/push.c` and `remote.c` of git. Where the repository is not there to be read,
//! what only it can say is not known.

mod refspec;

use std::borrow::Cow;

use hookgate_contract::Head;
use hookgate_git::{Repository, Settings};

use crate::checkout::GitPlace;
use crate::git_words::{git_options, git_words};
use crate::heads::{heads, repository};
use crate::options::{Given, OptionTable, OptionsRead, read_options};
use crate::pushes::{PushEffect, PushedRefs, RefUpdate};
use crate::run::{Place, Run};
use crate::word::{Word, WordPart};

use refspec::{full, glob_word, maybe_heads, prefixed};

const PUSH: OptionTable<'static> = OptionTable {
    short_value: "o",
    short_flags: "dfnquv46",
    long_value: "repo receive-pack exec push-option recurse-submodules",
    long_optional: "force-with-lease signed",
    long_flags: "all branches mirror tags follow-tags no-follow-tags delete dry-run porcelain force no-force atomic \
                 no-atomic prune no-prune set-upstream thin no-thin verify no-verify progress no-progress quiet verbose \
                 ipv4 ipv6 force-if-includes no-force-if-includes no-force-with-lease no-signed no-recurse-submodules",
    abbreviations: true,
    ..OptionTable::NONE
};

const SEND_PACK: OptionTable<'static> = OptionTable {
    short_value: "",
    short_flags: "fnqv",
    long_value: "receive-pack exec remote push-option",
    long_flags: "all mirror force dry-run verbose quiet thin atomic stateless-rpc stdin helper-status progress \
                 force-if-includes",
    ..PUSH
};

const SUBTREE: OptionTable<'static> = OptionTable {
    short_value: "Pmb",
    short_flags: "dhq",
    long_value: "prefix message branch annotate onto",
    long_flags: "help debug quiet squash no-squash rejoin no-rejoin ignore-joins no-ignore-joins",
    ..PUSH
};

/// Returns what a run pushes; `None` if it pushes nothing.
///
/// `earlier` are the runs of the line before.
pub(crate) fn push_of(
    run: &Run,
    at: usize,
    earlier: &[Run],
    home: Option<&str>,
) -> Option<PushEffect> {
    if run.name().as_deref() != Some("git") {
        return None;
    }
    let words = git_words(&run.args);
    let (name, args) = words.split_first()?;
    let name = name.known()?;
    let may_push = matches!(name.as_ref(), "push" | "send-pack" | "http-push" | "subtree");
    // Before anything is read from the repository.
    if !may_push && super::is_git_command(&name) {
        return None;
    }
    let mut push = Push::new(run, earlier, home);
    let (is_send_pack, args) = match name.as_ref() {
        "push" => (false, Cow::Borrowed(args)),
        "send-pack" | "http-push" => (true, Cow::Borrowed(args)),
        "subtree" => (false, Cow::Owned(subtree_push(args)?)),
        // An alias of the repository's settings.
        name => {
            let alias = push.settings.get(&format!("alias.{name}"))?.to_owned();
            let mut words = alias.split_ascii_whitespace().map(Word::text);
            match words.next()?.known()?.as_ref() {
                "push" => (false, Cow::Owned(words.chain(args.iter().cloned()).collect())),
                _ if alias.starts_with('!') && alias.contains("push") => {
                    let why = format!("`git {name}` stands for `{alias}`");
                    return Some(push.unknown(at, why));
                }
                _ => return None,
            }
        }
    };
    let read = read_options(if is_send_pack { &SEND_PACK } else { &PUSH }, &args);
    if read.has("n dry-run help") {
        return None;
    }
    if run.more_args || read.unknown().is_some() && !is_only_remote(&read) {
        let written = read.unknown().map(Word::written).unwrap_or_default();
        let why = format!("what `git push` gets for `{written}` is not known before it runs");
        return Some(push.unknown(at, why));
    }
    push.read(&read, is_send_pack);
    Some(PushEffect { run: at, remotes: push.remotes, updates: push.updates })
}

/// Returns what stands for the words of a push in `git subtree push`; `None` if it is another command.
fn subtree_push(args: &[Word]) -> Option<Vec<Word>> {
    let read = read_options(&SUBTREE, args);
    let mut words = read.given.iter().filter_map(|given| match given {
        Given::Operand { word, .. } | Given::Unknown { word, .. } => Some((*word).clone()),
        Given::Option { .. } => None,
    });
    let is_other = words.next()?.known().is_some_and(|command| command != "push");
    (!is_other && !read.has("h help")).then(|| words.collect())
}

/// The command of git that a run is, and its words.
fn git_command(run: &Run) -> Option<(Cow<'_, str>, &[Word])> {
    if run.name().as_deref() != Some("git") {
        return None;
    }
    let (name, args) = git_words(&run.args).split_first()?;
    Some((name.known()?, args))
}

/// Whether a command of git sets something that decides what is pushed where.
fn changes_settings(name: &str, args: &[Word]) -> bool {
    let mut operands = args.iter().filter(|word| !word.known_prefix().starts_with('-'));
    match name {
        "config" => operands.any(|word| {
            let key = word.known_prefix().to_ascii_lowercase();
            key.is_empty()
                || ["push.", "branch.", "remote.", "include", "url."]
                    .iter()
                    .any(|start| key.starts_with(start))
        }),
        "branch" => args.iter().any(|word| {
            word.known_prefix().starts_with("-u") || word.known_prefix().starts_with("--set-up")
        }),
        _ => false,
    }
}

/// Whether a command of git may make branches.
fn makes_branches(name: &str, args: &[Word]) -> bool {
    match name {
        "branch" | "fetch" | "pull" | "update-ref" | "worktree" | "stash" => !args.is_empty(),
        "switch" | "checkout" => true,
        _ => false,
    }
}

/// Whether only the first operand may be something else: `git push "$REMOTE" main`.
fn is_only_remote(read: &OptionsRead<'_>) -> bool {
    let mut words = read.given.iter().filter(|given| !matches!(given, Given::Option { .. }));
    let first = words.next();
    let is_one = matches!(first, Some(Given::Unknown { word, .. }) if !word.splits());
    is_one && words.all(|given| matches!(given, Given::Operand { .. }))
}

struct Push {
    repository: Option<Repository>,
    settings: Settings,
    /// Why the settings are not known, if they are not.
    unread: Option<String>,
    heads: Vec<Head>,
    /// Whether the line sets something before that decides where a branch goes.
    settings_changed: bool,
    /// Whether the line may make branches before.
    branches_changed: bool,
    remotes: Vec<Word>,
    updates: Vec<RefUpdate>,
    force: bool,
    /// Whether a refspec of the settings is read, and none of the words.
    of_settings: bool,
}

impl Push {
    fn new(run: &Run, earlier: &[Run], home: Option<&str>) -> Self {
        let place = GitPlace::of(run);
        let found = match run.place {
            Place::Local => repository(&place),
            Place::Remote => Err("it runs on another machine".to_owned()),
        };
        let (found, unread) = match found {
            Ok(Some(found)) => (Some(found), None),
            Ok(None) => (None, Some("no repository is there to be read".to_owned())),
            Err(why) => (None, Some(why)),
        };
        let mut settings =
            found.as_ref().map(|found| Settings::of(found, home)).unwrap_or_default();
        for (name, value) in git_options(&run.args) {
            if name == "c" {
                match value.known() {
                    Some(setting) => {
                        let (key, value) = setting.split_once('=').unwrap_or((&setting, "true"));
                        settings.set(key, value);
                    }
                    None => settings.is_unclear("a setting is not known before it runs"),
                }
            }
        }
        let sets = |name: &str| name.starts_with("GIT_CONFIG") || name == "GIT_NAMESPACE";
        if let Some((name, _)) = run.env.iter().find(|(name, _)| sets(name)) {
            settings.is_unclear(format!("`{name}` changes its settings"));
        }
        let changes = |what: fn(&str, &[Word]) -> bool| {
            earlier.iter().any(|run| git_command(run).is_some_and(|(name, args)| what(&name, args)))
        };
        let settings_changed = changes(changes_settings);
        if settings_changed {
            settings.is_unclear("the line changes settings of git before");
        }
        let branches_changed = changes(makes_branches);
        let unread = unread.or_else(|| settings.unclear().map(str::to_owned));
        let heads = heads(&place, &run.checkouts, home);
        Self {
            repository: found,
            settings,
            unread,
            heads,
            settings_changed,
            branches_changed,
            remotes: Vec::new(),
            updates: Vec::new(),
            force: false,
            of_settings: false,
        }
    }

    fn unknown(mut self, run: usize, why: String) -> PushEffect {
        self.updates.push(RefUpdate::unknown(why.clone(), false));
        PushEffect { run, remotes: vec![Word::unknown(why, false)], updates: self.updates }
    }

    fn read(&mut self, read: &OptionsRead<'_>, is_send_pack: bool) {
        for given in &read.given {
            match given {
                Given::Option { name, .. } => match name.as_ref() {
                    "f" | "force" | "force-with-lease" => self.force = true,
                    "no-force" | "no-force-with-lease" => self.force = false,
                    _ => {}
                },
                _ => continue,
            }
        }
        let words = read.given.iter().filter_map(|given| match given {
            Given::Operand { word, .. } | Given::Unknown { word, .. } => Some(*word),
            Given::Option { .. } => None,
        });
        let mut words: Vec<Word> = words.cloned().collect();
        let named = match words.is_empty() {
            true => read.value("repo remote").cloned(),
            false => Some(words.remove(0)),
        };
        let remote = named.clone().unwrap_or_else(|| self.default_remote());
        self.remotes = self.names_of(&remote);
        let remote = remote.known().map(Cow::into_owned);
        let deletes = read.has("d delete");
        let mirror = read.has("mirror")
            || (words.is_empty()
                && remote
                    .as_ref()
                    .is_some_and(|remote| self.settings.is_on(&format!("remote.{remote}.mirror"))));
        if mirror {
            self.add(PushedRefs::All, true, false, true);
            self.add(PushedRefs::All, true, true, false);
            return;
        }
        if read.has("all branches") {
            self.branches("", None, self.force);
        }
        let mut has_refspec = false;
        if read.has("tags") {
            has_refspec = true;
            self.add(PushedRefs::Ref(glob_word("refs/tags/")), self.force, false, true);
        }
        if read.has("follow-tags") || self.settings.is_on("push.followtags") {
            self.add(PushedRefs::Ref(glob_word("refs/tags/")), self.force, false, false);
        }
        if read.has("stdin") {
            self.updates.push(RefUpdate::unknown(
                "which refs are pushed is read by the program",
                self.force,
            ));
        }
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            has_refspec = true;
            if word.known().as_deref() == Some("tag") {
                if let Some(tag) = words.next() {
                    self.add(
                        PushedRefs::Ref(prefixed("refs/tags/", &tag)),
                        self.force,
                        deletes,
                        true,
                    );
                }
            } else if deletes {
                let to = self.deleted(&word);
                self.add(to, self.force, true, true);
            } else {
                self.refspec(&word, remote.as_deref());
            }
        }
        if read.has("prune") {
            self.add(PushedRefs::All, self.force, true, false);
        }
        if !has_refspec && !read.has("all branches stdin") {
            match is_send_pack {
                true => self.branches("", None, self.force),
                false => self.by_settings(remote.as_deref()),
            }
        }
    }

    fn add(&mut self, to: PushedRefs, force: bool, delete: bool, sure: bool) {
        let to = self.known_at_remote(to);
        self.updates.push(RefUpdate { to, force, delete, sure });
    }

    /// `heads/x` is the branch `x` if the remote has it, and else a new branch `heads/x`.
    fn known_at_remote(&self, to: PushedRefs) -> PushedRefs {
        let PushedRefs::Branch(word) = &to else { return to };
        let [first, WordPart::Text(name)] = word.parts.as_slice() else { return to };
        if *first != maybe_heads() {
            return to;
        }
        let tracked = self.repository.as_ref().map(|found| found.references("refs/remotes/"));
        let is_it = |one: &String| one.split_once('/').is_some_and(|(_, branch)| branch == name);
        let is_there =
            tracked.is_some_and(|names| names.is_ok_and(|names| names.iter().any(is_it)));
        let name = name.clone();
        if is_there { PushedRefs::Branch(Word::text(name)) } else { to }
    }

    /// The remote that is pushed to if none is named.
    fn default_remote(&self) -> Word {
        if let Some(why) = &self.unread {
            return Word::unknown(format!("the remote ({why})"), false);
        }
        let [Head::Branch(branch)] = self.heads.as_slice() else {
            let settings = self.settings.get("remote.pushdefault");
            return settings
                .map_or_else(|| Word::unknown("the remote of the branch", false), Word::text);
        };
        let get = |key: &str| self.settings.get(key).map(str::to_owned);
        let remotes = self.settings.subsections("remote");
        let found = get(&format!("branch.{branch}.pushremote"))
            .or_else(|| get("remote.pushdefault"))
            .or_else(|| get(&format!("branch.{branch}.remote")))
            .or_else(
                || if let [one] = remotes.as_slice() { Some((*one).to_owned()) } else { None },
            );
        Word::text(found.unwrap_or_else(|| "origin".to_owned()))
    }

    /// All that a remote is called: by name, and by address.
    fn names_of(&self, remote: &Word) -> Vec<Word> {
        let mut names = vec![remote.clone()];
        let Some(given) = remote.known() else { return names };
        for name in self.settings.subsections("remote") {
            let mut addresses = self.settings.all(&format!("remote.{name}.pushurl"));
            addresses.extend(self.settings.all(&format!("remote.{name}.url")));
            if name == given {
                names.extend(addresses.into_iter().map(Word::text));
            } else if addresses.contains(&given.as_ref()) {
                names.push(Word::text(name));
            }
        }
        names
    }

    /// What is pushed if no refspec is given.
    fn by_settings(&mut self, remote: Option<&str>) {
        let Some(remote) = remote.filter(|_| self.unread.is_none()) else {
            let why = self.unread.clone().unwrap_or_else(|| "its remote is not known".to_owned());
            let why = format!("what `git push` pushes is said by its repository: {why}");
            self.updates.push(RefUpdate::unknown(why, self.force));
            return;
        };
        let refspecs: Vec<Word> = self
            .settings
            .all(&format!("remote.{remote}.push"))
            .into_iter()
            .map(Word::text)
            .collect();
        if !refspecs.is_empty() {
            self.of_settings = true;
            for refspec in refspecs {
                self.refspec(&refspec, None);
            }
            return;
        }
        let default = self.settings.get("push.default").unwrap_or("simple").to_ascii_lowercase();
        match default.as_str() {
            "nothing" => {}
            "matching" => self.branches("", None, self.force),
            "upstream" | "tracking" => self.each_head(|push, branch| {
                let merge = push.settings.get(&format!("branch.{branch}.merge"))?;
                Some(full(&Word::text(merge)))
            }),
            _ => self.each_head(|_, branch| Some(PushedRefs::Branch(Word::text(branch)))),
        }
    }

    /// Adds what is pushed for what may be checked out.
    fn each_head(&mut self, to: impl Fn(&Self, &str) -> Option<PushedRefs>) {
        let sure = self.heads.len() == 1;
        for head in self.heads.clone() {
            match head {
                Head::Branch(name) => {
                    if let Some(to) = to(self, &name) {
                        self.add(to, self.force, false, sure);
                    }
                }
                Head::Unreadable(why) => self.updates.push(RefUpdate::unknown(why, self.force)),
                // There is nothing that git would push.
                Head::Detached(_) | Head::NoRepository => {}
            }
        }
    }
}
