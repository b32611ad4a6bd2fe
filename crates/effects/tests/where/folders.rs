//! Where commands work, and on which branch.

use std::collections::HashSet;

use hookgate_contract::{Command, Head, Truth};
use hookgate_git::head_of;
use serde_json::json;

use super::random::Random;
use super::world::World;
use super::{commands, condition, lines, seed};

/// Two repositories, a worktree, and a folder that is none. A local change stands in the way of the branch `far`.
const WORLD: &str = "
git init -q -b main m && cd m && mkdir -p sub/deep && echo 1 > file && touch sub/deep/x && git add . && git commit -qm 1
git branch same && git branch feature && git checkout -q -b far && echo 2 > file && git commit -qam 2
git checkout -q main && git worktree add -q ../tree -b topic && cd ..
git clone -q m f && cd f && git checkout -q -b feature && git branch main2 && echo 3 > other && git add . &&
git commit -qm 3 && cd .. && git -C f branch -q far origin/far && echo 5 > f/file
mkdir -p n/sub && git init -q -b main n/none && rm -rf n/none
";

const SESSIONS: [&str; 6] = ["w/m", "w/f", "w/tree", "w/n", "w/m/sub", "w"];

const FOLDERS: [&str; 14] = [
    "../m",
    "../f",
    "../tree",
    "../n",
    "sub",
    "..",
    "../../m",
    "nope",
    "\"$W/m\"",
    "$W/f",
    "$W/tree",
    "m",
    "f",
    "../m/sub/deep",
];

const BRANCHES: [&str; 10] =
    ["main", "same", "feature", "far", "topic", "main2", "new1", "new2", "HEAD", "file"];

struct Lines {
    random: Random,
    next: usize,
    root: String,
}

impl Lines {
    fn folder(&mut self) -> String {
        let folder = self.random.pick(&FOLDERS);
        let root = format!("{}/w", self.root);
        folder.replace("$W", &root)
    }

    fn number(&mut self) -> String {
        self.next += 1;
        format!("c{}", self.next)
    }

    fn git(&mut self) -> String {
        let folder = self.folder();
        let folder = folder.trim_matches('"');
        match self.random.below(12) {
            0 | 1 => format!("git -C {folder}"),
            2 => format!("git --git-dir={folder}/.git"),
            3 => format!("GIT_DIR={folder}/.git git"),
            4 => format!("git --git-dir {folder}/.git --work-tree {folder}"),
            _ => "git".to_owned(),
        }
    }

    fn commit(&mut self) -> String {
        let (git, number) = (self.git(), self.number());
        format!("{git} commit -qm {number} --allow-empty")
    }

    fn probe(&mut self) -> String {
        let number = self.number();
        match self.random.below(6) {
            0 => format!("env -C {} probe {number}", self.folder()),
            _ => format!("probe {number}"),
        }
    }

    fn change(&mut self) -> String {
        let git = self.git();
        let branch = self.random.pick(&BRANCHES);
        let start = self.random.pick(&["", "", "main", "far"]);
        match self.random.below(17) {
            0..=2 => format!("{git} switch -q {branch}"),
            3 | 4 => format!("{git} checkout -q {branch}"),
            5 | 6 => format!("{git} switch -q -c {branch} {start}"),
            7 => format!("{git} checkout -q -b {branch} {start}"),
            8 => format!("{git} checkout -qB {branch}"),
            9 => format!("{git} branch -m {branch}"),
            10 => format!("{git} checkout -q --detach"),
            11 => format!("{git} checkout -q HEAD -- file"),
            12 => format!("{git} switch -q -"),
            13 => format!("{git} symbolic-ref HEAD refs/heads/{branch}"),
            14 => format!("{git} worktree add -q ../made -b {branch} && cd ../made"),
            15 => format!("{git} init -q -b {branch} ../fresh && cd ../fresh"),
            _ => format!("{git} checkout -q {branch} -- file"),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let inner = |lines: &mut Self| lines.list(depth + 1, 2);
        match self.random.below(if depth < 2 { 26 } else { 16 }) {
            0..=3 => format!("cd {}", self.folder()),
            4..=7 => self.commit(),
            8 | 9 => self.probe(),
            10..=12 => self.change(),
            13 => self
                .random
                .pick(&["true", "false", "ls > /dev/null", "popd > /dev/null", "cd -", "set -e"])
                .to_owned(),
            14 => format!("pushd {} > /dev/null", self.folder()),
            15 => format!("export GIT_DIR={}/.git", self.folder().trim_matches('"')),
            16 | 17 => format!("({})", inner(self)),
            18 => format!("{{ {}; }}", inner(self)),
            19 => format!("if {}; then {}; fi", self.statement(2), inner(self)),
            20 => {
                format!("if {}; then {}; else {}; fi", self.statement(2), inner(self), inner(self))
            }
            21 => format!("for x in 1 2; do {}; done", inner(self)),
            22 => format!("go() {{ {}; }}; go", inner(self)),
            23 => format!("bash -c '{}'", inner(self)),
            24 => format!("{} | cat", self.statement(2)),
            _ => format!("x=$({}); {}", inner(self), self.statement(2)),
        }
    }

    fn list(&mut self, depth: usize, most: usize) -> String {
        let mut text = self.statement(depth);
        for _ in 0..self.random.below(most + 1) {
            let joint = self.random.pick(&[" && ", " && ", " && ", "; ", "; ", " || "]);
            text = format!("{text}{joint}{}", self.statement(depth));
        }
        text
    }

    fn line(&mut self) -> String {
        let mut text = self.list(0, 4);
        if self.random.chance(60) {
            text = format!("{text} && {}", self.commit());
        }
        text
    }
}

/// Whether a command is the one with this number.
fn is(command: &Command, number: &str) -> bool {
    command.shown.as_ref().is_some_and(|shown| shown.split([' ', '`']).any(|word| word == number))
}

#[test]
fn commands_work_where_hookgate_says() {
    let world = World::new(WORLD);
    let home = world.path("home");
    let commit = condition("runs", &json!("git commit"), &home);
    let probe = condition("runs", &json!("probe"), &home);
    let mut random = Random::new(seed());
    let (mut seen, mut known, mut by_session) = (0, 0, 0);
    let mut wrong = Vec::new();
    for _ in 0..lines() {
        let session = random.pick(&SESSIONS);
        let mut maker = Lines {
            random: Random::new(random.below(1 << 40) as u64),
            next: 0,
            root: world.path(""),
        };
        maker.root.truncate(maker.root.trim_end_matches('/').len());
        let line = maker.line();
        world.restore();
        let cwd = world.path(session);
        let commits = commands(&commit, &line, &cwd);
        let probes = commands(&probe, &line, &cwd);
        let at_session = head_of(cwd.as_ref());
        let ran = world.run(&line, session, &[]);
        // What a loop does again and again counts once.
        let mut counted = HashSet::new();
        for entry in ran.log.lines() {
            let words: Vec<&str> = entry.split(' ').collect();
            let is_new = counted.insert(entry);
            seen += usize::from(is_new);
            match words.as_slice() {
                [number, _, head] => {
                    let head =
                        head.strip_prefix("refs/heads/").map(|name| Head::Branch(name.to_owned()));
                    let all = commits.iter().filter(|one| is(one, number) || one.shown.is_none());
                    let covers = |one: &Command| {
                        one.shown.is_none()
                            || one.heads.iter().any(|said| match (said, &head) {
                                (Head::Unreadable(_), _) | (Head::Detached(_), None) => true,
                                (said, Some(head)) => said == head,
                                _ => false,
                            })
                    };
                    let sure = |one: &Command| {
                        one.shown.is_some()
                            && one.heads.len() == 1
                            && !matches!(one.heads[0], Head::Unreadable(_))
                    };
                    let all: Vec<_> = all.collect();
                    if !all.iter().any(|one| covers(one)) {
                        wrong.push(format!("{session}: {line}\n  {entry}, but {commits:?}"));
                    }
                    known += usize::from(is_new && all.iter().all(|one| sure(one)));
                    by_session += usize::from(is_new && head.as_ref() != Some(&at_session));
                }
                [number, folder] => {
                    let all: Vec<_> = probes
                        .iter()
                        .filter(|one| is(one, number) || one.shown.is_none())
                        .collect();
                    if !all
                        .iter()
                        .any(|one| one.folder.as_deref().is_none_or(|said| said == *folder))
                    {
                        wrong.push(format!("{session}: {line}\n  {entry}, but {probes:?}"));
                    }
                    let is_known =
                        all.iter().all(|one| one.folder.is_some() && one.shown.is_some());
                    known += usize::from(is_new && is_known);
                    by_session += usize::from(is_new && *folder != cwd);
                }
                _ => panic!("{entry}"),
            }
        }
    }
    println!(
        "{seen} commands were seen, {known} are known; the folder of the session is wrong for {by_session}"
    );
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(known * 3 > seen, "most places are known");
    // The control: the folder of the session alone, as `git_branch` was judged once, is wrong.
    assert!(by_session * 5 > seen);
    assert_eq!(holds_anywhere(&commit), Truth::False);
}

fn holds_anywhere(commit: &hookgate_contract::BuiltCondition) -> Truth {
    super::holds(commit, "git status", "/")
}
