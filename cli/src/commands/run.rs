//! `hookgate run`: a stream of steps in, a stream of decisions out.

mod summary;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookgate::{Engine, Registry};

use crate::abort::Abort;
use crate::config::{self, ConfigArgs};
use crate::exit_code::Exit;
use crate::input::envelope::{self, Unreadable};
use crate::input::lines::{Line, Lines};
use crate::input::now::NowArgs;
use crate::input::remarks::Remarks;
use crate::interrupt::interrupted;
use crate::terminal::progress::Progress;
use crate::terminal::{stderr, stdout};
use crate::watch::Watch;
use summary::Summary;

/// How long background hooks may go on after the last step.
const DRAIN: Duration = Duration::from_secs(10);

/// Evaluate a stream of steps: JSON lines in, one decision record a line out
///
/// The records come in the order of the steps, each as soon as it is made. A line that cannot be
/// read is reported on stderr and gets a record as well, a deny; the exit code is then 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate run -c hooks.toml session.jsonl > decisions.jsonl
  hookgate run session.jsonl | jq -c 'select(.decision == \"deny\") | {step_id, by, reason}'
  my-agent --print-steps | hookgate run --watch -")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// The steps, one envelope a line; `-` or nothing means stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Load the config again when it changes; a broken one is reported and the last good one stays
    #[arg(long)]
    watch: bool,
    /// Leave out what differs from run to run: times, made-up ids, the hash of the config; without
    /// --now it is 1970-01-01 for `add_date`
    #[arg(long)]
    stable: bool,
    #[command(flatten)]
    now: NowArgs,
    /// Print no summary and no progress bar
    #[arg(short, long)]
    quiet: bool,
    /// Print JSON lines, which is what this verb always does
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, the file cannot be read, stdout takes no more, or the run was
/// interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let registry = Arc::new(config::registry_at(args.now.now));
    let watch = args.watch.then(|| Watch::start(&args.config));
    if args.stable && args.now.now.is_none() {
        use_timeless_builtins(&registry)?;
    }
    let engine = Arc::new(Engine::new(args.config.load(&registry)?));
    let mut lines = Lines::open(args.file.as_deref())?;
    let progress = Progress::over_bytes(lines.length().filter(|_| !args.quiet));
    let follower = watch.map(|watch| watch.follow(Arc::clone(&engine), registry, progress.clone()));

    let mut run = Run {
        engine,
        progress,
        stable: args.stable,
        summary: Summary::default(),
        remarks: Remarks::default(),
    };
    let interrupted = interrupted();
    let ended = tokio::select! {
        ended = run.evaluate_all(&mut lines) => ended,
        () = interrupted => Err(Abort::failure("interrupted: the remaining steps were not evaluated")),
    };
    if let Some(follower) = follower {
        follower.end(&run.engine, &run.progress);
    }
    run.finish(args.quiet).await;
    ended.map(|()| if run.summary.unreadable() == 0 { Exit::Ok } else { Exit::Failure })
}

/// Replaces the builtins that depend on the time.
fn use_timeless_builtins(registry: &Registry) -> Result<(), Abort> {
    for (name, factory) in hookgate::builtin::TIMELESS {
        registry
            .register_builtin(*name, *factory)
            .map_err(|error| Abort::failure(error.to_string()))?;
    }
    Ok(())
}

/// A run with all that it needs.
struct Run {
    engine: Arc<Engine>,
    progress: Progress,
    stable: bool,
    summary: Summary,
    remarks: Remarks,
}

impl Run {
    async fn evaluate_all(&mut self, lines: &mut Lines) -> Result<(), Abort> {
        while let Some(line) = lines.next().await? {
            self.evaluate_line(lines.name(), &line).await?;
            self.progress.advance_bytes(line.size, self.summary.steps());
        }
        Ok(())
    }

    async fn evaluate_line(&mut self, name: &str, line: &Line) -> Result<(), Abort> {
        let read = match &line.bytes {
            Some(bytes) if bytes.trim_ascii().is_empty() => return Ok(()),
            // Without the line end: a mistake there would seem to be in the next line.
            Some(bytes) => {
                envelope::read(bytes.trim_ascii_end(), self.engine.table().limits().integers)
            }
            None => Err(Unreadable::at_start("the line is longer than 16 MiB")),
        };
        let report = match read {
            Ok(mut incoming) => {
                for remark in self.remarks.new_about(&incoming, &self.engine.table()) {
                    self.progress.suspend(|| stderr::warning(&remark));
                }
                let report = envelope::evaluate(&self.engine, &mut incoming, self.stable).await;
                self.summary.add(&report);
                report
            }
            Err(wrong) => {
                self.summary.add_unreadable();
                let position = format!("{name}:{}:{}", line.number, wrong.column);
                let message = format!("the step could not be read: {}", wrong.message);
                self.progress.suspend(|| stderr::error_at(&position, &message));
                let report = wrong.report(&self.engine);
                if self.stable { report.stable(true) } else { report }
            }
        };
        Ok(stdout::json_line(&report)?)
    }

    /// Waits for the background hooks, and prints the summary.
    async fn finish(&mut self, quiet: bool) {
        let interrupted = interrupted();
        let background = tokio::select! {
            drained = self.engine.drain(DRAIN) => drained,
            () = interrupted => self.engine.drain(Duration::ZERO).await,
        };
        self.progress.finish();
        if background.dropped > 0 || background.pending > 0 {
            stderr::warning(&format!(
                "background hooks: {} calls were dropped and {} did not end in time",
                background.dropped, background.pending
            ));
        }
        if !quiet {
            self.summary.add_uncalled(&self.engine.table());
            self.summary.print();
        }
    }
}
