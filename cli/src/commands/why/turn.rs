//! `hookgate why --turn`: where each line of a prompt comes from.
//!
//! The steps of a turn are evaluated one after the other, as `run` does; what hooks contribute is merged, and later
//! phases read what earlier ones have given. A step of another session or turn begins a new one.

mod printed;

use hookgate::envelope::Incoming;
use hookgate::turn::{Delivered, Turn};
use hookgate::{Engine, Event, Report};
use serde_json::{Map, Value};

use super::steps::{Read, Steps};
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::input::envelope::{self, Unreadable};
use crate::input::remarks::Remarks;
use crate::terminal::stderr;
use crate::terminal::stdout::OutputArgs;

/// The phases of a turn, in their order.
const PHASES: [Event; 5] = [
    Event::TurnPolicy,
    Event::PromptContext,
    Event::PromptContextPlanned,
    Event::ToolSelection,
    Event::PromptCompile,
];

/// The turn that is under way.
struct UnderWay {
    session_id: String,
    number: u64,
    /// The last phase that was evaluated: it, or one before it, belongs to another turn.
    phase: Option<usize>,
    turn: Turn,
}

/// Evaluates the turns of a file, and prints the prompt of each.
pub(super) struct Turns {
    engine: Engine,
    output: OutputArgs,
    remarks: Remarks,
    under_way: Option<UnderWay>,
    /// What each session has been sent by the turns before.
    delivered: Map<String, Value>,
    unreadable: bool,
}

impl Turns {
    pub(super) fn new(engine: Engine, output: OutputArgs) -> Self {
        let (remarks, delivered) = (Remarks::default(), Map::new());
        Self { engine, output, remarks, under_way: None, delivered, unreadable: false }
    }

    /// Evaluates all steps.
    ///
    /// # Errors
    /// The file cannot be read, or stdout cannot be written.
    pub(super) async fn print_all(&mut self, steps: &mut Steps) -> Result<Exit, Abort> {
        while let Some(Read { line, bytes }) = steps.next().await? {
            let step = bytes.and_then(|bytes| self.step(bytes.trim_ascii_end()));
            match step {
                Ok((fields, event)) => self.evaluate(fields, event, line, steps.name()).await?,
                Err(wrong) => self.refuse(&wrong, line, steps.name()),
            }
        }
        self.end()?;
        Ok(if self.unreadable { Exit::Failure } else { Exit::Ok })
    }

    fn refuse(&mut self, wrong: &Unreadable, line: u64, name: &str) {
        self.unreadable = true;
        let row = line.saturating_add(wrong.line as u64).saturating_sub(1);
        let position = format!("{name}:{row}:{}", wrong.column);
        stderr::error_at(&position, &format!("the step could not be read: {}", wrong.message));
    }

    /// Reads a step as far as its event. The rest is read once it has what the phases before have given.
    fn step(&self, bytes: &[u8]) -> Result<(Map<String, Value>, Event), Unreadable> {
        let integers = self.engine.table().limits().integers;
        let event = envelope::read(bytes, integers)?.event;
        Ok((envelope::object(bytes, integers)?, event))
    }

    async fn evaluate(
        &mut self,
        mut fields: Map<String, Value>,
        event: Event,
        line: u64,
        name: &str,
    ) -> Result<(), Abort> {
        let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
        let session_id = text("session_id").to_owned();
        let number = fields.get("turn").and_then(Value::as_u64).unwrap_or_default();
        let phase = PHASES.iter().position(|phase| *phase == event);
        let goes_on = |turn: &UnderWay| {
            (turn.session_id.as_str(), turn.number) == (session_id.as_str(), number)
                && phase.is_none_or(|phase| turn.phase.is_none_or(|last| phase > last))
        };
        if !self.under_way.as_ref().is_some_and(goes_on) {
            self.end()?;
            self.under_way = Some(self.begun(session_id, number));
        }
        let Some(under_way) = &mut self.under_way else { return Ok(()) };
        let offered = names(fields.get("tool_names"));
        under_way.phase = phase.or(under_way.phase);
        inform(&under_way.turn, event, &mut fields);
        let mut incoming = match Incoming::from_object(fields) {
            Ok(incoming) => incoming,
            Err(error) => {
                self.refuse(&Unreadable::at_start(error.to_string()), line, name);
                return Ok(());
            }
        };
        for remark in self.remarks.new_about(&incoming, &self.engine.table()) {
            stderr::warning(&remark);
        }
        let report = envelope::evaluate(&self.engine, &mut incoming, true).await;
        under_way.turn.absorb(event, &report.contributions);
        if event == Event::ToolSelection {
            let (offered, removed) = selected(offered, &report);
            under_way.turn.offer_tools(offered, removed);
        }
        Ok(())
    }

    fn begun(&self, session_id: String, number: u64) -> UnderWay {
        let delivered = self.delivered.get(&session_id).cloned().unwrap_or_default();
        let delivered: Delivered = serde_json::from_value(delivered).unwrap_or_default();
        let turn = Turn::of(&self.engine).delivered(delivered);
        UnderWay { session_id, number, phase: None, turn }
    }

    /// Prints the turn that is under way, if there is one.
    fn end(&mut self) -> Result<(), Abort> {
        let Some(UnderWay { session_id, number, turn, .. }) = self.under_way.take() else {
            return Ok(());
        };
        printed::print(&turn, &session_id, number, self.output)?;
        let delivered = serde_json::to_value(turn.into_delivered()).unwrap_or_default();
        self.delivered.insert(session_id, delivered);
        Ok(())
    }
}

/// Writes what the phases before have given into a step that says nothing of it.
fn inform(turn: &Turn, event: Event, fields: &mut Map<String, Value>) {
    if !PHASES.contains(&event) {
        return;
    }
    let mut planning = hookgate::contract::payload::Planning::default();
    turn.inform(event, &mut planning);
    let names = planning.tool_names.map(Value::from);
    for (key, value) in
        [("policies", planning.policies), ("contexts", planning.contexts), ("tool_names", names)]
    {
        if let Some(value) = value.filter(|_| !fields.contains_key(key)) {
            fields.insert(key.to_owned(), value);
        }
    }
}

fn names(value: Option<&Value>) -> Vec<String> {
    let names = value.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the tools after all rewriters, and those that one has taken away.
fn selected(before: Vec<String>, report: &Report) -> (Vec<String>, Vec<String>) {
    let Some(after) = report.final_fields.get("tool_names") else { return (before, Vec::new()) };
    let after = names(Some(after));
    let removed = before.into_iter().filter(|name| !after.contains(name)).collect();
    (after, removed)
}
