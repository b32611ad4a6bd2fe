//! `hookgate diff`: what differs between two configs, in their hooks and in what they decide.

mod deltas;
mod direction;
mod screen;
mod structure;

use std::path::{Path, PathBuf};

use hookgate::HookId;
use serde_json::json;

use super::test::golden;
use crate::abort::Abort;
use crate::agents::dialect_of;
use crate::config::ConfigArgs;
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::journal::JournalArgs;
use crate::replay::{Change, ExternalArgs, Item, JudgingArgs, Replayer, Source};
use crate::terminal::progress::Progress;
use crate::terminal::stderr;
use crate::terminal::stdout;
use deltas::Deltas;
use direction::Direction;
use structure::Structure;

/// What `--on` calls the journal of the user.
const JOURNAL: &str = "journal";

/// What `--on` calls the steps of the configs' own tests.
const GOLDEN: &str = "golden";

/// Compare two configs: their hooks, and what they decide about recorded steps
///
/// First what is added, removed and changed, each with whether it is weaker or stronger as far as that can be told
/// without a step. With --on, each recorded step is judged by both, as `hookgate replay` does, and the steps that come
/// out otherwise are printed in groups, with one example each. The same configs and steps give the same output.
///
/// --fail-on weaker: exit with 2 if a hook that decides is removed or weakened, or if a step is let further than before.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate diff old.toml hooks.toml
  hookgate diff old.toml hooks.toml --on journal --since 7d
  hookgate diff old.toml hooks.toml --on sessions/ --fail-on weaker
  hookgate diff old.toml hooks.toml --on golden
  git show main:hooks.toml > old.toml && hookgate diff old.toml hooks.toml --on journal --json")]
pub struct Args {
    /// The config of before
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The config of now
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Judge these steps by both: `journal`; `golden`, the steps of the test files beside the configs; a journal, a
    /// file of envelopes, or a folder with *.jsonl
    #[arg(id = "steps", long = "on", value_name = "STEPS")]
    on: Vec<PathBuf>,
    #[command(flatten)]
    judging: JudgingArgs,
}

/// Runs the verb.
///
/// # Errors
/// A config is not valid, steps cannot be read, or it was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let judging = &args.judging;
    let mut old = load(&args.old, &judging.external)?;
    let mut new = load(&args.new, &judging.external)?;
    let structure = Structure::of(&old.table(), &new.table());
    let json = judging.output.wants_json();
    let deltas = match sources(&args, &old, &new)? {
        None => None,
        Some(sources) => {
            let deltas = judge_all(&args, sources, &mut old, &mut new);
            Some(tokio::select! {
                deltas = deltas => deltas?,
                () = interrupted() => return Err(Abort::failure("interrupted: the remaining steps were not judged")),
            })
        }
    };
    if json {
        stdout::json_line(&json!({
            "old": old.table().config_hash(),
            "new": new.table().config_hash(),
            "structure": structure.to_json(),
            "steps": deltas.as_ref().map(Deltas::to_json),
        }))?;
    } else {
        stdout::print(&screen::text(&structure, deltas.as_ref()))?;
    }
    let is_there = |change: &Change| {
        let by_rule = match change {
            Change::Weaker => structure.has(Direction::Weaker),
            Change::Stricter => structure.has(Direction::Stronger),
            _ => false,
        };
        by_rule || deltas.as_ref().is_some_and(|deltas| deltas.has(*change))
    };
    Ok(match judging.fail_on.iter().any(is_there) {
        true => Exit::Deny,
        false if deltas.is_some_and(|deltas| deltas.unreadable > 0) => Exit::Failure,
        false => Exit::Ok,
    })
}

fn load(file: &Path, external: &ExternalArgs) -> Result<Replayer, Abort> {
    Replayer::load(&config(file), external)
}

fn config(file: &Path) -> ConfigArgs {
    ConfigArgs { files: vec![file.to_owned()], strict: false }
}

/// Returns the steps that both judge; `None` if only the hooks are compared.
fn sources(args: &Args, old: &Replayer, new: &Replayer) -> Result<Option<Vec<Source>>, Abort> {
    let judging = &args.judging;
    let filter = judging.filter.is_given().then(|| judging.filter.read()).transpose()?;
    if args.on.is_empty() {
        return match filter {
            None => Ok(None),
            Some(_) => Err(Abort::usage("no steps are filtered without --on; try --on journal")),
        };
    }
    let dialect = judging.agent.as_deref().map(dialect_of).transpose()?;
    let sources = args.on.iter().map(|on| match on.to_str() {
        Some(JOURNAL) => {
            Ok(Source::journal(JournalArgs::default().file()?, filter.clone().unwrap_or_default()))
        }
        Some(GOLDEN) if filter.is_some() => {
            Err(Abort::usage("only a journal is filtered, and golden steps are those of tests"))
        }
        Some(GOLDEN) => {
            let configs = [config(&args.new).find()?, config(&args.old).find()?];
            golden(&configs, &[&new.table(), &old.table()]).map(Source::steps)
        }
        _ => Source::files(std::slice::from_ref(on), filter.as_ref()),
    });
    let of_agent = |source: Result<Source, Abort>| Ok(source?.of_agent(dialect.clone()));
    Ok(Some(sources.map(of_agent).collect::<Result<_, Abort>>()?))
}

async fn judge_all(
    args: &Args,
    sources: Vec<Source>,
    old: &mut Replayer,
    new: &mut Replayer,
) -> Result<Deltas, Abort> {
    let mut deltas = Deltas::default();
    for mut source in sources {
        let progress = if args.judging.quiet { Progress::hidden() } else { source.progress(true) };
        while let Some(item) = source.next(&progress).await? {
            match item {
                Item::Unreadable(place, why) => {
                    progress.suspend(|| stderr::error_at(&place, &why));
                    deltas.unreadable += 1;
                }
                Item::Step(step) => {
                    let (before, now) = (old.judge(&step).await, new.judge(&step).await);
                    if step.is_wanted {
                        let is_same_hook =
                            |hook: &HookId| old.definition(hook) == new.definition(hook);
                        deltas.add(&step, &before, &now, is_same_hook);
                    }
                }
            }
        }
        progress.finish();
        super::replay::tell_counts(&source);
    }
    Ok(deltas)
}
