//! `hookgate why`: why did a hook run about a step, or not?

mod because;
mod counts;
mod finding;
mod reason;
mod steps;
mod turn;

use std::path::PathBuf;
use std::sync::Arc;

use anstyle::Style;
use hookgate::envelope::Incoming;
use hookgate::{Engine, HandlerTable, HookSpec};

use crate::abort::Abort;
use crate::config::{self, ConfigArgs};
use crate::exit_code::Exit;
use crate::hook_standing::{HookStanding, Standing};
use crate::input::envelope;
use crate::input::now::NowArgs;
use crate::input::remarks::Remarks;
use crate::interrupt::interrupted;
use crate::silenced;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::style::DOUBTFUL;
use crate::terminal::{sanitize, stderr, stdout, table};
use counts::Counts;
use finding::Finding;
use steps::{Read, Steps};

/// The kind of the handlers that start and send nothing.
const BUILTIN: &str = "builtin";

/// Say why a hook ran about a step or not, condition by condition, and what became of its answer
///
/// The step is one envelope, or a file of envelopes, one a line. Of several steps it prints how often
/// each reason occurs; --line shows one of them in full. The lines before it count for marks, counts
/// and limits, but of their hooks only builtins are called.
///
/// The hooks are called about the step, as in `eval`: what one of them says may be the reason for what
/// another one does. With --no-run none is called, and only the conditions are looked at, as the step
/// came in.
///
/// It also says if `hookgate hook` would not run the hook: one with a mistake is set aside, and one of a project
/// that is not trusted is not called; the steps that they are about are refused.
///
/// With --turn the steps are the phases of a turn, and it is about no single hook: it prints the prompt that the hooks
/// contribute to, and of each line which hook gave it. Hooks are called as in `run`.
///
/// Exits with 0, whatever the decision is, and with 1 if a step could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate why no-force-push -i step.json
  hookgate why no-force-push -i session.jsonl            how often, for which reason?
  hookgate why no-force-push -i session.jsonl --line 12
  echo '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}' | hookgate why no-force-push
  hookgate why judge -i step.json --no-run               asks no model
  hookgate why --turn -i turn.jsonl                      where does each line of the prompt come from?")]
pub struct Args {
    /// The id of the hook
    #[arg(value_name = "ID", required_unless_present = "turn")]
    hook: Option<String>,
    /// Print the prompt of a turn, and where each line of it comes from
    #[arg(long, conflicts_with_all = ["hook", "line", "no_run"])]
    turn: bool,
    #[command(flatten)]
    config: ConfigArgs,
    /// The step, or steps one a line; `-` or nothing means stdin
    #[arg(short, long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Of the file, explain this line only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    line: Option<u64>,
    /// Call no hook: look at the conditions only
    #[arg(long)]
    no_run: bool,
    #[command(flatten)]
    now: NowArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, it has no such hook, the file cannot be read or has no such line, or the
/// evaluation was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let registry = config::registry_at(args.now.now);
    let (configs, loaded) = args.config.load_in_part(&registry)?;
    let Some(id) = &args.hook else {
        return explain_turns(&args, loaded.table).await;
    };
    let hook = hook_of(&loaded.table, id, !loaded.set_aside.is_empty())?.clone();
    let mut steps = Steps::open(args.input.as_deref()).await?;
    let standing = Standing::of(&configs);
    let mut asking = Asking::new(&args, hook, loaded.table, &standing)?;
    let interrupted = interrupted();
    tokio::select! {
        asked = asking.ask_all(&mut steps, args.line) => asked,
        () = interrupted => Err(Abort::failure("interrupted: not all steps were looked at")),
    }?;
    asking.print(args.output)
}

/// Prints the prompt of each turn in the file.
async fn explain_turns(args: &Args, table: HandlerTable) -> Result<Exit, Abort> {
    let mut steps = Steps::open(args.input.as_deref()).await?;
    let mut turns = turn::Turns::new(Engine::new(table), args.output);
    let interrupted = interrupted();
    tokio::select! {
        printed = turns.print_all(&mut steps) => printed,
        () = interrupted => Err(Abort::failure("interrupted: not all turns were looked at")),
    }
}

/// Finds the hook. One with a mistake may have no id, or be an observer, which is left out.
fn hook_of<'t>(
    table: &'t HandlerTable,
    id: &str,
    some_are_set_aside: bool,
) -> Result<&'t HookSpec, Abort> {
    table.specs().find(|spec| spec.id() == id).ok_or_else(|| {
        let known: Vec<String> = table.specs().map(|spec| spec.id().to_string()).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let unknown = Abort::unknown_name("hook", id, &known);
        match some_are_set_aside {
            true => {
                unknown.help("it may be the one with the mistake above: mend that, and ask again")
            }
            false => unknown,
        }
    })
}

/// Returns why `hookgate hook` does not run a hook.
fn not_run(hook: &HookSpec, standing: &Standing) -> Option<String> {
    let set_aside = hook.why_set_aside().map(|why| {
        format!("no: it is set aside, and what it is about gets its posture in its place: {why}")
    });
    set_aside.or_else(|| standing.why_refused(hook).map(|why| format!("no: {why}")))
}

/// A question about one hook.
struct Asking {
    hook: HookSpec,
    table: Arc<HandlerTable>,
    /// The hooks as they are; `None` if none is to be called.
    engine: Option<Engine>,
    /// The hooks for steps that are not asked about, which only leave marks and counts.
    silent: Engine,
    counts: Counts,
    remarks: Remarks,
    unreadable: u64,
    standing: HookStanding,
    /// Why `hookgate hook` does not run the hook.
    refused: Option<String>,
}

impl Asking {
    fn new(
        args: &Args,
        hook: HookSpec,
        table: HandlerTable,
        standing: &Standing,
    ) -> Result<Self, Abort> {
        let is_called = |spec: &HookSpec| !args.no_run && spec.kind() == BUILTIN;
        Ok(Self {
            counts: Counts::new(&hook),
            standing: standing.of_hook(&hook),
            refused: not_run(&hook, standing),
            hook,
            silent: Engine::new(silenced::table_with_silenced(&table, is_called)?),
            engine: (!args.no_run).then(|| Engine::new(table.clone())),
            table: Arc::new(table),
            remarks: Remarks::default(),
            unreadable: 0,
        })
    }

    async fn ask_all(&mut self, steps: &mut Steps, only: Option<u64>) -> Result<(), Abort> {
        let mut last = 0;
        while let Some(Read { line, bytes }) = steps.next().await? {
            last = line;
            let integers = self.table.limits().integers;
            let read = bytes.and_then(|bytes| envelope::read(bytes.trim_ascii_end(), integers));
            match read {
                Ok(step) if only.is_some_and(|only| only != line) => self.pass(step).await,
                Ok(step) => {
                    let finding = self.ask(step, line).await;
                    self.counts.add(finding.standing(self.standing));
                }
                Err(wrong) if only.is_none_or(|only| only == line) => {
                    self.unreadable += 1;
                    let row = line.saturating_add(wrong.line as u64).saturating_sub(1);
                    let position = format!("{}:{row}:{}", steps.name(), wrong.column);
                    let message = format!("the step could not be read: {}", wrong.message);
                    stderr::error_at(&position, &message);
                }
                Err(_) => {}
            }
            if only == Some(line) {
                return Ok(());
            }
        }
        match only {
            Some(only) => {
                let name = steps.name();
                let message = format!("there is no step in line {only} of {name}");
                Err(Abort::failure(message).help(format!("the last step is in line {last}")))
            }
            None => Ok(()),
        }
    }

    /// Lets a step that is not asked about leave its marks and counts.
    async fn pass(&self, mut step: Incoming) {
        let _ = envelope::evaluate(&self.silent, &mut step, false).await;
    }

    async fn ask(&mut self, mut step: Incoming, line: u64) -> Finding {
        for remark in self.remarks.new_about(&step, &self.table) {
            stderr::warning(&remark);
        }
        let table = &self.table;
        // Before the evaluation, which sets marks and counts.
        let conditions = reason::conditions(table, &self.hook, &step);
        match &self.engine {
            Some(engine) => {
                let report = envelope::evaluate(engine, &mut step, false).await;
                Finding::of_report(&self.hook, table, conditions, report, line)
            }
            None => {
                let finding = Finding::without_report(&self.hook, table, conditions, &step, line);
                self.pass(step).await;
                finding
            }
        }
    }

    fn print(&self, output: OutputArgs) -> Result<Exit, Abort> {
        if output.wants_json() {
            match self.counts.only() {
                Some(finding) => stdout::json_line(finding)?,
                None => {
                    for group in self.counts.groups() {
                        stdout::json_line(group)?;
                    }
                }
            }
        } else {
            let text = match self.counts.only() {
                Some(finding) => finding.to_text(),
                None => self.counts.to_text(),
            };
            let refused = self.refused.iter().map(|why| {
                let lines = table::wrapped(&sanitize::line(why), 2, Style::new()).join("\n");
                format!("{DOUBTFUL}in force{DOUBTFUL:#}\n{lines}\n")
            });
            stdout::print(&(text + &refused.collect::<String>()))?;
        }
        Ok(if self.unreadable == 0 { Exit::Ok } else { Exit::Failure })
    }
}
