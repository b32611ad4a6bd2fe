//! Promise: while steps are evaluated without a break and a script edits the config, every good version is in
//! force within a second, no bad one ever is, no decision changes with a reload that fails, and each step
//! gets exactly one decision.
//!
//! What is good is what a run of its own accepts, and its decisions are those that are expected.
//! `HOOKGATE_WATCH_EDITS` says how many edits are made: with 1000 the config is cut off at each of its bytes
//! and each byte is flipped. `HOOKGATE_WATCH_SEED` says which bit, and in which way a file is written.

mod load;
mod lost_time;

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Folder;
use crate::watching::Random;
use load::Load;
use lost_time::LostTime;

/// What is promised, on a machine that is not busy.
const PROMISED: Duration = Duration::from_secs(1);

/// How many runs are watched at the same time.
const RUNS: usize = 4;

/// The number of edits that are made unless more are asked for, of all runs.
const FEW: usize = 40;

/// With how many all are made that there are.
const ALL: usize = 1000;

/// How many steps the decisions are compared of.
const STEPS: usize = 200;

/// After how many bad versions a good one follows.
const BAD_IN_A_ROW: usize = 7;

/// How long the report of a bad version is waited for. There is none if it fails as the one before it.
const REPORTED: Duration = Duration::from_millis(1500);

/// How long a thread sleeps that finds out how busy the machine is.
const TICK: Duration = Duration::from_millis(10);

#[test]
fn of_a_thousand_edits_under_load_every_good_one_is_in_force_and_no_bad_one_ever_is() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let wanted = number("HOOKGATE_WATCH_EDITS").map_or(FEW, |edits| edits as usize);
    let seed = number("HOOKGATE_WATCH_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.unwrap().as_nanos() as u64
    });
    println!("HOOKGATE_WATCH_SEED={seed} HOOKGATE_WATCH_EDITS={wanted}");
    let lost = LostTime::start();
    let runs: Vec<_> = (0..RUNS)
        .map(|run| {
            let lost = lost.clone();
            thread::spawn(move || {
                let mut editing = Editing::new(run, Random(seed ^ ((run as u64) << 32)), lost);
                for edit in edits(run, wanted, seed) {
                    editing.make(&edit);
                }
                editing.end()
            })
        })
        .collect();
    let mut all = Tally::default();
    for run in runs {
        all.add(run.join().expect("see the seed above"));
    }
    all.took.sort_unstable();
    let steps = all.steps;
    println!(
        "{} edits: {} good ones came into force, {} were the config in force, {} bad ones did not; {steps} steps",
        all.took.len() + all.same + all.bad,
        all.took.len(),
        all.same,
        all.bad,
    );
    println!(
        "in force after {:?} (median), {:?} at most",
        all.took[all.took.len() / 2],
        all.took.last().unwrap()
    );
    println!("bad ones: {:?}", all.kinds);
    assert!(all.bad > 0 && !all.took.is_empty());
}

/// What is done to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edit {
    /// A new good version.
    Good,
    /// The file ends here.
    CutAt(usize),
    /// A bit of the byte here is another.
    FlipAt(usize),
    Empty,
    /// Only blanks and a comment.
    Bare,
    Delete,
}

impl Edit {
    const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::CutAt(_) => "cut off",
            Self::FlipAt(_) => "a bit flipped",
            Self::Empty => "empty",
            Self::Bare => "without a hook",
            Self::Delete => "deleted",
        }
    }
}

/// Returns the edits of a run. Two runs share the offsets of each form of the config.
fn edits(run: usize, wanted: usize, seed: u64) -> Vec<Edit> {
    let length = text(requires(run), 1).len();
    let mut bad = Vec::new();
    for offset in (0..length).filter(|offset| offset % 2 == run / 2) {
        bad.extend([Edit::CutAt(offset), Edit::FlipAt(offset)]);
        match offset % 48 / 2 {
            0 => bad.push(Edit::Empty),
            8 => bad.push(Edit::Delete),
            16 => bad.push(Edit::Bare),
            _ => {}
        }
    }
    // A good one stands after every few.
    let fewer = match wanted >= ALL {
        true => bad.len(),
        false => (wanted / RUNS * BAD_IN_A_ROW / (BAD_IN_A_ROW + 1)).clamp(1, bad.len()),
    };
    let (from, stride) = (Random(seed).below(bad.len() as u64) as usize, bad.len() / fewer);
    let bad: Vec<Edit> =
        (0..fewer).map(|at| bad[(from + at * stride.max(1)) % bad.len()]).collect();
    let mut edits = Vec::new();
    for some in bad.chunks(BAD_IN_A_ROW) {
        edits.extend(some);
        edits.push(Edit::Good);
    }
    edits
}

/// Whether the config of a run says which hooks must be there.
const fn requires(run: usize) -> bool {
    run.is_multiple_of(2)
}

/// A config of a version. With `[require]` no part of it is a config.
fn text(requires: bool, version: usize) -> String {
    let require = if requires { "[require]\nhooks = [\"push\", \"pub\"]\n" } else { "" };
    format!(
        "{require}[[hook]]\nid = \"push\"\nevent = \"pre_tool_use\"\n\
         input = {{ \"/command\" = {{ contains = \"push\" }} }}\n\
         builtin = {{ name = \"deny\", reason = \"v{version:04}\" }}\n\
         [[hook]]\nid = \"pub\"\nevent = \"pre_tool_use\"\n\
         builtin = {{ name = \"ask\", reason = \"?\" }}\n"
    )
}

/// What is in force, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expected {
    config_hash: String,
    /// The decision about each step.
    decisions: Vec<String>,
}

#[derive(Default)]
struct Tally {
    /// How long each good version took to come into force, without the time that the machine was too busy.
    took: Vec<Duration>,
    /// How many good versions were the one in force.
    same: usize,
    bad: usize,
    kinds: BTreeMap<&'static str, usize>,
    steps: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.took.extend(other.took);
        self.same += other.same;
        self.bad += other.bad;
        self.steps += other.steps;
        for (kind, number) in other.kinds {
            *self.kinds.entry(kind).or_default() += number;
        }
    }
}

/// A run under load whose config is edited.
struct Editing {
    run: usize,
    random: Random,
    lost: LostTime,
    folder: Folder,
    /// Where a version is tried out.
    aside: Folder,
    load: Load,
    in_force: Expected,
    version: usize,
    tally: Tally,
    /// What was done, for the message of a failure.
    done: Vec<String>,
}

impl Editing {
    fn new(run: usize, random: Random, lost: LostTime) -> Self {
        let first = text(requires(run), 0);
        let (folder, aside) = (Folder::with_hooks(&first), Folder::new());
        aside.write("steps.jsonl", (0..STEPS).map(|at| step(0, at)).collect::<String>());
        let in_force = expected(&aside, Some(first.as_bytes())).expect("the first one is good");
        let load = Load::start(&folder);
        let mut editing = Self {
            run,
            random,
            lost,
            folder,
            aside,
            load,
            in_force,
            version: 0,
            tally: Tally::default(),
            done: Vec::new(),
        };
        editing.compare();
        editing
    }

    /// Makes an edit, and waits until what is in force is what must be.
    fn make(&mut self, edit: &Edit) {
        self.version += 1;
        let mut bytes = text(requires(self.run), self.version).into_bytes();
        match *edit {
            Edit::Good | Edit::Delete => {}
            Edit::CutAt(offset) => bytes.truncate(offset),
            Edit::FlipAt(offset) => bytes[offset] ^= 1 << self.random.below(8),
            Edit::Empty => bytes.clear(),
            Edit::Bare => bytes = b"# Nothing yet.\n\n".to_vec(),
        }
        let bytes = Some(bytes).filter(|_| *edit != Edit::Delete);
        let expected = expected(&self.aside, bytes.as_deref());
        if requires(self.run) && matches!(edit, Edit::CutAt(_)) {
            let whole = text(true, self.version);
            let is_whole = bytes.as_deref().is_some_and(|some| some == whole.trim_end().as_bytes());
            assert!(expected.is_none() || is_whole, "a part is no config: {edit:?}");
        }
        let how = self.write(bytes.as_deref());
        self.done.push(format!("{edit:?} ({how}): {}", expected.is_some()));
        let written = Instant::now();
        match expected {
            Some(good) if good.config_hash != self.in_force.config_hash => {
                let seen = self.load.wait_for_hash(&good.config_hash);
                let Some(seen) = seen else { panic!("it is not in force: {:#?}", self.done) };
                let took = seen.saturating_duration_since(written);
                let took = took.saturating_sub(self.lost.between(written, seen));
                assert!(took <= PROMISED, "it took {took:?}: {:#?}", self.done);
                self.tally.took.push(took);
                self.in_force = good;
            }
            Some(_) => {
                thread::sleep(Duration::from_millis(300));
                self.tally.same += 1;
            }
            None => {
                self.load.wait_for_refusal();
                self.tally.bad += 1;
                *self.tally.kinds.entry(edit.name()).or_default() += 1;
            }
        }
        self.compare();
    }

    /// Compares the decisions about all steps, which are asked for from now on, and what has decided since the
    /// last comparison.
    fn compare(&mut self) {
        let pass = self.load.next_pass();
        let done = &self.done;
        assert_eq!(pass, self.in_force.decisions, "other decisions: {done:#?}");
        let seen = self.load.take_hashes();
        let allowed = &self.in_force.config_hash;
        assert_eq!(seen.last(), Some(allowed), "{done:#?}");
        // Of what came before it only the version of before is another one.
        assert!(seen.len() <= 2, "{seen:?} were in force: {done:#?}");
    }

    /// Puts bytes where the config is, in one of the ways in which files are written.
    fn write(&mut self, bytes: Option<&[u8]>) -> &'static str {
        let path = self.folder.path("hooks.toml");
        let Some(bytes) = bytes else {
            // It may be gone already.
            let _ = fs::remove_file(path);
            return "removed";
        };
        match self.random.below(3) {
            0 => {
                let next = self.folder.write("hooks.toml.new", bytes);
                fs::rename(next, path).unwrap();
                "renamed"
            }
            1 => {
                let _ = fs::remove_file(&path);
                fs::write(path, bytes).unwrap();
                "made anew"
            }
            _ => {
                fs::write(path, bytes).unwrap();
                "in place"
            }
        }
    }

    fn end(mut self) -> Tally {
        self.make(&Edit::Good);
        self.tally.steps = self.load.end();
        self.tally
    }
}

/// Returns what a run of its own decides with a config, or that it is refused.
fn expected(aside: &Folder, bytes: Option<&[u8]>) -> Option<Expected> {
    let _ = fs::remove_file(aside.path("hooks.toml"));
    if let Some(bytes) = bytes {
        aside.write("hooks.toml", bytes);
    }
    let ended = aside.run(&["run", "-q", "--strict", "-c", "hooks.toml", "steps.jsonl"], "");
    if ended.code() == 3 {
        return None;
    }
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let records = ended.lines();
    let config_hash = records[0]["config_hash"].as_str().expect("a hash").to_owned();
    Some(Expected { config_hash, decisions: records.iter().map(decision).collect() })
}

/// A step, as a line. The id says which one it is.
fn step(pass: usize, at: usize) -> String {
    let command = ["ls", "git push", "cargo publish", "cat notes", "git status"][at % 5];
    let step = json!({
        "hook_event_name": "pre_tool_use",
        "step_id": format!("{pass}-{at}"),
        "tool_name": if at.is_multiple_of(7) { "Read" } else { "Bash" },
        "tool_input": {"command": format!("{command} {at}")},
    });
    format!("{step}\n")
}

fn decision(record: &Value) -> String {
    json!([record["decision"], record["by"], record["reason"]]).to_string()
}
