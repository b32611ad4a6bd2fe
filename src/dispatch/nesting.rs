//! Steps that are dispatched while a hook, or the recorder, is called.
//!
//! A hook may dispatch a step: of another event, or at another engine. One that dispatches the event that it is at
//! would be called again for that step, and so on, until the stack ends and the process with it. So each thread
//! notes which events of an engine it is evaluating, as long as it polls a dispatch; a step of one of them is not
//! evaluated. It is denied where that can be, and so is the step whose hook has dispatched it: a hook that is not
//! called twice is not known to have decided.
//!
//! What a hook has another task or thread do is not seen here. It cannot end the stack, and the deadline of the hook
//! ends it.

use std::cell::Cell;

use hookgate_contract::{Contract, Event};

use super::Services;

/// What the innermost dispatch that a thread polls is about.
#[derive(Clone, Copy)]
struct Frame {
    /// The bits of the events that the engine is evaluating, and above them: how many dispatches are inside of each
    /// other, and whether one was refused. 0 if there is no dispatch; the rest is not set then.
    word: u64,
    /// The address of what the dispatches of its engine share.
    engine: usize,
    /// The address of the contract of an event of the embedder.
    custom: usize,
}

/// The bit of all events: what runs is the recorder.
const ALL: u64 = 1 << 39;
const DEPTH: u32 = 40;
const REFUSED: u64 = 1 << 63;

/// How many dispatches may be inside of each other, at whatever engines.
const DEEPEST: u64 = 16;

const _: () = assert!(Event::COUNT < DEPTH as usize, "the bit of all events is that of none");

thread_local! {
    // Each for itself: a dispatch that is inside of no other one, as most are, sets and clears no more than it must.
    static WORD: Cell<u64> = const { Cell::new(0) };
    static ENGINE: Cell<usize> = const { Cell::new(0) };
    static CUSTOM: Cell<usize> = const { Cell::new(0) };
}

impl Frame {
    fn innermost() -> Self {
        Self { word: WORD.get(), engine: ENGINE.get(), custom: CUSTOM.get() }
    }

    #[inline]
    fn set(self) {
        WORD.set(self.word);
        ENGINE.set(self.engine);
        CUSTOM.set(self.custom);
    }
}

/// As long as it is held, the thread polls a dispatch. It holds the frame outside of it, if there is one.
#[must_use = "it ends when it is dropped"]
pub(crate) struct Entered(Option<Box<Frame>>);

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        match &self.0 {
            None => WORD.set(0),
            Some(outer) => outer.set(),
        }
    }
}

/// Notes that the thread begins to poll a dispatch; `None` if it is inside of one of the same event.
#[inline]
pub(super) fn enter(services: &Services, contract: &'static Contract) -> Option<Entered> {
    let custom =
        if contract.event == Event::Custom { std::ptr::from_ref(contract).addr() } else { 0 };
    enter_at(services, contract.event.bit(), custom)
}

/// Notes that the thread begins to run the recorder; `None` if it is inside of it.
pub(crate) fn enter_recorder(services: &Services) -> Option<Entered> {
    let inside = Frame::innermost();
    if inside.engine == std::ptr::from_ref(services).addr() && inside.word & ALL != 0 {
        return None;
    }
    enter_at(services, ALL, 0)
}

/// Returns the word of a frame with the bits of some events.
#[inline]
fn word_of(events: u64, depth: u64) -> u64 {
    events | (depth << DEPTH)
}

#[inline]
fn enter_at(services: &Services, bit: u64, custom: usize) -> Option<Entered> {
    let engine = std::ptr::from_ref(services).addr();
    let frame = Frame { engine, custom, word: word_of(bit, 1) };
    if WORD.get() != 0 {
        return enter_within(Frame::innermost(), frame);
    }
    frame.set();
    Some(Entered(None))
}

#[cold]
#[inline(never)]
fn enter_within(outer: Frame, frame: Frame) -> Option<Entered> {
    within(outer, frame)?.set();
    Some(Entered(Some(Box::new(outer))))
}

/// Returns the frame of a dispatch inside of the innermost one; `None` if it is refused, which is noted.
fn within(outer: Frame, frame: Frame) -> Option<Frame> {
    let depth = (outer.word & !REFUSED) >> DEPTH;
    let same_engine = outer.engine == frame.engine;
    let is_own = same_engine
        && (outer.word & ALL != 0
            || (outer.word & frame.word & (ALL - 1) != 0
                && (frame.custom == 0 || frame.custom == outer.custom)));
    if is_own || depth >= DEEPEST {
        note_refused();
        return None;
    }
    let events = if same_engine { outer.word & (ALL - 1) } else { 0 };
    let custom = if same_engine && frame.custom == 0 { outer.custom } else { frame.custom };
    let own = frame.word & ((ALL << 1) - 1);
    Some(Frame { custom, word: word_of(events | own, depth + 1), ..frame })
}

/// Returns whether a step was refused that the innermost dispatch, or a hook of it, has dispatched.
#[inline]
pub(super) fn has_refused() -> bool {
    WORD.get() & REFUSED != 0
}

/// Notes that a step was refused that the innermost dispatch has dispatched, in this poll of it or in an earlier one.
pub(super) fn note_refused() {
    WORD.set(WORD.get() | REFUSED);
}

/// What is wrong, in words.
pub(super) fn problem(event: &str) -> String {
    format!(
        "while `{event}` is evaluated, a hook or the recorder dispatches `{event}` at the same engine: a hook must not \
         dispatch the event that it is at"
    )
}
