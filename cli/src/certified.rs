//! Whether the guards in force were proved as lately as `[certify]` asks for.
//!
//! A call of `hookgate hook` may be a process of its own, so what was found is kept in the state folder. The call that
//! finds it older than that proves the guards again before it judges, in half of the time that it has.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookgate::certify::{CertifySettings, Fault, OnDead, Proof, State, deciders, prove};
use hookgate::contract::file;
use hookgate::{Engine, HandlerTable, HookSpec};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use crate::private_folder;
use crate::replace_file::replace;
use crate::state_folder::sessions_folder;

/// What was found, in the folder of what this program keeps.
const FILE: &str = "certified.json";

/// What was found of hooks, by their ids and hashes: a hook that was changed is another one.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Found(BTreeMap<String, Kept>);

/// What was found of a hook.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// When, in milliseconds since 1970.
    time: u64,
    proof: Proof,
}

impl Found {
    /// Reads what is kept. Nothing is known where that cannot be read.
    fn read() -> Self {
        let text = place().and_then(|place| file::read_text(&place, file::LIMIT).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Returns what was found of a hook within a time.
    fn of(&self, hook: &HookSpec, within: Duration) -> Option<Proof> {
        let kept = self.0.get(&key(hook))?;
        kept.is_younger(within).then(|| kept.proof.clone().of(hook))
    }

    /// Keeps what was found, without what is older than `within`.
    ///
    /// # Errors
    /// Why it cannot be kept.
    fn write(&mut self, within: Duration) -> Result<(), String> {
        self.0.retain(|_, kept| kept.is_younger(within));
        let place = place().ok_or("neither HOME nor XDG_STATE_HOME is set")?;
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        let folder = place.parent().unwrap_or(&place);
        let written = private_folder::make(folder).and_then(|()| replace(&place, &text, 0o600));
        written.map_err(|error| format!("`{}`: {error}", place.display()))
    }
}

impl Kept {
    fn is_younger(&self, within: Duration) -> bool {
        // A time to come is that of another clock.
        now().checked_sub(self.time).is_some_and(|age| u128::from(age) < within.as_millis())
    }
}

fn place() -> Option<PathBuf> {
    sessions_folder().map(|folder| folder.join(FILE))
}

fn key(hook: &HookSpec) -> String {
    format!("{} {}", hook.id(), hook.config_hash())
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Proves the hooks in force of which it is not known whether they work, and enforces what is known of all of them.
/// Returns what to tell the user. `rest` is the time that the call has.
pub(crate) async fn certify(
    settings: CertifySettings,
    engine: &Engine,
    rest: Duration,
) -> Option<String> {
    let end = Instant::now() + rest / 2;
    let table = engine.table();
    let (mut found, mut is_new, mut notes) = (Found::read(), false, Vec::new());
    for hook in deciders(&table).into_iter().filter(|hook| !hook.canaries().is_empty()) {
        let known = found.of(hook, settings.every);
        let was_known = known.is_some();
        let proof = match known {
            Some(proof) => proof,
            None => prove_until(end, &table, hook).await,
        };
        if !was_known {
            is_new = true;
            found.0.insert(key(hook), Kept { time: now(), proof: proof.clone() });
        }
        notes.extend(enforce(settings.on_dead, engine, &proof, was_known));
    }
    if is_new && let Err(problem) = found.write(settings.every) {
        notes.push(format!("hookgate: what `[certify]` has found cannot be kept: {problem}"));
    }
    (!notes.is_empty()).then(|| notes.join("\n"))
}

async fn prove_until(end: Instant, table: &HandlerTable, hook: &HookSpec) -> Proof {
    let late = || {
        let why = "its canaries take longer than half of the time that a call has";
        Proof::new(hook, Vec::new(), Some(Fault::untested("late", why)))
    };
    timeout_at(end, prove(table, hook)).await.unwrap_or_else(|_| late())
}

/// Enforces what is known of a hook, and returns what to tell of it.
fn enforce(on_dead: OnDead, engine: &Engine, proof: &Proof, was_known: bool) -> Option<String> {
    let stays = match on_dead {
        OnDead::Posture => engine.enforce_proof(proof).err().map(|errors| errors.to_string()),
        OnDead::Warn => Some("`[certify]` says `on_dead = \"warn\"`".to_owned()),
    };
    match (proof.why_dead(), stays) {
        (Some(why), Some(stays)) => {
            Some(format!("hookgate: {why}; the hook stays in force, since {stays}"))
        }
        // The steps that it is about are refused with the same words.
        (Some(why), None) => (!was_known)
            .then(|| format!("hookgate: {why}; the hook is set aside until it is proved again")),
        (None, _) => {
            let is_late = proof.state == State::Untested && proof.how.as_deref() == Some("late");
            let detail = proof.detail.as_deref().filter(|_| is_late && !was_known)?;
            Some(format!("hookgate: nobody knows whether `{}` works: {detail}", proof.id))
        }
    }
}

/// Returns what is known of the hooks of a table, and since when, in milliseconds since 1970; of those that `[certify]` has
/// not proved yet nothing. `None` if there is no `[certify]`.
pub(crate) fn known(table: &HandlerTable) -> Option<Vec<(u64, Proof)>> {
    let settings = CertifySettings::of_table(table)?;
    let found = Found::read();
    let known = |hook: &HookSpec| {
        let since = found.0.get(&key(hook))?.time;
        Some((since, found.of(hook, settings.every)?))
    };
    Some(table.specs().filter_map(known).collect())
}

/// Returns why hooks of a table are dead, as far as that was found and is kept.
pub(crate) fn dead(table: &HandlerTable) -> Vec<String> {
    let Some(settings) = CertifySettings::of_table(table) else { return Vec::new() };
    let found = Found::read();
    let proofs = table.specs().filter_map(|hook| found.of(hook, settings.every));
    proofs.filter_map(|proof| proof.why_dead()).collect()
}
