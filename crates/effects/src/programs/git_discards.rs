//! Runs of git that throw away work which is not committed: it is in no commit, so that nothing brings it back.

use std::path::Path;

use super::reading::Reading;
use super::trial::{Trial, trial};
use crate::options::Given;
use crate::paths::absolute;
use crate::run::{RedirectKind, Run};
use crate::truth::Truth;
use crate::word::Word;

/// Returns whether a run throws away work that is not committed.
pub(crate) fn discards(reading: &Reading<'_>, run: &Run) -> Truth {
    if run.name().as_deref() != Some("git") || trial(reading, run) >= Trial::Tries {
        return Truth::False;
    }
    let mut words = reading.words();
    let Some(verb) = words.next().and_then(Word::known) else { return Truth::False };
    let has = |names: &str| {
        let given = names.split(' ').map(|name| given(reading, name));
        given.max().unwrap_or(Truth::False)
    };
    let files = Files { reading, run };
    match verb.as_ref() {
        "reset" => has("hard merge"),
        // What it asks about can be answered from the same line.
        "checkout" => has("f force p patch").or(files.checked_out()),
        "switch" => has("f force discard-changes"),
        // Without `--staged` it is the work tree that is restored.
        "restore" => has("S staged").not().or(has("W worktree")),
        "clean" => has("f force").or(cleans_by_setting(run)).and(has("i interactive").not()),
        "stash" => second(reading, &["drop", "clear"]),
        "worktree" => second(reading, &["remove"]).and(has("f force")),
        "submodule" => second(reading, &["deinit"]).and(has("f force")),
        "rm" => has("f force").and(has("cached").not()),
        "read-tree" => has("reset").and(has("u")),
        "checkout-index" => has("f force"),
        // A patch of one's own changes.
        "apply" => has("R reverse").and(has("check stat numstat summary cached").not()),
        "show" | "cat-file" => files.written_over().into(),
        _ => Truth::False,
    }
}

/// Whether an option is given; a word that is not known may be it.
fn given(reading: &Reading<'_>, asked: &str) -> Truth {
    let end = reading.end_of_options.unwrap_or(usize::MAX);
    let is = |given: &Given<'_>| match given {
        Given::Option { name, .. } if name == asked => Truth::True,
        Given::Unknown { word, .. } => {
            let prefix = word.known_prefix();
            Truth::from(prefix.is_empty() || prefix.starts_with('-')).and(Truth::Unknown)
        }
        _ => Truth::False,
    };
    reading.given.iter().take(end).map(is).max().unwrap_or(Truth::False)
}

fn second(reading: &Reading<'_>, verbs: &[&str]) -> Truth {
    let Some(word) = reading.words().nth(1) else { return Truth::False };
    match word.known() {
        Some(word) => verbs.contains(&word.as_ref()).into(),
        None => Truth::Unknown,
    }
}

/// `git -c clean.requireForce=no clean`
fn cleans_by_setting(run: &Run) -> Truth {
    let is = |word: &Word| {
        word.known()
            .is_some_and(|word| word.to_ascii_lowercase().starts_with("clean.requireforce="))
    };
    run.args.iter().any(is).into()
}

/// The files that a run of git names.
struct Files<'r, 'w> {
    reading: &'r Reading<'w>,
    run: &'r Run,
}

impl Files<'_, '_> {
    /// Whether `git checkout` gets files and not a branch: behind `--`, behind a revision, or a word that is none.
    fn checked_out(&self) -> Truth {
        let has = |name: &str| self.reading.options(name).next().is_some();
        if ["b", "B", "orphan", "d", "detach", "t", "track"].into_iter().any(has) {
            return Truth::False;
        }
        if ["pathspec-from-file", "ours", "theirs"].into_iter().any(has) {
            return Truth::True;
        }
        if self.run.more_args {
            return Truth::Unknown;
        }
        let operands: Vec<&Word> = self.reading.operands().collect();
        if self.reading.end_of_options.is_some() {
            let end = self.reading.end_of_options.unwrap_or_default();
            return (self.reading.given.len() > end).into();
        }
        match operands.as_slice() {
            [] => Truth::False,
            [one] => self.is_file(one),
            // A revision, then files; a second word that is not known may be nothing.
            [_, rest @ ..] if rest.iter().all(|word| word.splits()) => Truth::Unknown,
            _ => Truth::True,
        }
    }

    /// Whether a word of `git checkout` is a file and no branch.
    fn is_file(&self, word: &Word) -> Truth {
        let Some(known) = word.known() else {
            // A glob of the shell becomes names of files.
            return word.has_glob().into();
        };
        if known.ends_with('/') || known.starts_with([':', '.', '/']) || has_extension(&known) {
            return Truth::True;
        }
        let path = absolute(word, self.run.cwd.as_deref());
        path.known().is_some_and(|path| Path::new(path.as_ref()).exists()).into()
    }

    /// `git show HEAD:f > f`
    fn written_over(&self) -> bool {
        let targets = self.run.redirects.iter().filter(|one| one.kind == RedirectKind::Write);
        let targets: Vec<_> = targets.filter_map(|one| one.target.known()).collect();
        self.reading.operands().filter_map(Word::known).any(|word| {
            word.split_once(':').is_some_and(|(_, path)| {
                targets
                    .iter()
                    .any(|target| target.trim_start_matches("./") == path.trim_start_matches("./"))
            })
        })
    }
}

/// Whether a word ends as a file of source or text does. Versions end with numbers, and `2.x` is a branch.
fn has_extension(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    let is_word = (1..=10).contains(&end.len())
        && end.starts_with(|c: char| c.is_ascii_alphabetic())
        && end.chars().all(|c| c.is_ascii_alphanumeric());
    let is_version = stem.ends_with(|c: char| c.is_ascii_digit()) && matches!(end, "x" | "y" | "z");
    is_word && !is_version && !stem.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::run::Redirect;

    fn ask(text: &str) -> Truth {
        let mut words = text.split(' ').map(|word| match word.strip_prefix('$') {
            Some(_) => Word::unknown(word, true),
            None => Word::text(word),
        });
        let mut run =
            Run { program: words.next().unwrap(), cwd: Some("/w".into()), ..Run::default() };
        run.args = words.collect();
        if let Some(at) = run.args.iter().position(|word| word.known().as_deref() == Some(">")) {
            let target = run.args.split_off(at).pop().unwrap();
            run.redirects.push(Redirect { kind: RedirectKind::Write, target });
        }
        discards(&read(&run), &run)
    }

    #[test]
    fn work_is_thrown_away() {
        for text in [
            "git checkout src/",
            "git checkout :/",
            "git checkout a.py",
            "git checkout -- a",
            "git checkout HEAD -- a",
            "git checkout main src",
            "git checkout .",
            "git checkout -f x",
            "git checkout -p",
            "git restore -p a",
            "git apply -R fix.patch",
            "git checkout stash@{0} -- src",
            "git checkout --pathspec-from-file=l",
            "git checkout --ours a",
            "git switch --discard-changes x",
            "git reset --hard",
            "git reset --har HEAD~1",
            "git reset --merge",
            "git restore a",
            "git restore -S -W a",
            "git clean -fd",
            "git clean --force",
            "git -c clean.requireForce=no clean",
            "git stash drop",
            "git stash clear",
            "git worktree remove -f x",
            "git submodule deinit -f .",
            "git rm -qf a",
            "git read-tree -u --reset HEAD",
            "git checkout-index -f -a",
            "git checkout-index -fa",
            "git apply -R",
            "git show HEAD:a > a",
            "git show HEAD:src/a > ./src/a",
            "git -C x reset --hard",
        ] {
            assert_eq!(ask(text), Truth::True, "{text}");
        }
    }

    #[test]
    fn work_stays() {
        for text in [
            "git checkout main",
            "git checkout feature/x",
            "git checkout v1.2.3",
            "git checkout release/2.x",
            "git checkout -",
            "git checkout -b x.py",
            "git checkout -b src/ main",
            "git checkout -d a.py",
            "git switch x",
            "git reset HEAD~1",
            "git reset --soft HEAD~1",
            "git restore --staged a",
            "git clean -n",
            "git clean -nfd",
            "git clean -fd --dry-run",
            "git clean -i -f",
            "git stash pop",
            "git stash list",
            "git worktree remove x",
            "git rm a",
            "git rm -f --cached a",
            "git rm -f --dry-run a",
            "git read-tree HEAD",
            "git checkout-index a",
            "git apply -R --check fix.patch",
            "git show HEAD:a > b",
            "git reset --hard --help",
            "git add reset --hard",
            "hg checkout src/",
        ] {
            assert_eq!(ask(text), Truth::False, "{text}");
        }
        assert_eq!(ask("git reset $x"), Truth::Unknown);
        assert_eq!(ask("git $x"), Truth::False);
    }
}
