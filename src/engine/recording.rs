//! How an engine hands its dispatches to a recorder.
//!
//! Each dispatch of an engine with a recorder goes through three points:
//!
//! 1. [`Engine::recorder_ready`] waits until the recorder has room. Nothing has begun, so a dispatch that is
//!    dropped here leaves no trace.
//! 2. [`Recording::begin`] notes what is known of the step before a hook can change it. From here on there
//!    is exactly one record.
//! 3. [`Recording::finish`] adds what was decided. Without it, which is when the future of the dispatch was
//!    dropped, the drop makes the record of a step that did not happen.
//!
//! The record itself is handed over when it is finished, or else in the drop, so that no way out of a dispatch can
//! miss it. Code of the recorder runs behind `catch_unwind`: a panic costs that record and is logged. A record that is
//! lost denies a step that would go on, if the recorder is required.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate_contract::StepContext;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, Event, StepId};

use super::Engine;
use crate::clock::{self, Instant};
use crate::decision::{Decision, Unfinished};
use crate::dispatch::{Services, enter_recorder};
use crate::log;
use crate::panic_boundary::catch;
use crate::recorder::{DispatchEnd, Record, Recorder, ReloadRecord};
use crate::report::Report;
use crate::table::{HandlerTable, Swap};

impl Engine {
    /// Has every dispatch of the engine recorded from now on: plain ones, reported ones, those that are
    /// dropped in the middle, and approvals. Every event of the engine is armed then, so nothing passes
    /// unseen, at the cost of a record for each step. An engine has one recorder; a later one takes the place of
    /// an earlier one.
    ///
    /// ```
    /// use hookgate::Engine;
    /// use hookgate::recorder::Channel;
    ///
    /// let (channel, records) = Channel::waiting(1024);
    /// let engine = Engine::without_hooks().with_recorder(channel);
    /// # drop((engine, records));
    /// ```
    #[must_use]
    pub fn with_recorder(mut self, recorder: impl Recorder + 'static) -> Self {
        self.shared_mut().recorder = Some(Arc::new(recorder));
        let table = self.marked_as(&self.table());
        if table.generation() == 1 {
            self.swap = Swap::new(table);
        } else {
            self.swap.swap(table);
        }
        self
    }

    /// Marks a table that is about to be published: dispatches read from it whether they are recorded.
    /// The shadow of an engine is that of the table before it.
    pub(super) fn marked(&self, mut table: HandlerTable) -> HandlerTable {
        (table.recorded, table.closed, table.shadow) = (self.shared.recorder.is_some(), None, None);
        table
    }

    /// Returns a copy of the table in force, marked. An engine that was closed stays so.
    pub(super) fn marked_as(&self, current: &HandlerTable) -> HandlerTable {
        let mut table = self.marked(current.clone());
        if let Some(why) = current.closed {
            table.close(why);
        }
        table
    }

    /// Waits until the recorder, if there is one, has room for one more record.
    pub(super) async fn recorder_ready(&self) -> Option<&dyn Recorder> {
        let recorder = self.shared.recorder.as_deref()?;
        if let Some(ready) = call(&self.shared.services, || recorder.ready()).flatten() {
            wait(&self.shared.services, ready).await;
        }
        Some(recorder)
    }

    /// Gives back the room for a record that does not come.
    pub(super) fn release_room(&self, recorder: &dyn Recorder) {
        call(&self.shared.services, || recorder.release());
    }

    /// Hands what came of a reload to the recorder, if there is one.
    pub(crate) fn record_reload(&self, record: ReloadRecord) {
        let Some(recorder) = self.shared.recorder.as_deref() else { return };
        call(&self.shared.services, || recorder.reload(record));
    }

    /// Records, under the step id of the ask, that the user has approved a step that a hook had asked about. Returns
    /// whether the step may happen as far as the recorder is concerned.
    pub(crate) async fn record_approval(
        &self,
        recorder: &dyn Recorder,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        decision: &mut Decision,
    ) -> bool {
        let (recording, report) =
            self.begin_answer(recorder, payload, context, decision, DispatchEnd::Approved);
        // One that was asked in another process has none of its own.
        if let Some(recorder) = &self.shared.recorder {
            decision.unfinished = unfinished(recorder, payload, context, &report);
        }
        recording.finish(&report).await
    }

    /// Records, under the step id of the ask, that the user has refused a step that a hook had asked about. It does not
    /// happen, whatever becomes of the record.
    pub(crate) async fn record_rejection(
        &self,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        decision: &Decision,
    ) {
        let Some(recorder) = self.recorder_ready().await else { return };
        let (recording, report) =
            self.begin_answer(recorder, payload, context, decision, DispatchEnd::Rejected);
        recording.finish(&report).await;
    }

    /// Begins the record of an answer to a question, and returns it with its report.
    fn begin_answer<'e>(
        &'e self,
        recorder: &'e dyn Recorder,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        decision: &Decision,
        end: DispatchEnd,
    ) -> (Recording<'e>, Report) {
        let table = self.table();
        let step_id = StepId::new(decision.step_id.as_deref().or(context.step_id), clock::step_id);
        let mut recording =
            Recording::begin(recorder, &self.shared.services, &table, payload, context, &step_id);
        recording.end = end;
        let report = recording.report.clone().decided(decision.clone());
        (recording, report)
    }
}

/// A dispatch that has begun and must be recorded: when it is finished, or else when it is dropped.
pub(super) struct Recording<'e> {
    recorder: &'e dyn Recorder,
    services: &'e Services,
    started: Instant,
    /// How it ends, unless it is finished otherwise.
    end: DispatchEnd,
    is_handed_over: bool,
    facts: Facts,
    /// What is known before anything is decided.
    report: Report,
}

/// What a record says of the step beside the report: what a journal is searched for. They are taken at
/// the beginning, because a drop has no step any more.
#[derive(Default, Clone)]
pub(super) struct Facts {
    turn: u64,
    agent_id: Option<String>,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
}

impl Facts {
    pub(super) fn new(payload: &dyn AnyPayload, context: &StepContext<'_>) -> Self {
        let tool = catch("the payload", || payload.tool()).ok().flatten();
        Self {
            turn: context.turn,
            agent_id: context.agent_id.map(str::to_owned),
            tool_name: tool.map(|call| call.tool_name.clone()),
            tool_use_id: tool.and_then(|call| call.tool_use_id.clone()),
        }
    }

    pub(super) fn into_record(self, end: DispatchEnd, report: Report) -> Record {
        let Self { turn, agent_id, tool_name, tool_use_id } = self;
        Record { time: clock::unix_ms(), end, turn, agent_id, tool_name, tool_use_id, report }
    }
}

impl<'e> Recording<'e> {
    /// Begins the record of a step, which no hook has changed yet. The envelope is made if the recorder
    /// wants it; one that cannot be made, because the payload panics or is not an object, is left out.
    pub(super) fn begin(
        recorder: &'e dyn Recorder,
        services: &'e Services,
        table: &HandlerTable,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        step_id: &StepId<'_>,
    ) -> Self {
        let mut report = Report::begun(table, payload, context, step_id);
        if call(services, || recorder.wants_envelope()).unwrap_or_default() {
            let generation = table.generation().get();
            let envelope = Envelope::new(payload, context, step_id, generation, usize::MAX);
            let value = catch("the payload", || envelope.value().ok().cloned());
            report.envelope = value.ok().flatten();
        }
        Self {
            recorder,
            services,
            started: Instant::now(),
            end: DispatchEnd::Dropped,
            is_handed_over: false,
            facts: Facts::new(payload, context),
            report,
        }
    }

    /// Records what was decided; the envelope stays that of the beginning. Waits for what the recorder has the step wait
    /// for. Returns whether the step may happen: the record is kept, or need not be.
    pub(super) async fn finish(mut self, report: &Report) -> bool {
        if self.end == DispatchEnd::Dropped {
            self.end = DispatchEnd::Decided;
        }
        let envelope = self.report.envelope.take();
        self.report = report.clone();
        self.report.envelope = envelope;
        // One that cannot say whether it is required is. So is the one that has dispatched the step itself.
        let record = self.record();
        let (services, recorder) = (self.services, self.recorder);
        let taken = call(services, || recorder.record_kept(record)).and_then(Result::ok);
        let is_kept = match taken {
            Some(Some(kept)) => wait(services, kept).await.is_some_and(|kept| kept.is_ok()),
            Some(None) => true,
            None => false,
        };
        is_kept || !call(services, || recorder.is_required()).unwrap_or(true)
    }

    /// Makes the record, which is handed over from then on.
    fn record(&mut self) -> Record {
        self.is_handed_over = true;
        let mut report = std::mem::replace(&mut self.report, Report::empty());
        if self.end == DispatchEnd::Dropped {
            report = report.dropped();
            report.duration_us = u64::try_from(self.started.elapsed().as_micros()).ok();
        }
        std::mem::take(&mut self.facts).into_record(self.end, report)
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if !self.is_handed_over {
            let record = self.record();
            call(self.services, || self.recorder.record(record));
        }
    }
}

/// Returns what is to be done if the step is a tool that is started, and whose result is not handed over.
pub(super) fn unfinished(
    recorder: &Arc<dyn Recorder>,
    payload: &dyn AnyPayload,
    context: &StepContext<'_>,
    call: &Report,
) -> Unfinished {
    if payload.contract().event != Event::PreToolUse {
        return Unfinished::default();
    }
    let (recorder, facts) = (Arc::clone(recorder), Facts::new(payload, context));
    let report = Report::unfinished_tool(call);
    Unfinished::new(move || {
        let record = facts.clone().into_record(DispatchEnd::Unfinished, report.clone());
        if catch("the recorder", || recorder.record(record)).is_err() {
            log_panic();
        }
    })
}

/// Without the detail: it may quote what was evaluated.
fn log_panic() {
    log::recorder_panicked();
}

/// Awaits a future of the recorder. Returns `None` if it panics.
async fn wait<T>(
    services: &Services,
    mut future: Pin<Box<dyn Future<Output = T> + Send + '_>>,
) -> Option<T> {
    let poll = |cx: &mut Context<'_>| match call(services, || future.as_mut().poll(cx)) {
        Some(polled) => polled.map(Some),
        None => Poll::Ready(None),
    };
    let output = poll_fn(poll).await;
    call(services, || drop(future));
    output
}

/// Calls the recorder. Returns `None` if it panics, or is at work already: if it has dispatched the step that it is
/// called for.
fn call<T>(services: &Services, recorder: impl FnOnce() -> T) -> Option<T> {
    let Some(_entered) = enter_recorder(services) else {
        log::recorder_dispatched();
        return None;
    };
    let called = catch("the recorder", recorder);
    if called.is_err() {
        log_panic();
    }
    called.ok()
}
