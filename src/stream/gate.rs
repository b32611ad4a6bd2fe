//! The gate between a model and what shows its text.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hookgate_contract::payload::PostLlmResponse;
use hookgate_contract::{Event, StepContext};

use super::held::HeldText;
use super::{Cut, Ended, Exposure, Released, Retraction};
use crate::decision::{Decision, Outcome};
use crate::engine::{Engine, HookEngine};
use crate::hook_id::HookId;
use crate::step::Gate;
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
pub struct StreamGate<'a, E: HookEngine + ?Sized> {
    engine: &'a E,
    context: &'a StepContext<'a>,
    exposure: Exposure,
    /// How many bytes have passed before the first hook was at the event.
    passed: usize,
    held: HeldText,
    /// What the early hooks have made of the text behind that, as far as they have judged it.
    judged: String,
    /// How many bytes of it were released.
    released: usize,
    /// The hooks of the event at the first push.
    begun_with: Option<Option<Arc<Bucket>>>,
    /// Whether all that comes is left to the end, since the hooks are not those that have judged what came before.
    waits_for_end: bool,
    cut: Option<Cut>,
}

impl<E: HookEngine + ?Sized> fmt::Debug for StreamGate<'_, E> {
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
    /// Returns a gate for one text.
    #[must_use]
    pub const fn new(engine: &'a E, context: &'a StepContext<'a>, exposure: Exposure) -> Self {
        let held = HeldText::new();
        Self {
            engine,
            context,
            exposure,
            passed: 0,
            held,
            judged: String::new(),
            released: 0,
            begun_with: None,
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
        let hooks =
            in_force.map(|(engine, table)| (engine, Arc::clone(table.hooks_of_model_text())));
        let deciding = hooks.filter(|(_, hooks)| hooks.table.is_some() || !hooks.whole.is_empty());
        let Some((engine, hooks)) = deciding else { return Ok(self.pass(part)) };
        self.held.push(part);
        match &hooks.table {
            None => {
                let all = self.held.take_all();
                self.judged.push_str(&all);
            }
            Some(table) => {
                while let Some(piece) = self.held.piece(&hooks.cuts) {
                    let mut piece = PostLlmResponse::new(piece, Vec::new());
                    let decision = engine.judge_piece(table, &mut piece, self.context).await;
                    if let Some(denied) = decision.filter(|decision| is_refused(decision)) {
                        return Err(self.cut(&denied, &hooks));
                    }
                    self.judged.push_str(&piece.assistant_text);
                    self.held.drop_piece();
                }
            }
        }
        let most = match hooks.whole.is_empty() {
            true => usize::MAX,
            false => self.exposure.most().saturating_sub(self.passed),
        };
        let text = self.release(most).to_owned();
        Ok(Released::new(Cow::Owned(text), self.waiting()))
    }

    /// Dispatches the whole text, and returns what is still to be shown, or what is to be taken back.
    ///
    /// The response holds all that came, as it came. After a [`Cut`] it holds what came until then: so it is recorded,
    /// and observers are told.
    ///
    /// # Cancel safety
    /// As [`HookEngine::dispatch`]: the whole is not cleared, and what was held is gone.
    pub async fn finish(self, response: PostLlmResponse) -> Ended {
        let passed = response.assistant_text.get(..self.passed).unwrap_or_default();
        let released = self.judged.get(..self.released).unwrap_or_default();
        let shown = [passed, released].concat();
        if shown.is_empty() {
            let gate = self.engine.dispatch(response, self.context).await;
            let rest = match &gate {
                Gate::Cleared(cleared) if self.cut.is_none() => {
                    cleared.payload().assistant_text.clone()
                }
                _ => String::new(),
            };
            return Ended { gate, rest, retraction: None };
        }
        // The report says which hooks have changed the text.
        let (gate, report) = self.engine.dispatch_reported(response, self.context).await;
        let refused = || {
            let text = match &gate {
                Gate::Denied(denied) => denied.feedback(),
                Gate::Halted(halted) => halted.to_string(),
                _ => String::new(),
            };
            let reason = report.reason.clone().unwrap_or_default();
            take_back(&shown, 0, text, report.by.clone(), reason)
        };
        let (rest, retraction) = match (&gate, &self.cut) {
            (Gate::Cleared(_), Some(cut)) => {
                let stub = (cut.stub.clone(), cut.hooks.clone(), cut.reason.clone());
                (String::new(), take_back(&shown, cut.keep, stub.0, stub.1, stub.2))
            }
            (Gate::Cleared(cleared), None) => {
                let text = &cleared.payload().assistant_text;
                match text.strip_prefix(&*shown) {
                    Some(rest) => (rest.to_owned(), None),
                    None => {
                        let from = common(&shown, text);
                        let rewrote = report.votes.iter().filter(|vote| vote.rewrote);
                        let hooks = rewrote.map(|vote| vote.hook.clone()).collect();
                        let text = text.get(from..).unwrap_or_default().to_owned();
                        let reason = "the whole text was changed".to_owned();
                        (String::new(), take_back(&shown, from, text, hooks, reason))
                    }
                }
            }
            _ => (String::new(), refused()),
        };
        Ended { gate, rest, retraction }
    }

    /// Returns the table in force, if it has hooks at the event. It is loaded once a push: a swap in the middle must not
    /// have one half of it looked at by one table, and the other by another.
    fn in_force(&self) -> Option<(&'a Engine, Arc<HandlerTable>)> {
        if !self.engine.armed(Event::PostLlmResponse) {
            return None;
        }
        let engine = self.engine.as_engine()?;
        Some((engine, engine.table()))
    }

    /// Notes whether the hooks are still those of the first push. If not, or if the engine was closed meanwhile, nothing
    /// more is released before the end: what was judged by some, and what is cut by others, does not fit together.
    fn note_hooks(&mut self, table: Option<&HandlerTable>) {
        let now = table.and_then(|table| table.identity_of_model_text_hooks().cloned());
        let is_closed = table.is_some_and(|table| table.closed.is_some());
        let begun_with = self.begun_with.get_or_insert_with(|| now.clone());
        let is_same = now.as_ref().map(Arc::as_ptr) == begun_with.as_ref().map(Arc::as_ptr);
        self.waits_for_end |= is_closed || !is_same;
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

    fn cut(&mut self, decision: &Decision, hooks: &EarlyHooks) -> Cut {
        let keep = if hooks.whole.is_empty() { self.shown() } else { 0 };
        let cut = Cut::new(decision, self.shown(), keep);
        self.cut = Some(cut.clone());
        cut
    }
}

fn is_refused(decision: &Decision) -> bool {
    decision.outcome != Outcome::Allow
}

/// Takes back what was shown from here on.
fn take_back(
    shown: &str,
    from: usize,
    replacement: String,
    hooks: Vec<HookId>,
    reason: String,
) -> Option<Retraction> {
    (from < shown.len()).then_some(Retraction { from, to: shown.len(), replacement, hooks, reason })
}

/// Returns how many bytes two texts have in common from their beginning.
fn common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    same.map(|(c, _)| c.len_utf8()).sum()
}
