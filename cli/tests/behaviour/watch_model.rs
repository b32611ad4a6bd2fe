//! Promise: whatever is done to a config while it is watched, what is in force is what is on disk,
//! or the run reports that it is not.
//!
//! `HOOKGATE_WATCH_OPERATIONS` says how many operations are made, `HOOKGATE_WATCH_SEED` which.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::Folder;
use crate::watching::{PATIENCE, Random, Watching};

/// What is promised, on a machine that is not busy.
const PROMISED: Duration = Duration::from_secs(2);

/// How many runs are watched at the same time.
const RUNS: u64 = 8;

/// How many operations follow each other before it must come to rest.
const BURST: u64 = 12;

#[test]
fn what_is_in_force_is_what_is_on_disk_or_it_is_reported() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let operations = number("HOOKGATE_WATCH_OPERATIONS").unwrap_or(96);
    let seed = number("HOOKGATE_WATCH_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.unwrap().as_nanos() as u64
    });
    println!("HOOKGATE_WATCH_SEED={seed} HOOKGATE_WATCH_OPERATIONS={operations}");
    let rounds = operations.div_ceil(RUNS * BURST);
    let runs = (0..RUNS).map(|run| {
        thread::spawn(move || {
            let mut model = Model::new(Random(seed ^ (run << 32)));
            (0..rounds).map(|_| model.round()).collect::<Vec<_>>()
        })
    });
    let runs: Vec<_> = runs.collect();
    let mut took: Vec<Duration> =
        runs.into_iter().flat_map(|run| run.join().expect("see the seed above")).collect();
    took.retain(|took| !took.is_zero());
    took.sort_unstable();
    // A busy machine may be slow now and then, but not most of the time.
    let Some(middle) = took.get(took.len() / 2) else { return };
    println!("{} times a version came into force, mostly within {middle:?}", took.len());
    assert!(*middle <= PROMISED, "it takes {middle:?}: {took:?}");
}

/// `conf/hooks.toml`, where both may be links: `conf` to `a` or `b`, the file to a `target`.
struct Model {
    folder: Folder,
    run: Watching,
    random: Random,
    versions: u64,
    in_force: String,
    /// What was done, for the message of a failure.
    done: Vec<String>,
}

impl Model {
    fn new(random: Random) -> Self {
        let folder = Folder::new();
        fs::create_dir(folder.path("conf")).unwrap();
        folder.write("conf/hooks.toml", text("v0"));
        let mut run = Watching::start(&folder, "conf/hooks.toml");
        assert_eq!(run.evaluate("ls")["reason"], "v0");
        Self { folder, run, random, versions: 0, in_force: "v0".to_owned(), done: Vec::new() }
    }

    /// Does something, and waits until what is in force is what must be. Says how long that took.
    fn round(&mut self) -> Duration {
        let mut possible = BTreeSet::from([self.in_force.clone()]);
        for _ in 0..BURST {
            self.operate();
            possible.extend(self.on_disk());
            let pause = [0, 0, 3, 30, 150, 400][self.random.below(6) as usize];
            thread::sleep(Duration::from_millis(pause));
        }
        while self.run.stderr.try_recv().is_ok() {}
        let began = Instant::now();
        match self.on_disk() {
            Some(version) => loop {
                let found = self.evaluated_by();
                if found == version {
                    self.in_force = found;
                    return began.elapsed();
                }
                let done = &self.done;
                assert!(
                    began.elapsed() < PATIENCE,
                    "{found} is in force, not {version}: {done:#?}"
                );
                thread::sleep(Duration::from_millis(20));
            },
            None => {
                // It was reported a moment ago, or it is within the time between two reminders.
                self.run.wait_for("reloaded, ");
                // What was loaded while the last operation was made may still come into force.
                thread::sleep(Duration::from_secs(1));
                self.in_force = self.evaluated_by();
                let done = &self.done;
                assert!(
                    possible.contains(&self.in_force),
                    "{} was never good: {done:#?}",
                    self.in_force
                );
                thread::sleep(Duration::from_millis(500));
                assert_eq!(
                    self.evaluated_by(),
                    self.in_force,
                    "nothing new was good: {:#?}",
                    self.done
                );
                // The reminder comes every ten seconds: it says nothing about how fast we are.
                Duration::ZERO
            }
        }
    }

    /// Returns the version that evaluates a step.
    fn evaluated_by(&mut self) -> String {
        self.run.evaluate("ls")["reason"].as_str().expect("it denies everything").to_owned()
    }

    /// The version on disk, if it is good.
    fn on_disk(&self) -> Option<String> {
        let path = self.config();
        // Not a pipe: to read it would wait.
        let regular = path.metadata().ok()?.is_file();
        let text = regular.then(|| fs::read_to_string(path).ok())??;
        let version = text.split_once("reason = \"")?.1.split_once('"')?.0.to_owned();
        (text == self::text(&version)).then_some(version)
    }

    fn config(&self) -> PathBuf {
        self.folder.path("conf/hooks.toml")
    }

    fn next(&mut self) -> String {
        self.versions += 1;
        text(&format!("v{}", self.versions))
    }

    /// One operation. Where it cannot be done, as on a file that is not there, nothing is.
    fn operate(&mut self) {
        let (conf, config) = (self.folder.path("conf"), self.config());
        let which = self.random.below(16);
        // A pipe is not written to: that would wait.
        let usable = config.metadata().is_ok_and(|found| found.is_file());
        let what = match which {
            0..=2 if usable => {
                let text = self.next();
                format!("write {:?}", fs::write(&config, text))
            }
            3 => {
                let text = self.next();
                let next = self.folder.write("next", text);
                format!("rename over {:?}", fs::rename(next, &config))
            }
            4 if usable => format!("truncate {:?}", fs::write(&config, "")),
            5 if usable => {
                let text = self.next();
                let half = &text[..text.len() / 2];
                let written = fs::write(&config, half);
                thread::sleep(Duration::from_millis(self.random.below(300)));
                let rest = fs::OpenOptions::new().append(true).open(&config);
                let rest = rest.and_then(|mut file| file.write_all(&text.as_bytes()[half.len()..]));
                format!("write with a break {written:?} {rest:?}")
            }
            6 if usable => format!("break {:?}", fs::write(&config, "[[hook]\nid =")),
            7 => format!("unlink {:?}", fs::remove_file(&config)),
            8 => {
                let moved = self.folder.path(&format!("old-{}", self.versions));
                let moved = fs::rename(&conf, moved);
                let made = fs::create_dir(&conf);
                let text = self.next();
                format!("move the folder {moved:?} {made:?} {:?}", fs::write(&config, text))
            }
            9 => {
                let _ = fs::remove_file(&conf);
                let removed = fs::remove_dir_all(&conf);
                let made = fs::create_dir(&conf);
                let text = self.next();
                format!("make it anew {removed:?} {made:?} {:?}", fs::write(&config, text))
            }
            10 => {
                let name = ["a", "b"][self.random.below(2) as usize];
                let text = self.next();
                let _ = fs::create_dir(self.folder.path(name));
                let target = self.folder.path(name).join("hooks.toml");
                let _ = fs::remove_file(&target);
                fs::write(&target, text).unwrap();
                self.clear(&conf);
                format!("link the folder to {name} {:?}", symlink(name, &conf))
            }
            11 => {
                let text = self.next();
                let target = self.folder.write("target", text);
                let next = self.folder.path("link");
                let _ = fs::remove_file(&next);
                symlink(target, &next).unwrap();
                format!("link the file {:?}", fs::rename(next, &config))
            }
            12 => {
                let text = self.next();
                let written = config.canonicalize().ok().filter(|_| usable);
                let written = written.map(|real| fs::write(real, text));
                format!("edit where it really is {written:?}")
            }
            13 => {
                let _ = fs::remove_file(&config);
                let made = Command::new("mkfifo").arg(&config).output();
                format!("pipe {}", made.is_ok_and(|made| made.status.success()))
            }
            14 if usable => {
                format!(
                    "chmod 000 {:?}",
                    fs::set_permissions(&config, Permissions::from_mode(0o000))
                )
            }
            15 => {
                let _ = fs::remove_file(&config);
                let text = self.next();
                format!("unlink and write {:?}", fs::write(&config, text))
            }
            _ => return,
        };
        self.done.push(what);
    }

    /// Removes whatever is at a path.
    fn clear(&self, path: &Path) {
        if fs::remove_file(path).is_err() {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// A config that denies everything, and says which version it is. No part of it is a config.
fn text(version: &str) -> String {
    format!(
        "[[hook]]\nid = \"v\"\nevent = \"pre_tool_use\"\n\
         builtin = {{ name = \"deny\", reason = \"{version}\" }}\n"
    )
}
