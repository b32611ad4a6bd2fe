//! `hookgate demo`: a shipped session, shipped hooks, and a swap of the hooks in the middle.

mod files;
mod highlights;

use std::time::Duration;

use comfy_table::{Attribute, Cell, Color, Table};
use hookgate::contract::json::Integers;
use hookgate::envelope::Incoming;
use hookgate::{Engine, Generation, HandlerTable, Report};
use serde_json::Value;

use crate::abort::Abort;
use crate::config::{self, Configs};
use crate::exit_code::Exit;
use crate::input::envelope;
use crate::interrupt::interrupted;
use crate::steps_table;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::{stderr, stdout};
use files::Files;
use highlights::Highlights;

/// How long background hooks may go on after the last step.
const DRAIN: Duration = Duration::from_secs(10);

/// See what hooks do: a shipped session is evaluated, and the hooks are swapped in the middle
///
/// Nothing but the hooks is run: the session is a recording, and no file of yours is touched. Two
/// of the hooks are Python programs, so python3 must be installed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate demo
  hookgate demo --json | jq -c 'select(.decision != \"allow\") | {step_id, decision, by}'

The session and the hooks are in cli/demo of the repository.")]
pub struct Args {
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// python3 is not in `PATH`, the files of the demo cannot be written, or the demo was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let files = Files::extract()?;
    let registry = config::registry();
    let first = Configs::alone(&files.path(files::FIRST)).load_quietly(&registry)?;
    let second = Configs::alone(&files.path(files::SECOND)).load_quietly(&registry)?;
    let demo = Demo {
        engine: Engine::new(first),
        json: args.output.wants_json(),
        highlights: Highlights::default(),
    };
    let interrupted = interrupted();
    tokio::select! {
        ended = demo.show(second) => ended.map(|()| Exit::Ok),
        () = interrupted => Err(Abort::failure("interrupted")),
    }
}

/// A step as it was proposed, and its decision record.
struct Step {
    number: usize,
    envelope: Value,
    report: Report,
}

/// The hooks that replaced the first ones.
struct Swap {
    name: &'static str,
    generation: Generation,
    hooks: usize,
}

struct Demo {
    engine: Engine,
    json: bool,
    highlights: Highlights,
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
            stderr::note(&format!("hooks swapped: {name} is in force, generation {generation}"));
        }
        let after = self.evaluate_all(second_half, before.len()).await?;
        self.engine.drain(DRAIN).await;
        let highlights = self.highlights.to_text();
        if self.json {
            // Stdout is a stream of records.
            stderr::print(&highlights);
        } else {
            stdout::print(&format!("{}\n\n{highlights}", table_of(&before, &swap, &after)))?;
        }
        Ok(())
    }

    async fn evaluate_all(&mut self, lines: &[&str], so_far: usize) -> Result<Vec<Step>, Abort> {
        let mut steps = Vec::new();
        for line in lines {
            let damaged = |error: &str| Abort::failure(format!("the session is damaged: {error}"));
            let envelope =
                serde_json::from_str(line).map_err(|error| damaged(&error.to_string()))?;
            let mut incoming: Incoming = envelope::read(line.as_bytes(), Integers::default())
                .map_err(|error| damaged(&error.message))?;
            let report = envelope::evaluate(&self.engine, &mut incoming, false).await;
            if self.json {
                stdout::json_line(&report)?;
            }
            let step = Step { number: so_far + steps.len() + 1, envelope, report };
            self.highlights.add(&step);
            steps.push(step);
        }
        Ok(steps)
    }
}

/// Returns a table with a row for each step, and a line at which the hooks were swapped.
fn table_of(before: &[Step], swap: &Swap, after: &[Step]) -> Table {
    let row =
        |step: &Step| steps_table::row(&step.number.to_string(), &step.envelope, &step.report);
    let cell = |text: String| Cell::new(text).fg(Color::Yellow).add_attribute(Attribute::Bold);
    let line = [
        cell("──".to_owned()),
        cell("hooks swapped".to_owned()),
        cell(format!("{} is in force", swap.name)),
        cell("──".to_owned()),
        cell("──".to_owned()),
        cell(swap.generation.to_string()),
        cell(format!("{} hooks; the session goes on", swap.hooks)),
    ];
    let rows = before.iter().map(row).chain([line]).chain(after.iter().map(row));
    steps_table::table_of(rows.collect(), true)
}
