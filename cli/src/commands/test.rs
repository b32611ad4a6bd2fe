//! `hookgate test`: the cases of a policy.

mod case_run;
mod coverage;
mod expectation;
mod find;
mod golden;
mod mutate;
mod order;
mod outcome;
mod output;
mod step;
mod substitute;
mod suite;
mod text;
mod update;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hookgate::HandlerTable;
use hookgate::watch::Stamps;
use regex::Regex;

use crate::abort::Abort;
use crate::config::{self, ConfigArgs, Configs};
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::shell_word::quoted;
use crate::terminal::phrase::count;
use crate::terminal::{next, stderr, stdout};
use case_run::{CaseRun, Status};
use coverage::Coverage;
pub(super) use golden::golden;
use outcome::TestOutcome;
use output::Format;
use suite::{Case, Suite};

/// How often `--watch` looks at the files.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Test the hooks: the cases in `*_test.toml` beside the config
///
/// Each case is a session of its own with one step or several, and says what is to come out. Test files
/// are named `*_test.toml` (or `.yaml`, `.yml`, `.json`) and are beside the config or in its folder `tests`.
///
/// Without -c the hooks are those of the project alone, so a result does not depend on the machine.
///
/// No program is started and no service is asked: a case says what the hooks that need one answer
/// (`stub`), or how they fail (`fault`). With --run they are really called.
///
/// Exits with 0 if all passed, 2 if a case failed or none was run or a change of --mutate survived, 3 if the config or a test file is
/// not valid.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example of hooks_test.toml:
  [[case]]
  name = \"a force push is denied\"
  event = \"pre_tool_use\"
  step = { tool_name = \"Bash\", tool_input = { command = \"git push --force\" } }
  decision = \"deny\"
  by = [\"no-force-push\"]

Examples:
  hookgate test
  hookgate test --coverage --threshold 90
  hookgate test --coverage --html report.html
  hookgate test --filter push --watch
  hookgate test --mutate
  hookgate test --format junit > report.xml

docs/testing.md has all keys.")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Test files, or folders of them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Find parts of the policy that no case needs: take out one hook, pattern, condition or word at a time, and run
    /// the cases against what is left. A PATH may also be a config, or a folder with one
    #[arg(long, conflicts_with_all = ["run", "coverage", "threshold", "shuffle", "repeat", "watch", "update"])]
    mutate: bool,
    /// Really call programs and services
    #[arg(long)]
    run: bool,
    /// Run only the cases whose `FILE: NAME` matches
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    filter: Option<Regex>,
    /// Show which hooks were called, and which acted
    #[arg(long)]
    coverage: bool,
    /// Fail if fewer of 100 hooks were called
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    threshold: Option<u8>,
    /// Run the cases in a random order: the one of this seed, or a new one
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "absent, without a seed, with a seed")]
    shuffle: Option<Option<u64>>,
    /// Run each case so often
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Run the cases again when the config or a test file changes
    #[arg(long)]
    watch: bool,
    /// Write the decisions and hooks that came out into the failed cases (TOML only)
    #[arg(long, conflicts_with = "watch")]
    update: bool,
    /// How to print the result; human on a terminal, otherwise json
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write the result also as one HTML page, with the coverage if that is asked for
    #[arg(long, value_name = "FILE", conflicts_with = "mutate")]
    html: Option<PathBuf>,
    /// Print JSON lines, as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Succeed although no case was run
    #[arg(long)]
    allow_empty: bool,
}

/// Runs the verb.
///
/// # Errors
/// The config or a test file is not valid, stdout takes no more, or the run was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let interrupted = interrupted();
    let all = async {
        if args.mutate {
            mutate::run(&args).await
        } else if args.watch {
            watch(&args).await
        } else {
            run_once(&args, &mut BTreeSet::new()).await
        }
    };
    tokio::select! {
        ended = all => ended,
        () = interrupted => Err(Abort::failure("interrupted: the remaining cases were not run")),
    }
}

/// Runs the cases again and again, each time that a file has changed.
async fn watch(args: &Args) -> Result<Exit, Abort> {
    let mut steps = BTreeSet::new();
    loop {
        // What changes during the run is noticed after it.
        let mut seen = Stamps::read(&files(args, &steps));
        let known = steps.clone();
        if let Err(abort) = run_once(args, &mut steps).await {
            // It is mended while this goes on.
            let _ = abort.report();
        }
        let files = files(args, &steps);
        if steps != known {
            seen = Stamps::read(&files);
        }
        stderr::note(&format!("watching {}; end with Ctrl-C", count(files.len(), "file")));
        while Stamps::read(&self::files(args, &steps)) == seen {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        // An editor may write a file in several steps.
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Returns the files that the result depends on, as far as they can be read. `steps` are those with steps.
fn files(args: &Args, steps: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut files = steps.clone();
    let Ok(configs) = configs(args) else { return files };
    files.extend(configs.files().map(Path::to_path_buf));
    if let Ok(loaded) = configs.load(&config::registry()) {
        files.extend(loaded.included.iter().chain(&loaded.searched).cloned());
        for spec in loaded.table.specs() {
            files.extend(spec.sources().iter().chain(spec.files()).cloned());
        }
    }
    files.extend(find::find(&configs, &args.paths).unwrap_or_default());
    files
}

/// Returns the configs that are tested.
fn configs(args: &Args) -> Result<Configs, Abort> {
    args.config.find().map(Configs::of_one_layer)
}

/// Runs the cases, and adds the files from which steps were read.
async fn run_once(args: &Args, steps: &mut BTreeSet<PathBuf>) -> Result<Exit, Abort> {
    let configs = configs(args)?;
    let table = configs.load_and_warn(&config::registry())?;
    let tests = find::find(&configs, &args.paths)?;
    let suites = read_suites(&tests, &[&table])?;
    let all = suites.iter().flat_map(|suite| &suite.cases).flat_map(|case| &case.steps);
    steps.extend(all.filter_map(|step| step.file.clone()));
    let mut outcome = run_all(args, &configs, &table, &suites).await?;
    if args.update {
        let all = outcome.runs.iter().filter_map(|run| {
            let suite = suites.iter().find(|suite| file_of(suite) == run.file)?;
            let case = suite.cases.iter().find(|case| case.name == run.name)?;
            Some((run, suite, case))
        });
        let written = update::update(all)?;
        stderr::note(&format!("{} written; the cases run again", count(written, "expected value")));
        if written > 0 {
            let suites = read_suites(&tests, &[&table])?;
            outcome = run_all(args, &configs, &table, &suites).await?;
        }
    }
    let format = if args.json {
        Format::Json
    } else {
        args.format.unwrap_or_else(Format::default_of_stdout)
    };
    format.print(&outcome)?;
    if let Some(page) = &args.html {
        output::write_page(page, &outcome)?;
    }
    let exit = judge(args, &outcome, suites.is_empty());
    if format == Format::Human && exit == Exit::Ok && !args.watch {
        stdout::print(&next::hint("run", &args.config.files, &session(&configs)))?;
    }
    Ok(exit)
}

/// Returns the recorded session beside a config, or what stands for one.
fn session(configs: &Configs) -> String {
    let beside = configs.files().filter_map(|config| Some(config.parent()?.join("session.jsonl")));
    let found = beside.into_iter().find(|file| file.is_file());
    found.map_or_else(|| "FILE".to_owned(), |file| quoted(&file.display().to_string()))
}

/// Reads the test files, for the hooks of these tables.
fn read_suites(files: &[PathBuf], tables: &[&HandlerTable]) -> Result<Vec<Suite>, Abort> {
    let read: Vec<Option<Suite>> = files.iter().map(|file| suite::read(file, tables)).collect();
    let broken = read.iter().filter(|suite| suite.is_none()).count();
    if broken > 0 {
        let what = count(broken, "test file");
        return Err(Abort::invalid_config(format!("{what} cannot be read: no case was run")));
    }
    Ok(read.into_iter().flatten().collect())
}

fn file_of(suite: &Suite) -> String {
    suite.text.path.display().to_string()
}

async fn run_all(
    args: &Args,
    configs: &Configs,
    table: &HandlerTable,
    suites: &[Suite],
) -> Result<TestOutcome, Abort> {
    let began = Instant::now();
    let mut cases: Vec<(String, &Case, u32)> = Vec::new();
    for round in 1..=args.repeat {
        for suite in suites {
            let of_suite = suite.cases.iter().map(|case| (file_of(suite), case, round));
            cases.extend(of_suite.filter(|(file, case, _)| is_wanted(args, file, case)));
        }
    }
    let seed = args.shuffle.map(|seed| seed.unwrap_or_else(order::new_seed));
    if let Some(seed) = seed {
        order::shuffle(&mut cases, seed);
    }
    let mut runs: Vec<CaseRun> = Vec::new();
    for (file, case, round) in cases {
        runs.push(case_run::run(case, file, round, configs, args.run).await?);
    }
    let wants_coverage = args.coverage || args.threshold.is_some();
    let coverage = wants_coverage.then(|| Coverage::of(table, &runs));
    Ok(TestOutcome { runs, coverage, seed, duration: began.elapsed() })
}

fn is_wanted(args: &Args, file: &str, case: &Case) -> bool {
    args.filter.as_ref().is_none_or(|regex| regex.is_match(&format!("{file}: {}", case.name)))
}

/// Returns how the verb ends, and says why if that is not in the result.
fn judge(args: &Args, outcome: &TestOutcome, no_files: bool) -> Exit {
    let mut exit = if outcome.count(Status::Failed) > 0 { Exit::Deny } else { Exit::Ok };
    if outcome.ran() == 0 && !args.allow_empty {
        let help = match (no_files, &args.filter) {
            (true, _) => {
                "write `hooks_test.toml` beside the config, as `hookgate test --help` shows"
            }
            (false, Some(_)) => "no case has a name that --filter matches",
            (false, None) => "the test files have no case, or all are skipped",
        };
        stderr::error("no case was run", Some(&format!("{help}; --allow-empty accepts that")));
        exit = Exit::Deny;
    }
    if let (Some(threshold), Some(coverage)) = (args.threshold, &outcome.coverage)
        && coverage.percent < f64::from(threshold)
    {
        let never: Vec<&str> = coverage
            .hooks
            .iter()
            .filter(|hook| hook.called == 0)
            .map(|hook| hook.id.as_str())
            .collect();
        stderr::error(
            &format!(
                "{:.0} % of the hooks were called, {threshold} % are asked for",
                coverage.percent
            ),
            Some(&format!("add cases for {}", never.join(", "))),
        );
        exit = Exit::Deny;
    }
    exit
}
