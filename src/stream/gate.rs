//! The gate between a model and what shows its text.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hookgate_contract::payload::{PostLlmResponse, ToolCall};
use hookgate_contract::{Refusal, StepContext, VerdictDecision};

use super::held::HeldText;
use super::streamed::ToldApart;
use super::windows::Windows;
use super::{Cut, Ended, Exposure, Released, Retraction, StreamedStep};
use crate::decision::{Decision, Outcome};
use crate::engine::{Engine, HookEngine};
use crate::hook_id::HookId;
use crate::report::Report;
use crate::step::{Gate, Ran, ToolUse};
use crate::table::{Bucket, EarlyHooks, HandlerTable};

/// Judges a text while it comes: see the [module](super).
///
/// ```
/// use hookgate::builtin::RedactSecrets;
/// use hookgate::contract::payload::PostLlmResponse;
/// use hookgate::stream::{Exposure, StreamGate};
/// use hookgate::{Engine, Event, HandlerTable, Hook, StepContext};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::new("no-secrets", "builtin", RedactSecrets::new().into()).event(Event::PostLlmResponse);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
/// let context = StepContext::new("session-1");
/// let mut gate = StreamGate::new(&engine, &context, Exposure::NONE);
/// let mut shown = String::new();
/// for part in ["It is in the file, see bel", "ow: DB_PASS=corr", "ect7horse"] {
///     shown += &gate.push(part).await?.text;
/// }
/// assert_eq!(shown, "It is in the file");
/// let whole = "It is in the file, see below: DB_PASS=correct7horse";
/// shown += &gate.finish(PostLlmResponse::new(whole, Vec::new())).await.rest;
/// assert_eq!(shown, "It is in the file, see below: DB_PASS=[redacted:assignment]");
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub struct StreamGate<'a, E: HookEngine + ?Sized, S: StreamedStep = PostLlmResponse> {
    engine: &'a E,
    context: &'a StepContext<'a>,
    exposure: Exposure,
    /// What the text is of.
    source: S::Source,
    /// How many bytes have passed before the first hook was at the event.
    passed: usize,
    held: HeldText,
    /// What the early hooks have made of the text behind that, as far as they have judged it.
    judged: String,
    /// How many bytes of it were released.
    released: usize,
    /// How far hooks have judged it by windows.
    windows: Windows,
    /// The hooks of the event at the first push.
    begun_with: Option<Option<Arc<Bucket>>>,
    /// The hooks told apart, of the table that was in force at the last push.
    told_apart: Option<(Arc<HandlerTable>, ToldApart)>,
    /// Whether all that comes is left to the end, since the hooks are not those that have judged what came before.
    waits_for_end: bool,
    cut: Option<Cut>,
}

impl<E: HookEngine + ?Sized, S: StreamedStep> fmt::Debug for StreamGate<'_, E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamGate")
            .field("exposure", &self.exposure)
            .field("shown", &self.shown())
            .field("held", &self.waiting())
            .field("cut", &self.cut)
            .finish_non_exhaustive()
    }
}

impl<'a, E: HookEngine + ?Sized> StreamGate<'a, E> {
    /// Returns a gate for one answer of a model.
    #[must_use]
    pub const fn new(engine: &'a E, context: &'a StepContext<'a>, exposure: Exposure) -> Self {
        Self::of((), engine, context, exposure)
    }
}

impl<'a, E: HookEngine + ?Sized> StreamGate<'a, E, ToolUse<Ran>> {
    /// Returns a gate for what a tool prints while it runs. At the end the runtime
    /// [finishes](crate::step::Running::finish) the tool with all that it has printed, or with its error, and the gate
    /// with that.
    ///
    /// ```
    /// use hookgate::builtin::RedactSecrets;
    /// use hookgate::stream::{Exposure, StreamGate};
    /// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let hook = Hook::new("no-secrets", "builtin", RedactSecrets::new().into()).event(Event::PostToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    /// let context = StepContext::new("session-1");
    /// let call = ToolUse::propose("Bash", r#"{"command":"env"}"#)?;
    /// let Gate::Cleared(cleared) = engine.dispatch(call, &context).await else { panic!() };
    ///
    /// let running = cleared.start();
    /// let mut gate = StreamGate::of_tool(&engine, &context, Exposure::NONE, running.call());
    /// let (mut printed, mut shown) = (String::new(), String::new());
    /// for part in ["LANG=C, as ever\nDB_PASS=corr", "ect7horse\n"] {
    ///     printed += part;
    ///     shown += &gate.push(part).await?.text;
    /// }
    /// let ended = gate.finish(running.finish(Ok::<_, String>(printed))).await;
    /// shown += &ended.rest;
    /// assert_eq!(shown, "LANG=C, as ever\nDB_PASS=[redacted:assignment]\n");
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn of_tool(
        engine: &'a E,
        context: &'a StepContext<'a>,
        exposure: Exposure,
        call: &ToolCall,
    ) -> Self {
        Self::of(call.clone(), engine, context, exposure)
    }
}

impl<'a, E: HookEngine + ?Sized, S: StreamedStep> StreamGate<'a, E, S> {
    const fn of(
        source: S::Source,
        engine: &'a E,
        context: &'a StepContext<'a>,
        exposure: Exposure,
    ) -> Self {
        Self {
            engine,
            context,
            exposure,
            source,
            passed: 0,
            held: HeldText::new(),
            judged: String::new(),
            released: 0,
            windows: Windows::new(),
            begun_with: None,
            told_apart: None,
            waits_for_end: false,
            cut: None,
        }
    }

    /// Returns how many bytes were released so far.
    #[must_use]
    pub const fn shown(&self) -> usize {
        self.passed + self.released
    }

    /// Returns how many bytes wait.
    const fn waiting(&self) -> usize {
        self.held.len() + self.judged.len() - self.released
    }

    /// Takes the next part of the text, and returns what may be shown now.
    ///
    /// # Errors
    /// A hook denies a piece: nothing more is shown, and each further push returns the same.
    ///
    /// # Cancel safety
    /// If the future is dropped after its first poll, the part is taken, and nothing is lost: what may be shown comes with
    /// the next push, or at the end.
    pub async fn push<'p>(&mut self, part: &'p str) -> Result<Released<'p>, Cut> {
        if let Some(cut) = &self.cut {
            return Err(cut.clone());
        }
        let in_force = self.in_force();
        self.note_hooks(in_force.as_ref().map(|(_, table)| &**table));
        if self.waits_for_end {
            self.held.push(part);
            return Ok(Released::new(Cow::Borrowed(""), self.waiting()));
        }
        let Some((engine, table)) = in_force else { return Ok(self.pass(part)) };
        let hooks = self.told_apart(table);
        if hooks.is_empty() {
            return Ok(self.pass(part));
        }
        self.held.push(part);
        self.judge_pieces(engine, &hooks).await?;
        self.judge_windows(engine, &hooks).await?;
        let text = self.release(self.most(&hooks)).to_owned();
        Ok(Released::new(Cow::Owned(text), self.waiting()))
    }

    /// Has the hooks that judge pieces judge those that have come.
    async fn judge_pieces(&mut self, engine: &Engine, hooks: &EarlyHooks) -> Result<(), Cut> {
        let Some(table) = &hooks.table else {
            let all = self.held.take_all();
            self.judged.push_str(&all);
            return Ok(());
        };
        while let Some(piece) = self.held.piece(&hooks.cuts) {
            let mut piece = S::piece(&self.source, piece.to_owned());
            let decision = engine.judge_piece(table, &mut piece, self.context).await;
            if let Some(refused) = decision.filter(|decision| is_refused(decision)) {
                return Err(self.cut(&refused));
            }
            self.judged.push_str(&S::piece_text(piece));
            self.held.drop_piece();
        }
        Ok(())
    }

    /// Has the hooks that judge windows judge those that have come, of the text as the others have left it.
    async fn judge_windows(&mut self, engine: &Engine, hooks: &EarlyHooks) -> Result<(), Cut> {
        while let Some(window) = self.windows.next(hooks, &self.judged) {
            let Some((_, table)) = hooks.windows.get(window.size) else { break };
            let text = self.judged.get(window.from..window.to).unwrap_or_default();
            let mut text = S::piece(&self.source, text.to_owned());
            let decision = engine.judge_piece(table, &mut text, self.context).await;
            if let Some(refused) = decision.filter(|decision| is_refused(decision)) {
                return Err(self.cut(&refused));
            }
            self.windows.judged(&window);
        }
        Ok(())
    }

    /// Returns how many bytes of what was judged may be released in all: what the hooks with windows have judged, and so
    /// much more as the host shows unjudged; of that at most, if a hook wants the whole.
    fn most(&self, hooks: &EarlyHooks) -> usize {
        let by_windows = self.windows.settled().saturating_add(self.exposure.most());
        match hooks.whole.is_empty() {
            true => by_windows,
            false => by_windows.min(self.exposure.most().saturating_sub(self.passed)),
        }
    }

    /// Dispatches the whole text, and returns what is still to be shown, or what is to be taken back.
    ///
    /// The response holds all that came, as it came. After a [`Cut`] it holds what came until then: so it is recorded,
    /// and observers are told.
    ///
    /// # Cancel safety
    /// As [`HookEngine::dispatch`]: the whole is not cleared, and what was held is gone.
    pub async fn finish(self, whole: S) -> Ended<S> {
        let shown = self.shown_of(&whole);
        let (length, kept) = (self.shown(), self.kept());
        let mut context = *self.context;
        let refusal = self.cut.as_ref().and_then(refusal);
        context.refusal = refusal.as_ref();
        let (gate, report) = match self.engine.as_engine() {
            Some(engine) => engine.dispatch_whole(whole, &context).await,
            None => (self.engine.dispatch(whole, &context).await, Report::empty()),
        };
        let take_back = |from: usize, replacement: String, hooks: Vec<HookId>, reason: String| {
            (from < length).then_some(Retraction { from, to: length, replacement, hooks, reason })
        };
        // What hooks have judged before the text was cut may stay, unless others have refused the whole.
        let stays = |cut: &&Cut| report.by.iter().all(|hook| cut.hooks.contains(hook));
        let stays = self.cut.as_ref().filter(stays).map_or(0, |_| kept);
        let refused = |text: String| {
            take_back(stays, text, report.by.clone(), report.reason.clone().unwrap_or_default())
        };
        let changed = |from: usize, text: String| {
            let rewrote = report.votes.iter().filter(|vote| vote.rewrote);
            let hooks = rewrote.map(|vote| vote.hook.clone()).collect();
            take_back(from, text, hooks, "the whole text was changed".to_owned())
        };
        let (rest, retraction) = match &gate {
            Gate::Denied(denied) => (String::new(), refused(denied.feedback())),
            Gate::Halted(halted) => (String::new(), refused(halted.to_string())),
            Gate::Cleared(cleared) => match (S::cleared_text(cleared), &shown, &self.cut) {
                // The host has cancelled a piece, and not the whole.
                (_, _, Some(cut)) => (String::new(), changed(kept, cut.stub.clone())),
                // It has ended with something else: nobody judges the text as a whole.
                (None, ..) => (String::new(), changed(kept, String::new())),
                (Some(text), None, _) => (String::new(), changed(0, text.to_owned())),
                (Some(text), Some(shown), _) => match text.strip_prefix(&**shown) {
                    Some(rest) => (rest.to_owned(), None),
                    None => {
                        let from = common(shown, text);
                        let text = text.get(from..).unwrap_or_default().to_owned();
                        (String::new(), changed(from, text))
                    }
                },
            },
            _ => (String::new(), refused(report.reason.clone().unwrap_or_default())),
        };
        Ended { gate, rest, retraction }
    }

    /// Returns what was shown: the beginning of the text as it came, and what the hooks have made of what followed it.
    /// `None` if the whole has no text, or another one than was pushed.
    fn shown_of(&self, whole: &S) -> Option<String> {
        let passed = match self.passed {
            0 => "",
            passed => whole.text()?.get(..passed)?,
        };
        Some([passed, self.judged.get(..self.released)?].concat())
    }

    /// Returns how many bytes of what was shown all hooks have judged, as far as they judge pieces: none if one wants the
    /// whole.
    fn kept(&self) -> usize {
        let wants_whole = |(_, hooks): &(_, ToldApart)| !hooks.0.whole.is_empty();
        match self.told_apart.as_ref().is_some_and(wants_whole) {
            true => 0,
            false => self.passed + self.released.min(self.windows.settled()),
        }
    }

    /// Returns the table in force, if it has hooks at the event. It is loaded once a push: a swap in the middle must not
    /// have one half of it looked at by one table, and the other by another.
    fn in_force(&self) -> Option<(&'a Engine, Arc<HandlerTable>)> {
        if !self.engine.armed(S::EVENT) {
            return None;
        }
        let engine = self.engine.as_engine()?;
        Some((engine, engine.table()))
    }

    /// Notes whether the hooks are still those of the first push. If not, or if the engine was closed meanwhile, nothing
    /// more is released before the end: what was judged by some, and what is cut by others, does not fit together.
    fn note_hooks(&mut self, table: Option<&HandlerTable>) {
        let now = table.and_then(|table| table.hooks_at(S::EVENT).cloned());
        let is_closed = table.is_some_and(|table| table.closed.is_some());
        let begun_with = self.begun_with.get_or_insert_with(|| now.clone());
        let is_same = now.as_ref().map(Arc::as_ptr) == begun_with.as_ref().map(Arc::as_ptr);
        self.waits_for_end |= is_closed || !is_same;
    }

    /// Returns the hooks of a table, told apart.
    fn told_apart(&mut self, table: Arc<HandlerTable>) -> Arc<EarlyHooks> {
        match &self.told_apart {
            Some((known, hooks)) if Arc::ptr_eq(known, &table) => Arc::clone(&hooks.0),
            _ => {
                let hooks = S::early_hooks(&table, &self.source);
                Arc::clone(&self.told_apart.insert((table, hooks)).1.0)
            }
        }
    }

    /// Lets a part pass, since no hook decides about it, nor has about what came before.
    const fn pass<'p>(&mut self, part: &'p str) -> Released<'p> {
        self.passed += part.len();
        Released::new(Cow::Borrowed(part), 0)
    }

    /// Releases what was judged, up to so many bytes of it in all.
    fn release(&mut self, most: usize) -> &str {
        let mut end = self.judged.len().min(most).max(self.released);
        while !self.judged.is_char_boundary(end) {
            end -= 1;
        }
        let from = std::mem::replace(&mut self.released, end);
        self.judged.get(from..end).unwrap_or_default()
    }

    fn cut(&mut self, decision: &Decision) -> Cut {
        let cut = Cut::new(decision, self.shown(), self.kept());
        self.cut = Some(cut.clone());
        // What was held is not shown any more; the runtime has the text as it came.
        self.held = HeldText::new();
        cut
    }
}

fn is_refused(decision: &Decision) -> bool {
    decision.outcome != Outcome::Allow
}

/// Returns what the whole is refused with after a hook has denied a piece; `None` if the host has cancelled it.
fn refusal(cut: &Cut) -> Option<Refusal> {
    let decision = match cut.outcome {
        Outcome::Cancelled => return None,
        Outcome::Halt => VerdictDecision::Halt,
        _ => VerdictDecision::Deny,
    };
    let hook = cut.hooks.first().map(ToString::to_string).unwrap_or_default();
    Some(Refusal { hook, decision, reason: cut.reason.clone() })
}

/// Returns how many bytes two texts have in common from their beginning.
fn common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    same.map(|(c, _)| c.len_utf8()).sum()
}
