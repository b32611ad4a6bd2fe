//! The hooks in force are proved again and again while a run goes on, as often as `[certify]` asks for.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookgate::certify::{CertifySettings, OnDead, Proof};
use hookgate::{Engine, HookEngine as _};
use hookgate_store::Journal;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::journal::{note_table, texts};
use crate::terminal::progress::Progress;
use crate::terminal::stderr;

/// How often it is looked whether a round is due, or the table another one.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What rounds need.
pub(crate) struct Rounds {
    pub(crate) engine: Arc<Engine>,
    pub(crate) progress: Progress,
    /// Where decisions are recorded.
    pub(crate) journal: Option<Journal>,
    /// The files of the config.
    pub(crate) files: Vec<PathBuf>,
}

/// Rounds that go on beside a run, and end with it.
pub(crate) struct Proving(JoinHandle<()>);

impl Drop for Proving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A round that was done.
struct Done {
    began: Instant,
    /// The generation of the table in force, unless somebody else has put one in force meanwhile.
    left: u64,
}

impl Rounds {
    /// Does the first round, and goes on beside the run: no step is judged by a hook that nobody has proved.
    pub(crate) async fn begin(self) -> Proving {
        let last = self.round().await;
        Proving(tokio::spawn(self.go_on(last)))
    }

    /// Does a round when its time has come, and when a table was put in force that is another one.
    async fn go_on(self, mut last: Option<Done>) {
        loop {
            sleep(LOOK_EVERY).await;
            let Some(settings) = self.settings() else { continue };
            let is_due = last.as_ref().is_none_or(|last| {
                last.began.elapsed() >= settings.every
                    || last.left != self.engine.generation().get()
            });
            if is_due {
                last = self.round().await;
            }
        }
    }

    fn settings(&self) -> Option<CertifySettings> {
        CertifySettings::of_table(&self.engine.table())
    }

    /// Proves all hooks.
    async fn round(&self) -> Option<Done> {
        let settings = self.settings()?;
        let began = Instant::now();
        let before = self.engine.generation().get();
        let changes = match settings.on_dead {
            OnDead::Warn => {
                let certified = self.engine.certify().await;
                certified.dead().for_each(|proof| {
                    self.warn(proof, "stays in force, since `[certify]` says `on_dead = \"warn\"`");
                });
                0
            }
            OnDead::Posture => self.enforce().await,
        };
        if changes > 0
            && let Some(journal) = &self.journal
        {
            note_table(&self.engine, journal, texts(self.files.iter().map(PathBuf::as_path)));
        }
        Some(Done { began, left: before + changes })
    }

    /// Returns how many tables it has put in force.
    async fn enforce(&self) -> u64 {
        let round = self.engine.certify_and_enforce().await;
        for proof in round.certified.dead() {
            let refused = round.refused.iter().find(|(id, _)| *id == *proof.id);
            match refused {
                Some((_, errors)) => self.warn(proof, &format!("stays in force, since {errors}")),
                None => self.warn(proof, "is set aside until it is proved again"),
            }
        }
        for id in &round.put_back {
            self.progress.suspend(|| stderr::note(&format!("`{id}` works again, and is in force")));
        }
        (round.set_aside.len() + round.put_back.len()) as u64
    }

    /// Warns of a dead hook. One with a mistake was told when the config was loaded.
    fn warn(&self, proof: &Proof, what: &str) {
        if let Some(why) = proof.why_dead().filter(|_| proof.how.as_deref() != Some("set_aside")) {
            self.progress.suspend(|| stderr::warning(&format!("{why}; the hook {what}")));
        }
    }
}
