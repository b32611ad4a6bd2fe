//! `hookgate run`: a stream of steps in, a stream of decisions out.

mod page;
mod printer;
mod seen;
mod shadow;
mod summary;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use hookgate::config::ConfigError;
use hookgate::{Engine, Outcome, Registry};
use hookgate_store::{HeadPlace, JournalSettings};
use tokio::time::timeout;

use crate::abort::Abort;
use crate::config::{self, ConfigArgs};
use crate::exit_code::Exit;
use crate::input::envelope::{self, Unreadable};
use crate::input::files;
use crate::input::lines::{Line, Lines, STDIN};
use crate::input::now::NowArgs;
use crate::input::remarks::Remarks;
use crate::interrupt::{interrupted, interrupted_while_watching};
use crate::journal;
use crate::overrides::OverrideArgs;
use crate::proving::Rounds;
use crate::runs::{self, Doing};
use crate::shell_word::quoted;
use crate::terminal::progress::Progress;
use crate::terminal::stdout::{JsonLines, OutputArgs};
use crate::terminal::{next, stderr};
use crate::watch::Watch;
use page::Page;
use printer::{Place, Printer, Rows};
use seen::Seen;
use shadow::{ShadowArgs, ShadowRun};
use summary::Summary;

/// What decides if a guard that is required is missing: no hook.
const REQUIRE: &str = "require";

/// How long background hooks may go on after the last step.
const DRAIN: Duration = Duration::from_secs(10);

/// After how long without a step the rows so far are printed.
const IDLE: Duration = Duration::from_millis(300);

/// Evaluate recorded or running steps, and show what was decided
///
/// On a terminal it prints a table of the steps that were not simply allowed; --all shows every step.
/// Piped, or with --json, it prints one decision record for each step, in the order of the steps and as
/// soon as each is made. Of several files each record begins with `file` and `line`. At the end stderr
/// has a summary of each hook: how often it was consulted, decided, rewrote the step, added context and
/// failed, and how long it took.
///
/// A hook with a mistake is reported with its place and set aside: the steps that it is about get its posture, a
/// deny unless it says otherwise, and the other hooks are in force. --strict refuses the config instead.
///
/// A line that cannot be read is reported on stderr and gets a record as well, a deny; the exit code is
/// then 1. With --fail-on it is 2 if anything of that was seen, whether it was printed or not.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate run session.jsonl                          what would my hooks have done?
  hookgate run sessions/ --only deny,ask
  hookgate run sessions/ --shadow all --fail-on failed
  hookgate run sessions/ --shadow-config next.toml    what would another config have decided otherwise?
  hookgate run -c hooks.toml session.jsonl > decisions.jsonl
  hookgate run -c hooks.toml --html report.html session.jsonl
  hookgate run --journal decisions.db session.jsonl && hookgate log --journal decisions.db
  hookgate run session.jsonl | jq -c 'select(.decision == \"deny\") | {step_id, by, reason}'
  my-agent --print-steps | hookgate run --watch -")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// The steps, one envelope a line: files, folders with *.jsonl, or `-`; nothing means stdin
    #[arg(value_name = "FILE")]
    steps: Vec<PathBuf>,
    /// In the table, show also the steps that were simply allowed
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Print only steps that show one of these; all of them are evaluated
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<Seen>,
    /// Exit with 2 if a step showed one of these
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<Seen>,
    #[command(flatten)]
    overrides: OverrideArgs,
    #[command(flatten)]
    shadow: ShadowArgs,
    /// Load the config again when it changes, and on SIGHUP; a broken one is reported and the last good
    /// one stays. Prove its hooks again and again if it has a `[certify]`
    #[arg(long)]
    watch: bool,
    /// Leave out what differs from run to run: times, made-up ids, the hash of the config; without
    /// --now it is 1970-01-01 for `add_date`
    #[arg(long)]
    stable: bool,
    #[command(flatten)]
    now: NowArgs,
    /// Record every decision in this journal, which is made if it is not there; `hookgate log` reads it. The
    /// `[journal]` of a config is not written by a run. What hooks do later is queued beside it: `hookgate runs list`
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Keep the head of that journal elsewhere: in a file, on `stderr`, or at the URL of a service that takes logs of
    /// OpenTelemetry; may be given several times
    #[arg(long, value_name = "PLACE", requires = "journal")]
    heads: Vec<String>,
    /// Write also an HTML page with the steps that a table shows, and the summary of each hook
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print no summary and no progress bar
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, a file cannot be read, stdout takes no more, or the run was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let registry = Arc::new(registry_of(&args)?);
    let watch =
        args.watch.then(|| Watch::start(&args.config, &args.overrides, Arc::clone(&registry)));
    let (configs, loaded) = args.config.load_in_part(&registry)?;
    let live_hash = loaded.table.config_hash();
    let beside = registry_of(&args)?;
    let shadow = args.shadow.load(&beside, args.config.strict)?;
    let config_files = configs.all_files(&loaded);
    let table = args.overrides.apply(loaded.table, &registry)?;
    let scope = runs::scope(configs.files(), args.config.strict);
    let scope = match table.config_hash() == live_hash {
        true => scope,
        false => runs::changed_scope(&scope, &table),
    };
    let store = match &args.journal {
        Some(journal) => runs::open(journal, &table, scope)?,
        None => None,
    };
    let engine = match &store {
        Some(store) => Engine::new(table).with_jobs(store.clone()),
        None => Engine::new(table),
    };
    let journal = args
        .journal
        .map(|file| {
            let mut settings = JournalSettings::new(file).waiting();
            settings.heads = args.heads.iter().map(|name| HeadPlace::of_name(name)).collect();
            settings
        })
        .map(journal::open)
        .transpose()?;
    let engine = Arc::new(match &journal {
        None => engine,
        Some(journal) => {
            let texts = journal::texts(config_files.iter().map(PathBuf::as_path));
            journal::recorded(engine, journal, texts)
        }
    });
    let doing = store.map(|store| Doing::begin(store, Arc::clone(&engine)));
    let files = files::expand(&args.steps)?;
    let json = args.output.wants_json();
    let progress = Progress::over_bytes(files::length(&files).filter(|_| !args.quiet), !json);
    let rounds = args.watch.then(|| Rounds {
        engine: Arc::clone(&engine),
        progress: progress.clone(),
        journal: journal.clone(),
        files: config_files,
    });
    let follower = watch
        .map(|watch| watch.follow(Arc::clone(&engine), progress.clone(), journal.clone()))
        .transpose()?;

    let mut run = Run {
        engine,
        progress,
        stable: args.stable,
        printer: Printer {
            json,
            all: args.all,
            only: args.only.into_iter().collect(),
            places: args.steps.len() > 1 || files.len() > 1,
            folder: printer::folder_of(&files),
            rows: Rows::default(),
            records: JsonLines::default(),
        },
        seen: BTreeSet::new(),
        summary: Summary::default(),
        shadow,
        remarks: Remarks::default(),
        set_aside: loaded.set_aside,
        worth_asking: None,
        page: args.html.map(Page::new),
    };
    let interrupted: Pin<Box<dyn Future<Output = ()> + Send>> = match args.watch {
        true => Box::pin(interrupted_while_watching()),
        false => Box::pin(interrupted()),
    };
    let evaluated = async {
        let _proving = match rounds {
            Some(rounds) => Some(rounds.begin().await),
            None => None,
        };
        run.evaluate_all(&files).await
    };
    let ended = tokio::select! {
        ended = evaluated => ended,
        () = interrupted => Err(Abort::failure("interrupted: the remaining steps were not evaluated")),
    };
    let ended = ended.and(run.printer.finish(&run.progress));
    if let Some(follower) = follower {
        follower.end().await;
    }
    run.finish(args.quiet).await;
    let ended = match run.page.take() {
        Some(page) => ended.and(page.write(&mut run.summary, &run.engine.table())),
        None => ended,
    };
    let ended = ended.and(run.shadow.as_mut().map_or(Ok(()), ShadowRun::finish));
    if let Some(shadow) = run.shadow.as_ref().filter(|_| !args.quiet) {
        let live = match configs.sources() {
            [only] => Some((only.file.as_path(), live_hash)),
            _ => None,
        };
        shadow.print(live);
    }
    let ended = match doing {
        Some(doing) => ended.and(doing.finish().await),
        None => ended,
    };
    let ended = ended.and(journal.as_ref().map_or(Ok(()), journal::finish));
    if let Some(asked) = run.worth_asking.filter(|_| !args.quiet && !json) {
        stderr::print(&next::hint("why", &args.config.files, &asked));
    }
    ended.map(|()| match args.fail_on.iter().any(|seen| run.seen.contains(seen)) {
        true => Exit::Deny,
        false if run.summary.unreadable() == 0 => Exit::Ok,
        false => Exit::Failure,
    })
}

/// Makes the registry of a config. Each config has one of its own, so that none counts what another one has seen.
fn registry_of(args: &Args) -> Result<Registry, Abort> {
    let registry = config::registry_at(args.now.now);
    if args.stable && args.now.now.is_none() {
        use_timeless_builtins(&registry)?;
    }
    Ok(registry)
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
    printer: Printer,
    /// All that the records have shown.
    seen: BTreeSet<Seen>,
    summary: Summary,
    shadow: Option<ShadowRun>,
    remarks: Remarks,
    /// The mistakes of hooks that were set aside.
    set_aside: Vec<ConfigError>,
    /// The first step that a hook did not let pass: the hook, and where the step is.
    worth_asking: Option<String>,
    /// What is written of the run for a browser.
    page: Option<Page>,
}

impl Run {
    async fn evaluate_all(&mut self, files: &[PathBuf]) -> Result<(), Abort> {
        for file in files {
            let mut lines = Lines::open(Some(file))?;
            while let Some(line) = self.next(&mut lines).await? {
                self.evaluate_line(lines.name(), &line).await?;
                self.progress.advance_bytes(line.size, self.summary.steps());
            }
        }
        Ok(())
    }

    /// Returns the next line. If it is not there yet, the records so far are printed meanwhile, and the rows if
    /// it does not come soon.
    async fn next(&mut self, lines: &mut Lines) -> Result<Option<Line>, Abort> {
        if let Some(line) = lines.next_ready() {
            return Ok(Some(line));
        }
        self.printer.flush_records()?;
        if let Ok(line) = timeout(IDLE, lines.next()).await {
            return line;
        }
        self.printer.flush_rows(&self.progress)?;
        lines.next().await
    }

    async fn evaluate_line(&mut self, name: &str, line: &Line) -> Result<(), Abort> {
        let mut is_read = false;
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
                let evaluated = envelope::evaluate(&self.engine, &mut incoming, self.stable);
                let report = flushing(&mut self.printer, evaluated).await?;
                self.summary.add(&report);
                is_read = true;
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
        let seen = Seen::of(&report);
        let is_refused = report.decision >= Outcome::Ask;
        if let Some(hook) =
            report.by.first().filter(|id| is_refused && name != STDIN && **id != REQUIRE)
        {
            let place =
                || format!("{} -i {} --line {}", quoted(hook.as_str()), quoted(name), line.number);
            self.worth_asking.get_or_insert_with(place);
        }
        let place = Place { file: name, line: line.number };
        if let Some(page) = self.page.as_mut().filter(|_| self.printer.is_notable(&seen)) {
            page.add(place, line.bytes.as_deref(), &report);
        }
        self.printer.add(place, line.bytes.as_deref(), &report, &seen, &self.progress)?;
        self.seen.extend(seen);
        if let (Some(shadow), Some(bytes), true) = (&mut self.shadow, &line.bytes, is_read) {
            flushing(&mut self.printer, shadow.judge(place, bytes, &report)).await??;
        }
        Ok(())
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
            // What was said at the beginning may be far above.
            if !self.set_aside.is_empty() {
                stderr::warning(&config::set_aside(&self.set_aside));
            }
        }
    }
}

/// Waits for hooks. If they are not ready, the records so far are printed meanwhile.
async fn flushing<T>(printer: &mut Printer, hooks: impl Future<Output = T>) -> Result<T, Abort> {
    let mut hooks = pin!(hooks);
    tokio::select! {
        biased;
        done = &mut hooks => return Ok(done),
        () = std::future::ready(()) => printer.flush_records()?,
    }
    Ok(hooks.await)
}
