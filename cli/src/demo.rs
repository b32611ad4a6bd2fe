//! `hookgate demo`: a shipped session, shipped hooks, and a swap in the middle.

mod files;
mod row;
mod shown;

use std::time::Duration;

use hookgate::contract::envelope::Incoming;
use hookgate::contract::json::Integers;
use hookgate::{Engine, HandlerTable, Registry, Report};
use serde_json::Value;

use crate::abort::Abort;
use crate::colour;
use crate::config;
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::output::{self, OutputArgs};
use crate::{diagnostics, judge};
use files::Files;
use shown::Shown;

/// How long background hooks may go on after the last step.
const DRAIN: Duration = Duration::from_secs(10);

/// See what hooks do: a shipped session, judged, with the hooks swapped in the middle
///
/// Nothing is run but the hooks: the session is a recording, and no file of yours is touched. Two
/// of the hooks are Python programs, so python3 must be there.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate demo
  hookgate demo --json | jq -c 'select(.decision != \"allow\") | {step_id, decision, by}'

The session and the hooks stand in examples/demo of the repository.")]
pub(crate) struct Args {
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) async fn run(args: Args) -> Result<Exit, Abort> {
    let files = Files::extract()?;
    let registry = config::registry();
    let first = load(&files, files::FIRST, &registry)?;
    let second = load(&files, files::SECOND, &registry)?;
    let demo = Demo {
        engine: Engine::new(first),
        json: args.output.wants_json(),
        shown: Shown::default(),
    };
    let interrupted = interrupted();
    tokio::select! {
        ended = demo.show(second) => ended.map(|()| Exit::Ok),
        () = interrupted => Err(Abort::failure("interrupted")),
    }
}

fn load(files: &Files, name: &str, registry: &Registry) -> Result<HandlerTable, Abort> {
    let path = files.path(name);
    config::load(&path, registry).map(|loaded| loaded.table).map_err(|errors| {
        diagnostics::print(errors.errors(), miette::Severity::Error);
        config::invalid(&path, &errors)
    })
}

/// A step as it was proposed, and what is told about it.
struct Step {
    number: usize,
    envelope: Value,
    report: Report,
}

/// The hooks that took the place of the first ones.
struct Swap {
    name: &'static str,
    generation: u64,
    hooks: usize,
}

struct Demo {
    engine: Engine,
    json: bool,
    shown: Shown,
}

impl Demo {
    async fn show(mut self, second: HandlerTable) -> Result<(), Abort> {
        let lines: Vec<_> = files::SESSION.lines().collect();
        let (first_half, second_half) = lines.split_at(lines.len() / 2);
        let before = self.evaluate_all(first_half, 0).await?;
        let hooks = second.len();
        let swap = Swap { name: files::SECOND, generation: self.engine.swap(second), hooks };
        if self.json {
            let (name, generation) = (swap.name, swap.generation);
            colour::note(&format!("hooks swapped: {name} is in force, generation {generation}"));
        }
        let after = self.evaluate_all(second_half, before.len()).await?;
        self.engine.drain(DRAIN).await;
        let told = self.shown.tell();
        if self.json {
            // Stdout is a stream of records.
            output::aside(&told);
        } else {
            output::text(&format!("{}\n\n{told}", row::table(&before, &swap, &after)))?;
        }
        Ok(())
    }

    async fn evaluate_all(&mut self, lines: &[&str], so_far: usize) -> Result<Vec<Step>, Abort> {
        let mut steps = Vec::new();
        for line in lines {
            let unread = |error: &str| Abort::failure(format!("the session is damaged: {error}"));
            let envelope =
                serde_json::from_str(line).map_err(|error| unread(&error.to_string()))?;
            let mut incoming: Incoming = judge::read(line.as_bytes(), Integers::default())
                .map_err(|error| unread(&error.message))?;
            let report = judge::evaluate(&self.engine, &mut incoming, false).await;
            if self.json {
                output::json_line(&report)?;
            }
            let step = Step { number: so_far + steps.len() + 1, envelope, report };
            self.shown.see(&step);
            steps.push(step);
        }
        Ok(steps)
    }
}
