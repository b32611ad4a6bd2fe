//! Judging all steps, several times, and writing it down.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinSet;

use crate::abort::Abort;
use crate::colour;
use crate::config::ConfigArgs;
use crate::evaluate::case::Case;
use crate::evaluate::subject::{Subject, Trial};
use crate::evaluate::tape::{self, Head, Tape};
use crate::interrupt::interrupted;

/// How a hook is measured.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The hook to measure; it is asked alone, and as if it were enforced
    #[arg(long, value_name = "ID")]
    pub(crate) hook: String,
    /// How many times every step is judged [default: 1, or as often as recorded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: Option<u32>,
    /// How many steps are judged at the same time; more than 1 makes each slower
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Write down all replies
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Take the replies from a record: nothing is asked, no network is needed
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

/// What came of judging everything: for each step, its trials in order.
pub(crate) struct Session {
    /// The hook.
    pub(crate) hook: String,
    /// How many times every step was judged.
    pub(crate) repeats: u32,
    /// Whether the replies come from a record.
    pub(crate) replayed: bool,
    /// For each step, its trials.
    pub(crate) trials: Vec<Vec<Trial>>,
}

impl SessionArgs {
    /// Judges all cases.
    pub(crate) async fn judge(&self, cases: Vec<Arc<Case>>) -> Result<Session, Abort> {
        let tape = self.replay.as_deref().map(Tape::read).transpose()?.map(Arc::new);
        let recorded = tape.as_ref().map(|tape| tape.head.repeats);
        let repeats = self.repeats.or(recorded).unwrap_or(1);
        if let Some(tape) = &tape {
            tape.covers(cases.iter().map(|case| case.key()), repeats)?;
        }
        let mut trials: Vec<Vec<Trial>> = cases.iter().map(|_| Vec::new()).collect();
        let bar = bar(cases.len() as u64 * u64::from(repeats));
        let mut hash = String::new();
        for repeat in 1..=repeats {
            // Anew each time: what an earlier repeat has left in a cache would answer for it.
            let subject = Subject::load(&self.config, &self.hook, tape.clone())?;
            if repeat == 1 {
                hash = subject.config_hash();
                self.compare(tape.as_deref(), &hash);
            }
            let round = tokio::select! {
                round = self.round(Arc::new(subject), &cases, repeat, &bar) => round,
                () = interrupted() => Err(Abort::failure("interrupted: there are no figures")),
            };
            for (all, trial) in
                trials.iter_mut().zip(round.inspect_err(|_| bar.finish_and_clear())?)
            {
                all.push(trial);
            }
        }
        bar.finish_and_clear();
        if let Some(path) = &self.record {
            save(path, &Head::new(&self.hook, &hash, repeats), &trials)?;
        }
        let replayed = tape.is_some();
        Ok(Session { hook: self.hook.clone(), repeats, replayed, trials })
    }

    /// Says where the record is that of another hook, or of an earlier version of it.
    fn compare(&self, tape: Option<&Tape>, hash: &str) {
        let Some(head) = tape.map(|tape| &tape.head) else { return };
        if head.hook != self.hook {
            colour::warning(&format!(
                "the record is that of hook `{}`: these are its replies under the postures of `{}`",
                head.hook, self.hook
            ));
        } else if head.config_hash != hash {
            colour::warning(&format!(
                "`{}` has changed since it was recorded: these are the figures of the earlier one",
                self.hook
            ));
        }
    }

    async fn round(
        &self,
        subject: Arc<Subject>,
        cases: &[Arc<Case>],
        repeat: u32,
        bar: &ProgressBar,
    ) -> Result<Vec<Trial>, Abort> {
        let mut running = JoinSet::new();
        let mut waiting = cases.iter().cloned().enumerate();
        let mut done = Vec::with_capacity(cases.len());
        loop {
            while running.len() < usize::from(self.jobs)
                && let Some((index, case)) = waiting.next()
            {
                let subject = Arc::clone(&subject);
                running.spawn(async move { (index, subject.judge(&case, repeat).await) });
            }
            let Some(joined) = running.join_next().await else { break };
            let (index, trial) = joined
                .map_err(|error| Abort::failure(format!("a judgement broke off: {error}")))?;
            done.push((index, trial?));
            bar.inc(1);
        }
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, trial)| trial).collect())
    }
}

fn save(path: &Path, head: &Head, trials: &[Vec<Trial>]) -> Result<(), Abort> {
    tape::write(path, head, trials.iter().flatten().map(|trial| &trial.entry))?;
    colour::note(&format!("the replies stand in `{}`; --replay uses them", path.display()));
    Ok(())
}

fn bar(length: u64) -> ProgressBar {
    // Hidden by itself where stderr is no terminal.
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} judged, {eta} to go");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
