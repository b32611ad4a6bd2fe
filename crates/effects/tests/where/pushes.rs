//! Which refs of which remote a push changes.

use std::collections::BTreeMap;
use std::process::Command;

use hookgate_contract::Truth;
use serde_json::json;

use super::random::Random;
use super::world::World;
use super::{condition, holds, lines, seed};

/// A repository with two remotes. The branch `apart` has left that of the remote; `ahead` has not.
const WORLD: &str = "
git init -q --bare -b main origin && git init -q --bare -b main fork && git init -q -b main r && cd r
git config receive.denyDeleteCurrent ignore && git -C ../origin config receive.denyDeleteCurrent ignore
git remote add origin ../origin && git remote add fork ../fork
git commit -q --allow-empty -m 1 && git branch ahead && git branch apart && git branch feature && git branch deep/one
git switch -q apart && git commit -q --allow-empty -m old && git push -q --all origin && git push -q fork main apart
git tag v1 && git push -q origin v1 && git tag v2
git reset -q --hard main && git commit -q --allow-empty -m new
git switch -q ahead && git commit -q --allow-empty -m 2
git switch -q feature && git commit -q --allow-empty -m 3
git switch -q main && git commit -q --allow-empty -m 4
cd .. && git clone -q r other && mkdir n
";

const BRANCHES: [&str; 6] = ["main", "ahead", "apart", "feature", "deep/one", "fresh"];

struct Lines(Random);

impl Lines {
    fn branch(&mut self) -> &'static str {
        self.0.pick(&BRANCHES)
    }

    fn target(&mut self) -> String {
        let branch = self.branch();
        match self.0.below(4) {
            0 => format!("refs/heads/{branch}"),
            1 => format!("heads/{branch}"),
            _ => branch.to_owned(),
        }
    }

    fn refspec(&mut self) -> String {
        let plus = if self.0.chance(15) { "+" } else { "" };
        let (one, target) = (self.branch(), self.target());
        match self.0.below(17) {
            0..=2 => format!("{plus}{one}"),
            3 => format!("{plus}HEAD"),
            4 | 5 => format!("{plus}HEAD:{target}"),
            6 | 7 => format!("{plus}{one}:{target}"),
            8 => format!(":{target}"),
            9 => format!("{plus}refs/heads/*:refs/heads/*"),
            10 => format!("{plus}refs/heads/deep/*:refs/heads/made/*"),
            11 => format!("{plus}:"),
            12 => self.0.pick(&["v1", "v2", "tag v2", "refs/tags/*", ":v1"]).to_owned(),
            13 => format!("{plus}HEAD~0:{target}"),
            14 => format!("{plus}refs/heads/{one}"),
            15 => "@".to_owned(),
            _ => format!("{plus}{one}^{{commit}}:refs/heads/{}", self.branch()),
        }
    }

    fn push(&mut self) -> String {
        let place = self.0.pick(&[
            "git",
            "git",
            "git",
            "git -C ../r",
            "cd ../r && git",
            "git --git-dir=../r/.git",
        ]);
        let setting = self.0.pick(&[
            "",
            "",
            "",
            "",
            "-c push.default=current",
            "-c push.default=matching",
            "-c push.default=upstream",
            "-c remote.pushDefault=fork",
            "-c push.followTags=true",
        ]);
        if self.0.chance(6) {
            let force = self.0.pick(&["", "--force", "--all", "--mirror"]);
            let refspec =
                if force.len() > 2 && force != "--force" { String::new() } else { self.refspec() };
            return format!("{place} {setting} send-pack {force} ../origin {refspec}");
        }
        let mut text = format!("{place} {setting} push");
        for _ in 0..self.0.below(3) {
            let option = self.0.pick(&[
                "-f",
                "--force",
                "--forc",
                "--force-with-lease",
                "--all",
                "--mirror",
                "--tags",
                "--delete",
                "-d",
                "-u",
                "--prune",
                "--dry-run",
                "-n",
                "--follow-tags",
                "--no-verify",
                "-q",
                "--no-force",
                "--branches",
                "--repo=fork",
                "-uf",
                "--atomic",
            ]);
            text = format!("{text} {option}");
        }
        if self.0.chance(80) {
            text = format!("{text} {}", self.0.pick(&["origin", "origin", "fork", "../origin"]));
            for _ in 0..self.0.below(3) {
                text = format!("{text} {}", self.refspec());
            }
        }
        text
    }

    /// What the settings of the repository are before.
    fn settings(&mut self) -> String {
        let mut text = format!(
            "git -C r switch -q {}",
            self.0.pick(&["main", "ahead", "apart", "feature", "--detach"])
        );
        for _ in 0..self.0.below(4) {
            let (one, other) = (self.branch(), self.branch());
            let next = match self.0.below(8) {
                0 => format!(
                    "push.default {}",
                    self.0.pick(&["simple", "current", "upstream", "matching", "nothing"])
                ),
                1 => format!(
                    "branch.{one}.merge refs/heads/{other} && git -C r config branch.{one}.remote origin"
                ),
                2 => format!("remote.origin.push {}", self.refspec().replace("tag v2", "v2")),
                3 => "remote.origin.mirror true".to_owned(),
                4 => "remote.pushDefault fork".to_owned(),
                5 => format!("branch.{one}.pushRemote fork"),
                6 => "remote.origin.pushurl ../fork".to_owned(),
                _ => "push.followTags true".to_owned(),
            };
            text = format!("{text}; git -C r config {next}");
        }
        text
    }
}

type Refs = BTreeMap<String, String>;

fn refs(world: &World, remote: &str) -> Refs {
    let output = Command::new("git")
        .args([
            "--git-dir",
            &world.path(&format!("w/{remote}")),
            "for-each-ref",
            "--format=%(refname) %(objectname)",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect()
}

/// Whether what stood in a ref is lost.
fn is_lost(world: &World, old: &str, new: &str) -> bool {
    let status = Command::new("git")
        .args(["--git-dir", &world.path("w/r/.git"), "merge-base", "--is-ancestor", old, new])
        .stderr(std::process::Stdio::null())
        .status();
    !status.unwrap().success()
}

#[test]
fn pushes_change_what_hookgate_says() {
    let world = World::new(WORLD);
    let home = world.path("home");
    let mut maker = Lines(Random::new(seed()));
    let (mut changes, mut surely, mut pushed, mut silent) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for _ in 0..lines() {
        let (settings, line) = (maker.settings(), maker.push());
        world.restore();
        world.run(&settings, "w", &[]);
        let before: Vec<Refs> =
            ["origin", "fork"].iter().map(|remote| refs(&world, remote)).collect();
        let cwd = world.path("w/r");
        let ask =
            |table: serde_json::Value| holds(&condition("pushes", &table, &home), &line, &cwd);
        // hookgate answers before the line runs.
        let all_refs: Vec<String> = BRANCHES
            .iter()
            .map(|branch| format!("refs/heads/{branch}"))
            .chain(["refs/heads/made/one", "refs/tags/v1", "refs/tags/v2"].map(str::to_owned))
            .collect();
        let mut said = BTreeMap::new();
        for name in &all_refs {
            let answers = [
                ask(json!({"to": [name]})),
                ask(json!({"to": [name], "force": true})),
                ask(json!({"to": [name], "delete": true})),
                ask(json!({"to": [name], "delete": false, "remote": "origin"})),
            ];
            said.insert(name.clone(), answers);
        }
        let ran = world.run(&line, "w/r", &[]);
        let mut changed = 0;
        for (place, remote) in ["origin", "fork"].iter().enumerate() {
            let after = refs(&world, remote);
            for name in &all_refs {
                let (old, new) = (before[place].get(name), after.get(name));
                if old == new {
                    continue;
                }
                changes += 1;
                changed += 1;
                let [any, force, delete, _] = said[name];
                surely += usize::from(any == Truth::True);
                let lost =
                    matches!((old, new), (Some(old), Some(new)) if is_lost(&world, old, new));
                let is_tag = name.starts_with("refs/tags/");
                if any == Truth::False
                    || (lost && !is_tag && force == Truth::False)
                    || (new.is_none() && delete == Truth::False)
                {
                    wrong.push(format!(
                        "{settings}\n  {line}\n  {remote} {name}: {old:?} → {new:?}, but {:?}",
                        said[name]
                    ));
                }
            }
        }
        // What is surely pushed is there afterwards, or is gone.
        if ran.succeeded && !line.contains(" -d") && !line.contains("--delete") {
            for name in &all_refs {
                let [_, _, _, kept] = said[name];
                let there =
                    ["origin", "fork"].iter().any(|remote| refs(&world, remote).contains_key(name));
                let wild = line.contains("--mirror") || settings.contains("mirror");
                if kept == Truth::True && !there && !wild && !name.starts_with("refs/tags/") {
                    wrong.push(format!(
                        "{settings}\n  {line}\n  {name} is not there, but {:?}",
                        said[name]
                    ));
                }
            }
            if changed == 0 {
                pushed += 1;
                silent += usize::from(said.values().all(|answers| answers[0] == Truth::False));
            }
        }
    }
    println!(
        "{changes} refs were changed, {surely} of these surely; {silent} of {pushed} idle lines push nothing"
    );
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(changes > lines() / 4 && surely * 3 > changes * 2, "most pushes are known");
}
