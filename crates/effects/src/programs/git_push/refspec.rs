//! The refs of the remote that a refspec stands for.

use std::borrow::Cow;

use super::Push;
use crate::pushes::{PushedRefs, RefUpdate};
use crate::word::{Word, WordPart};

/// The most branches of a repository that are looked at.
const MOST_BRANCHES: usize = 2000;

impl Push {
    /// `[+]SRC[:DST]`
    pub(super) fn refspec(&mut self, word: &Word, remote: Option<&str>) {
        let start = word.known_prefix();
        let plus = start.starts_with('+');
        let word = if plus { word.without_start(1) } else { word.clone() };
        let force = self.force || plus;
        if word.known_prefix().starts_with('^') {
            return;
        }
        let Some((source, target)) = split(&word) else {
            return self.same_name(&word, remote, force);
        };
        if source.known().as_deref() == Some("") && target.known().as_deref() == Some("") {
            return self.branches("", None, force);
        }
        let is_deleted = source.known().as_deref() == Some("");
        if source.known_prefix().contains('*') || target.known_prefix().contains('*') {
            return self.pattern(&source, &target, force);
        }
        if target.known().as_deref() == Some("") {
            self.updates.push(RefUpdate::unknown("the refspec names no ref of the remote", force));
            return;
        }
        let to = match is_deleted {
            true => self.deleted(&target),
            false => full_or(&target, || !is_deleted && self.is_tag(&source)),
        };
        self.add(to, force, is_deleted, true);
    }

    /// A refspec without `:`: the ref of the same name.
    fn same_name(&mut self, word: &Word, remote: Option<&str>, force: bool) {
        let Some(name) = word.known().map(Cow::into_owned) else {
            self.add(full(word), force, false, true);
            return;
        };
        if name.contains('*') {
            return self.pattern(word, word, force);
        }
        if name == "HEAD" || name == "@" {
            return self.each_named_head(remote, force);
        }
        if self.settings_changed {
            let why = format!("the line changes before where `{name}` is pushed to");
            self.updates.push(RefUpdate::unknown(why, force));
        }
        let to = self.mapped(&name, remote);
        self.add(to, force, false, true);
    }

    fn each_named_head(&mut self, remote: Option<&str>, force: bool) {
        let outer = std::mem::replace(&mut self.force, force);
        let remote = remote.map(str::to_owned);
        self.each_head(|push, branch| Some(push.mapped(branch, remote.as_deref())));
        self.force = outer;
    }

    /// Where a local ref goes to that is named alone.
    pub(super) fn mapped(&self, name: &str, remote: Option<&str>) -> PushedRefs {
        let short = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("heads/"));
        if short.is_none() && (name.starts_with("refs/") || self.is_tag(&Word::text(name))) {
            return full_or(&Word::text(name), || true);
        }
        let branch = short.unwrap_or(name);
        let full_name = format!("refs/heads/{branch}");
        let refspecs = remote.map(|remote| self.settings.all(&format!("remote.{remote}.push")));
        for refspec in refspecs.unwrap_or_default() {
            let Some((source, target)) = refspec.trim_start_matches('+').split_once(':') else {
                continue;
            };
            if source == full_name || source == branch {
                return full(&Word::text(target));
            }
            if let (Some((start, end)), Some((to, to_end))) =
                (source.split_once('*'), target.split_once('*'))
                && let Some(middle) =
                    full_name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end))
            {
                return full(&Word::text(format!("{to}{middle}{to_end}")));
            }
        }
        let default = self.settings.get("push.default").unwrap_or_default();
        if matches!(default, "upstream" | "tracking")
            && !self.of_settings
            && let Some(merge) = self.settings.get(&format!("branch.{branch}.merge"))
        {
            return full(&Word::text(merge));
        }
        PushedRefs::Branch(Word::text(branch))
    }

    /// `--delete NAME` and `:NAME`: a branch or a tag of the remote.
    pub(super) fn deleted(&self, word: &Word) -> PushedRefs {
        full_or(word, || self.is_tag(word) && !self.is_branch(word))
    }

    /// `refs/heads/*:refs/heads/*`
    fn pattern(&mut self, source: &Word, target: &Word, force: bool) {
        let (Some(source), Some(target)) = (source.known(), target.known()) else {
            self.updates.push(RefUpdate::unknown("the refspec is not known before it runs", force));
            return;
        };
        let Some((to, end)) = target.split_once('*') else { return };
        let own = source.strip_suffix('*').and_then(|source| source.strip_prefix("refs/heads/"));
        match own {
            Some(below) => self.branches(below, Some((to, end)), force),
            None => {
                let mut word = Word::text(to);
                word.push(WordPart::Unknown {
                    written: "*".to_owned(),
                    splits: false,
                    plain: false,
                });
                word.push(WordPart::Text(end.to_owned()));
                self.add(full(&word), force, false, false);
            }
        }
    }

    /// All local branches below a name, each to the branch of the same name or as a pattern says.
    pub(super) fn branches(&mut self, below: &str, to: Option<(&str, &str)>, force: bool) {
        let names = self.repository.as_ref().map(|found| found.references("refs/heads/"));
        let Some(Ok(names)) = names.filter(|_| self.unread.is_none()) else {
            let why = "which branches the repository has is not known".to_owned();
            self.updates.push(RefUpdate::unknown(why, force));
            return;
        };
        if names.len() > MOST_BRANCHES {
            self.updates.push(RefUpdate::unknown("the repository has too many branches", force));
            return;
        }
        if self.branches_changed {
            self.updates.push(RefUpdate::unknown("the line makes branches before", force));
        }
        for name in names.iter().filter_map(|name| name.strip_prefix(below)) {
            let to = match to {
                Some((to, end)) => full(&Word::text(format!("{to}{name}{end}"))),
                None => PushedRefs::Branch(Word::text(format!("{below}{name}"))),
            };
            self.add(to, force, false, true);
        }
    }

    fn is_tag(&self, word: &Word) -> bool {
        self.has(word, "refs/tags/") && !self.has(word, "refs/heads/")
    }

    fn is_branch(&self, word: &Word) -> bool {
        self.has(word, "refs/heads/")
    }

    fn has(&self, word: &Word, below: &str) -> bool {
        let Some(name) = word.known() else { return false };
        if name.starts_with(below) {
            return true;
        }
        let found =
            self.repository.as_ref().map(|found| found.reference(&format!("{below}{name}")));
        matches!(found, Some(Ok(Some(_))))
    }
}

/// The ref that a name stands for at the remote: a branch, unless it is a full name.
pub(super) fn full(word: &Word) -> PushedRefs {
    full_or(word, || false)
}

fn full_or(word: &Word, is_tag: impl FnOnce() -> bool) -> PushedRefs {
    let start = word.known_prefix();
    if start.starts_with("refs/heads/") {
        return PushedRefs::Branch(word.without_start("refs/heads/".len()));
    }
    if start.starts_with("heads/") {
        let mut either = Word { parts: vec![maybe_heads()] };
        let name = word.without_start("heads/".len());
        name.parts.into_iter().for_each(|part| either.push(part));
        return PushedRefs::Branch(either);
    }
    if start.starts_with("refs/") {
        return PushedRefs::Ref(word.clone());
    }
    if start.starts_with("tags/") {
        return PushedRefs::Ref(prefixed("refs/", word));
    }
    if is_tag() {
        return PushedRefs::Ref(prefixed("refs/tags/", word));
    }
    // `$REF` may be a full name.
    match word.parts.first() {
        Some(WordPart::Unknown { written, .. }) => {
            PushedRefs::Unknown(format!("`{written}` is not known before it runs"))
        }
        _ => PushedRefs::Branch(word.clone()),
    }
}

/// What stands for `heads/` where it may be a part of the name of a branch, or not.
pub(super) fn maybe_heads() -> WordPart {
    WordPart::Unknown { written: "heads/".to_owned(), splits: false, plain: false }
}

pub(super) fn prefixed(start: &str, word: &Word) -> Word {
    let mut whole = Word::text(start);
    word.parts.iter().for_each(|part| whole.push(part.clone()));
    whole
}

pub(super) fn glob_word(start: &str) -> Word {
    let mut word = Word::text(start);
    word.push(WordPart::Unknown { written: "*".to_owned(), splits: false, plain: false });
    word
}

/// Splits a word at its first `:`.
fn split(word: &Word) -> Option<(Word, Word)> {
    let (mut source, mut target) = (Word::default(), Word::default());
    let mut found = false;
    for part in &word.parts {
        match part {
            WordPart::Text(text) if !found => match text.split_once(':') {
                Some((before, after)) => {
                    found = true;
                    source.push(WordPart::Text(before.to_owned()));
                    target.push(WordPart::Text(after.to_owned()));
                }
                None => source.push(part.clone()),
            },
            part if found => target.push(part.clone()),
            part => source.push(part.clone()),
        }
    }
    found.then_some((source, target))
}
