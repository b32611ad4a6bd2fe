//! Lines whose place, status and pushes are known.

use hookgate_contract::{Head, Truth};
use serde_json::json;

use super::world::World;
use super::{commands, condition, holds};

/// `m` is on `main`, `f` is another repository on `feature`; `tree` is a worktree of `m` on `topic`.
pub(crate) const WORLD: &str = "
git init -q -b main m && git -C m commit -q --allow-empty -m 1 && git -C m branch other && mkdir m/sub n
git clone -q m f && git -C f switch -q -c feature && git -C f commit -q --allow-empty -m 2
git -C m worktree add -q ../tree -b topic
git init -q --bare bare && git -C f remote add up ../bare
";

/// The line, the session, and what is said of the branch: `main`, or `a|b` if it is not known which.
pub(crate) const COMMITS: &[(&str, &str, &str)] = &[
    ("git commit", "m", "main"),
    ("cd ../m && git commit", "f", "main"),
    ("git -C ../m commit", "f", "main"),
    ("git -C .. -C m commit", "f", "main"),
    ("git --git-dir=../m/.git commit", "f", "main"),
    ("git --git-dir ../m/.git --work-tree ../m commit", "f", "main"),
    ("GIT_DIR=../m/.git git commit", "f", "main"),
    ("export GIT_DIR=../m/.git; git commit", "f", "main"),
    ("pushd ../m && git commit", "f", "main"),
    ("(cd ../m && git commit)", "f", "main"),
    ("(cd ../m); git commit", "f", "feature"),
    ("bash -c 'cd ../m && git commit'", "f", "main"),
    ("env -C ../m git commit", "f", "main"),
    ("cd ../f && git commit", "m", "feature"),
    ("cd ../tree && git commit", "m", "topic"),
    ("git -C ../n commit", "m", "-"),
    ("git switch main && git commit", "f", "main"),
    ("git switch main; git commit", "f", "feature|main"),
    ("git checkout main && git commit", "f", "main"),
    ("git checkout -q main; git commit", "f", "feature|main"),
    ("git switch -c topic2 && git commit", "m", "topic2"),
    ("git switch -c topic2; git commit", "m", "topic2"),
    ("git checkout -b topic2 && git commit", "m", "topic2"),
    ("git switch other; git commit", "m", "other"),
    ("git switch -c other || git switch other; git commit", "m", "other"),
    ("git switch -c x || exit 1; git commit", "m", "x"),
    ("set -e; git switch main; git commit", "f", "main"),
    ("git branch -m old && git commit", "m", "old"),
    ("git checkout main -- a && git commit", "f", "feature"),
    ("git switch \"$B\" && git commit", "m", "?"),
    ("git switch - && git commit", "m", "?"),
    ("if x; then git switch main; fi; git commit", "f", "feature|main"),
    ("git worktree add ../w2 -b b2 && cd ../w2 && git commit", "m", "b2"),
    ("git init -b first ../new && git -C ../new commit", "m", "first"),
    ("cd \"$X\" && git commit", "m", "?"),
    // A folder that is not there: the shell stays where it is.
    ("cd /no/such/folder; git commit", "m", "-|main"),
    ("cd /no/such/folder && git commit", "m", "-"),
    ("cd sub; git commit", "m", "main"),
    // Such a folder in a shell of its own, after other folders, and before further ones.
    ("cd /no/such/folder; bash -c 'git commit'", "m", "-|main"),
    ("cd ../f; cd /no/such/folder; git commit", "m", "-|feature"),
    ("cd /no/such/folder; cd gone; git commit", "m", "-|main"),
    ("cd nope || git status && cd ../f && git commit", "m", "feature|main"),
    ("cd nope && export GIT_DIR=../f/.git || git commit", "m", "?"),
    ("git switch -c x && export GIT_DIR=../f/.git; git commit", "m", "?"),
    // Of `A || B && C` nobody knows which of the first two has succeeded.
    ("git branch -m new || git checkout --detach && cd ../f && git commit", "f", "new"),
    ("git switch main || git switch -c x && cd . && git commit", "f", "feature|main|x"),
    // An earlier round.
    ("for x in 1 2; do git commit; git switch -c y; done", "m", "main|y"),
    ("while x; do git commit && git switch other; done", "m", "main|other"),
    ("for x in 1 2; do git commit; export GIT_DIR=../m/.git; done", "f", "?"),
    ("for x in 1 2; do git switch other && git commit; done", "m", "other"),
];

#[test]
fn the_branch_is_that_of_the_command() {
    let world = World::new(WORLD);
    let commit = condition("runs", &json!("git commit"), &world.path("home"));
    for (line, session, expected) in COMMITS {
        let said = commands(&commit, line, &world.path(&format!("w/{session}")));
        let mut heads: Vec<&str> = said
            .iter()
            .flat_map(|one| &one.heads)
            .map(|head| match head {
                Head::Branch(name) => name.as_str(),
                Head::Unreadable(_) => "?",
                _ => "-",
            })
            .collect();
        heads.sort_unstable();
        heads.dedup();
        // What else a line with something unknown may be is the same answer.
        let heads = if heads.contains(&"?") { vec!["?"] } else { heads };
        assert_eq!(heads.join("|"), *expected, "{session}: {line}: {said:?}");
    }
}

const COUNTED: &[&str] = &[
    "checks",
    "cd sub && checks",
    "checks && git push",
    "set -e; checks; echo done",
    "set -o pipefail; checks | tee log",
    "checks || exit 1; echo done",
    "(checks)",
    "{ checks; }",
    "bash -c checks",
    "sudo -u x checks",
    "time checks",
    "cat log | checks",
    "checks > log 2>&1",
    "checks || { echo failed; exit 1; }",
];

const LOST: &[&str] = &[
    "checks || true",
    "checks; true",
    "checks &",
    "checks & wait",
    "checks | tee log",
    "! checks",
    "if checks; then :; fi",
    "checks --help",
    "checks --version",
    "checks --no-run",
    "checks --list",
    "while checks; do :; done",
    "true || checks",
    "false && checks || true",
    "checks; echo $?",
    "x=$(checks); echo $x",
    "echo $(checks)",
    "cat <(checks)",
    "trap 'exit 0' EXIT; checks",
    "exit 0; checks",
    "xargs -n1 echo < x; checks | cat",
    "for x in a; do checks; done; true",
    "set -e; checks || true",
    "set -e; if checks; then :; fi; true",
    "checks |& cat",
    "nohup checks > /dev/null &",
];

#[test]
fn a_status_counts_or_is_thrown_away() {
    let counts = |line: &str, is: &str| {
        let pattern = json!({"program": "checks", "status": is});
        holds(&condition("runs", &pattern, "/home/u"), line, "/home/u/proj")
    };
    for line in COUNTED {
        assert_eq!(counts(line, "counted"), Truth::True, "{line}");
    }
    for line in LOST {
        assert_ne!(counts(line, "counted"), Truth::True, "{line}");
        assert_eq!(counts(line, "thrown away"), Truth::True, "{line}");
    }
}

/// In `f`, on `feature`.
const PUSHES: &[(&str, &str, Truth)] = &[
    ("git push origin main", r#""main""#, Truth::True),
    ("git push origin HEAD:main", r#""main""#, Truth::True),
    ("git push origin HEAD:refs/heads/main", r#""main""#, Truth::True),
    ("git push origin HEAD:heads/main", r#""main""#, Truth::True),
    // A new branch `heads/new`, if the remote has no `new`.
    ("git push origin HEAD:heads/new", r#""new""#, Truth::Unknown),
    ("git push origin HEAD:heads/new", r#""main""#, Truth::False),
    ("git push origin :heads/new", r#""heads/new""#, Truth::Unknown),
    ("git push origin +main", r#"{"to": "main", "force": true}"#, Truth::True),
    ("git push origin main", r#"{"to": "main", "force": true}"#, Truth::False),
    ("git push origin feature:main", r#""main""#, Truth::True),
    ("git push origin :main", r#"{"to": "main", "delete": true}"#, Truth::True),
    ("git push --delete origin main", r#"{"to": "main", "delete": true}"#, Truth::True),
    ("git push -d origin topic", r#""main""#, Truth::False),
    ("git push --all origin", r#""main""#, Truth::True),
    ("git push --mirror", r#""main""#, Truth::True),
    ("git push --mirror up", r#"{"remote": "origin"}"#, Truth::False),
    ("git push origin topic", r#""main""#, Truth::False),
    ("git push origin v1.0 topic", r#""main""#, Truth::False),
    ("git push origin \"$X\"", r#""main""#, Truth::Unknown),
    ("git push --force-w origin topic", r#"{"force": true}"#, Truth::True),
    ("git push --force-with-lease origin topic", r#"{"force": true}"#, Truth::True),
    ("git push", r#""feature""#, Truth::True),
    ("git push", r#""main""#, Truth::False),
    ("git -C ../m push", r#""main""#, Truth::True),
    ("cd ../m && git push", r#""main""#, Truth::True),
    ("git switch main && git push", r#""main""#, Truth::True),
    ("git switch main; git push", r#""main""#, Truth::Unknown),
    ("git push up HEAD", r#"{"to": "feature", "remote": "up"}"#, Truth::True),
    ("git push ../bare HEAD", r#"{"remote": "up"}"#, Truth::True),
    ("git send-pack --force ../bare feature:main", r#"{"to": "main", "force": true}"#, Truth::True),
    (
        "git subtree push --prefix docs origin main",
        r#"{"to": "main", "remote": "origin"}"#,
        Truth::True,
    ),
    (
        "git subtree -P docs push -b part origin main",
        r#"{"to": "main", "remote": "origin"}"#,
        Truth::True,
    ),
    ("git subtree push --prefix main origin pages", r#""main""#, Truth::False),
    ("git subtree split --prefix docs -b main", r#""main""#, Truth::False),
    ("git config remote.origin.push feature:main && git push", r#""main""#, Truth::True),
    ("git -c remote.origin.push=feature:main push", r#""main""#, Truth::True),
    ("git config push.default matching; git push", r#""main""#, Truth::Unknown),
    ("git push --dry-run origin main", r#""main""#, Truth::False),
    ("git push --help", r#""main""#, Truth::False),
    ("git pull origin main", r#""main""#, Truth::False),
    ("git push origin main", r#"["*", "!main"]"#, Truth::False),
    ("git push origin main", r#"{"to": "!main"}"#, Truth::False),
    ("git push origin topic", r#"{"to": "!main"}"#, Truth::True),
    ("git push origin --tags", r#""main""#, Truth::False),
    ("git push origin --tags", r#""refs/tags/*""#, Truth::True),
    ("ssh host git push origin main", r#""main""#, Truth::True),
    ("sudo git push origin main", r#""main""#, Truth::True),
    ("echo git push origin main", r#""main""#, Truth::False),
];

#[test]
fn a_push_is_known_by_what_it_changes() {
    let world = World::new(WORLD);
    for (line, pattern, expected) in PUSHES {
        let value: serde_json::Value = serde_json::from_str(pattern).unwrap();
        let condition = condition("pushes", &value, &world.path("home"));
        assert_eq!(holds(&condition, line, &world.path("w/f")), *expected, "{line}: {pattern}");
    }
}

/// A word that may be several words, one of which names the program.
#[test]
fn a_word_that_may_name_the_program_is_unclear() {
    let removes = condition("runs", &json!("rm"), "/home/u");
    for (line, expected) in [
        ("timeout $T ls", Truth::Unknown),
        ("timeout \"$T\" ls", Truth::False),
        ("timeout 5 ls", Truth::False),
        ("nice -n $N ls", Truth::Unknown),
        ("env $X ls", Truth::Unknown),
        ("env A=\"$X\" ls", Truth::False),
        ("xargs $X ls", Truth::Unknown),
        ("sh -c $X", Truth::Unknown),
        ("sh -c \"ls $X\"", Truth::Unknown),
        ("sh -c 'ls \"$1\"' sh \"$X\"", Truth::False),
        ("sh $X", Truth::Unknown),
        ("$X ls", Truth::Unknown),
    ] {
        assert_eq!(holds(&removes, line, "/home/u/proj"), expected, "{line}");
    }
}
