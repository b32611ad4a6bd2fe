//! What `eval` and `redteam` share: which hook is measured, and how.

use std::path::PathBuf;
use std::sync::Arc;

use crate::eval::{EvalError, Evaluation, EvaluationRun, Meter, Recording, Sample};

use crate::abort::Abort;
use crate::config::{self, ConfigArgs};
use crate::interrupt::interrupted;
use crate::terminal::progress::Progress;
use crate::terminal::stderr;

/// How a hook is measured.
#[derive(Debug, clap::Args)]
pub(super) struct MeasureArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The hook to measure; it is called alone, and as if it were enforced
    #[arg(long, value_name = "ID")]
    hook: String,
    /// How many times each step is evaluated [default: 1, or as often as was recorded]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: Option<u32>,
    /// How many steps are evaluated at the same time; more than 1 makes each slower
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Write all replies to a file
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Take the replies from a recording: the hook is not called, no network is needed
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

impl MeasureArgs {
    /// Has the hook evaluate all samples.
    pub(super) async fn measure(&self, samples: &[Arc<Sample>]) -> Result<EvaluationRun, Abort> {
        let evaluation = self.evaluation()?;
        let progress = Progress::over_items(evaluation.planned_trials(samples.len()));
        let bar = progress.clone();
        let evaluation = evaluation.on_trial(move || bar.advance_item());
        // The config is loaded anew for each repeat; its warnings are printed once.
        let mut loaded = false;
        let load = |meter: &Meter| {
            let registry = config::metered_registry(meter)?;
            let quiet = std::mem::replace(&mut loaded, true);
            if quiet { self.config.load_quietly(&registry) } else { self.config.load(&registry) }
        };
        let run = tokio::select! {
            run = evaluation.run(samples, load) => run,
            () = interrupted() => Err(Abort::failure("interrupted: there are no figures")),
        };
        progress.finish();
        let run = run?;
        if let Some(mismatch) = &run.mismatch {
            stderr::warning(&mismatch.to_string());
        }
        self.save(&run)?;
        Ok(run)
    }

    fn evaluation(&self) -> Result<Evaluation, Abort> {
        let mut evaluation = Evaluation::new(&self.hook).jobs(self.jobs.into());
        if let Some(repeats) = self.repeats {
            evaluation = evaluation.repeats(repeats);
        }
        if let Some(path) = &self.replay {
            let recording = Recording::read(path).map_err(|error| {
                let is_file = matches!(error, EvalError::File { .. });
                let abort = Abort::from(error);
                if is_file { abort.help("make a recording with --record") } else { abort }
            })?;
            evaluation = evaluation.replay(recording);
        }
        Ok(evaluation)
    }

    fn save(&self, run: &EvaluationRun) -> Result<(), Abort> {
        let Some(path) = &self.record else { return Ok(()) };
        run.recording(path.display().to_string())?.write(path)?;
        stderr::note(&format!("the replies are in `{}`; --replay uses them", path.display()));
        Ok(())
    }
}
