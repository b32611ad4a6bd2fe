//! Promise: whatever is done to the configs of several layers while they are watched, what is in force is
//! what is on disk, or the run reports that it is not.
//!
//! `HOOKGATE_WATCH_OPERATIONS` says how many operations are made, `HOOKGATE_WATCH_SEED` which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::Folder;
use crate::watching::{PATIENCE, Random, Watching};

/// The files that come and go, each with a hook of its own: drop-ins, one person's, one that a pattern of an
/// `include` means, and that of the user, which stays once it is there.
const SLOTS: [&str; 5] =
    ["hooks.d/a.toml", "hooks.d/b.toml", ".hookgate/hooks.local.toml", "policies/p.toml", USERS];

const USERS: &str = "configs-of-user/hookgate/hooks.toml";

/// How many operations follow each other before it must come to rest.
const BURST: u64 = 8;

/// How many runs are watched at the same time.
const RUNS: u64 = 4;

/// The versions in force, by file; a file without one is not there.
type State = BTreeMap<&'static str, String>;

#[test]
fn what_is_in_force_of_all_layers_is_what_is_on_disk_or_it_is_reported() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let operations = number("HOOKGATE_WATCH_OPERATIONS").unwrap_or(64);
    let seed = number("HOOKGATE_WATCH_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.unwrap().as_nanos() as u64
    });
    println!("HOOKGATE_WATCH_SEED={seed} HOOKGATE_WATCH_OPERATIONS={operations}");
    let rounds = operations.div_ceil(RUNS * BURST);
    let runs = (0..RUNS).map(|run| {
        thread::spawn(move || {
            let mut model = Model::new(Random(seed ^ (run << 32)));
            (0..rounds).for_each(|_| model.round());
        })
    });
    runs.collect::<Vec<_>>().into_iter().for_each(|run| run.join().expect("see the seed above"));
}

struct Model {
    folder: Folder,
    run: Watching,
    random: Random,
    versions: u64,
    /// What was good at some time, of each file.
    good: BTreeMap<&'static str, BTreeSet<Option<String>>>,
    /// What was done, for the message of a failure.
    done: Vec<String>,
}

impl Model {
    fn new(random: Random) -> Self {
        let folder = Folder::with_hooks(
            &("include = [\"policies/*.toml\"]\n".to_owned() + &text("hooks.toml", "base")),
        );
        fs::create_dir(folder.path("policies")).unwrap();
        folder.write("policies/base.toml", text("policies/base.toml", "base"));
        let mut run = Watching::start_in(&folder, "");
        assert_eq!(run.evaluate("hooks.toml")["reason"], "base");
        let good = SLOTS.map(|slot| (slot, BTreeSet::from([None]))).into();
        Self { folder, run, random, versions: 0, good, done: Vec::new() }
    }

    /// Does something, and waits until what is in force is what must be.
    fn round(&mut self) {
        for _ in 0..BURST {
            self.operate();
            let pause = [0, 0, 3, 30, 150, 400][self.random.below(6) as usize];
            thread::sleep(Duration::from_millis(pause));
        }
        while self.run.stderr.try_recv().is_ok() {}
        let began = Instant::now();
        let Some(expected) = self.on_disk() else {
            // It was reported a moment ago, or it is within the time between two reminders.
            self.run.wait_for("reloaded, ");
            thread::sleep(Duration::from_secs(1));
            let found = self.in_force();
            for slot in SLOTS {
                let version = found.get(slot).cloned();
                let done = &self.done;
                assert!(self.good[slot].contains(&version), "{slot}: {version:?}: {done:#?}");
            }
            thread::sleep(Duration::from_millis(500));
            assert_eq!(self.in_force(), found, "nothing new was good: {:#?}", self.done);
            return;
        };
        loop {
            let found = self.in_force();
            if found == expected {
                return;
            }
            let done = &self.done;
            assert!(
                began.elapsed() < PATIENCE,
                "{found:?} is in force, not {expected:?}: {done:#?}"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns what evaluates steps.
    fn in_force(&mut self) -> State {
        // What is always there is never lost.
        for base in ["hooks.toml", "policies/base.toml"] {
            assert_eq!(self.run.evaluate(base)["reason"], "base", "{:#?}", self.done);
        }
        let version = |slot: &'static str| {
            let record = self.run.evaluate(slot);
            Some((slot, record["reason"].as_str()?.to_owned()))
        };
        SLOTS.into_iter().filter_map(version).collect()
    }

    /// Returns what is on disk, if all of it is good.
    fn on_disk(&self) -> Option<State> {
        let mut state = State::new();
        for slot in SLOTS {
            match fs::read_to_string(self.folder.path(slot)) {
                Ok(written) => {
                    let version = written.split_once("reason = \"")?.1.split_once('"')?.0;
                    (written == text(slot, version)).then_some(())?;
                    state.insert(slot, version.to_owned());
                }
                // It stays one of the configs.
                Err(_) if slot == USERS && self.good[slot].len() > 1 => return None,
                Err(_) => {}
            }
        }
        Some(state)
    }

    /// One operation on one of the files.
    fn operate(&mut self) {
        let slot = SLOTS[self.random.below(5) as usize];
        let path = self.folder.path(slot);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        self.versions += 1;
        let version = format!("v{}", self.versions);
        let new = text(slot, &version);
        let what = match self.random.below(10) {
            0..=2 => {
                self.note(slot, Some(version));
                format!("write {:?}", fs::write(&path, new))
            }
            3..=5 => {
                self.note(slot, Some(version));
                let next = path.with_extension("new");
                format!("rename {:?}", fs::write(&next, new).and_then(|()| fs::rename(next, &path)))
            }
            6 => format!("break {:?}", fs::write(&path, "[[hook]\nid =")),
            7 if slot.starts_with("hooks.d") => {
                for other in ["hooks.d/a.toml", "hooks.d/b.toml"] {
                    self.note(other, None);
                }
                format!("remove the folder {:?}", fs::remove_dir_all(path.parent().unwrap()))
            }
            _ if slot == USERS => "nothing".to_owned(),
            _ => {
                self.note(slot, None);
                format!("remove {:?}", fs::remove_file(&path))
            }
        };
        self.done.push(format!("{slot}: {what}, {}", self.versions));
    }

    fn note(&mut self, slot: &'static str, version: Option<String>) {
        self.good.get_mut(slot).unwrap().insert(version);
    }
}

/// A config of one hook, which denies the command that is its name, and says which version it is.
fn text(slot: &str, version: &str) -> String {
    let id = PathBuf::from(slot).display().to_string().replace(['/', '.'], "-");
    format!(
        "[[hook]]\nid = \"{}\"\nevent = \"pre_tool_use\"\n\
         input = {{ \"/command\" = {{ equals = \"{slot}\" }} }}\n\
         builtin = {{ name = \"deny\", reason = \"{version}\" }}\n",
        id.trim_start_matches('-')
    )
}
