//! What is kept of one session.

use std::collections::{HashMap, VecDeque};
use std::time::SystemTime;

use hookgate_contract::WasNoted;
use serde::{Deserialize, Serialize};

use super::names::Names;
use super::{Counted, Marked, Moment, Numbered, Period};

/// The bytes of an entry beside its texts, about.
const ENTRY: usize = 160;

/// The bytes of a time.
const TIME: usize = size_of::<SystemTime>();

/// How many steps a counter knows by name: of so many that are evaluated at the same time each counts once,
/// and each knows how many were before it.
const RECENT: usize = 8;

/// The marks and counters of a session.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Session {
    /// When it was last used, in uses. It is not kept in a file, which has a time.
    #[serde(skip)]
    pub(super) used: u64,
    /// The step that wrote last, and its place in the order.
    last_step: String,
    order: u64,
    marks: HashMap<String, Mark>,
    counters: HashMap<String, Counter>,
    /// Numbered names. A session that was kept by an earlier version has none.
    #[serde(default)]
    names: HashMap<String, Names>,
    bytes: usize,
}

/// A mark: the step that set it last, and what was known before that step.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    step: String,
    set: Marked,
    before: Option<Marked>,
}

/// Counted steps.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Counter {
    /// The steps that were counted last, the oldest first.
    recent: VecDeque<CountedStep>,
    total: u64,
    turn: u64,
    in_turn: u64,
    /// The times of the last ones, oldest first.
    times: VecDeque<SystemTime>,
}

/// A step that was counted, and its number among all of them and among those of its turn.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CountedStep {
    step: String,
    number: u64,
    in_turn: u64,
}

impl Session {
    pub(super) fn new(id: &str) -> Self {
        Self { bytes: id.len() + ENTRY, ..Self::default() }
    }

    /// Returns about how many bytes it has.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes + self.last_step.len()
    }

    pub(super) fn mark(&mut self, moment: &Moment<'_>, name: &str) {
        let set = Marked::new(self.order_of(moment.step), moment.at);
        if let Some(mark) = self.marks.get_mut(name) {
            if mark.step != moment.step {
                self.bytes = (self.bytes + moment.step.len()).saturating_sub(mark.step.len());
                *mark = Mark { step: moment.step.to_owned(), set, before: Some(mark.set) };
            }
            return;
        }
        self.bytes += ENTRY + name.len() + moment.step.len();
        let mark = Mark { step: moment.step.to_owned(), set, before: None };
        self.marks.insert(name.to_owned(), mark);
    }

    pub(super) fn marked(&self, moment: &Moment<'_>, name: &str) -> Option<Marked> {
        let mark = self.marks.get(name)?;
        if mark.step == moment.step { mark.before } else { Some(mark.set) }
    }

    pub(super) fn count(&mut self, moment: &Moment<'_>, name: &str, keep: usize) {
        if !self.counters.contains_key(name) {
            self.bytes += ENTRY + name.len();
        }
        let counter = self.counters.entry(name.to_owned()).or_default();
        if counter.find(moment.step).is_some() {
            return;
        }
        let before = counter.bytes();
        counter.total += 1;
        if counter.turn != moment.turn {
            (counter.turn, counter.in_turn) = (moment.turn, 0);
        }
        counter.in_turn += 1;
        let is_full = counter.recent.len() >= RECENT;
        // The text of the oldest one is used again, so that counting does not allocate.
        let oldest = if is_full { counter.recent.pop_front() } else { None };
        let mut counted = oldest.unwrap_or_default();
        moment.step.clone_into(&mut counted.step);
        (counted.number, counted.in_turn) = (counter.total, counter.in_turn);
        counter.recent.push_back(counted);
        counter.times.push_back(moment.at);
        while counter.times.len() > keep {
            counter.times.pop_front();
        }
        self.bytes = (self.bytes + counter.bytes()).saturating_sub(before);
    }

    pub(super) fn counted(&self, moment: &Moment<'_>, name: &str, period: Period) -> Counted {
        let Some(counter) = self.counters.get(name) else { return Counted::default() };
        let this = counter.find(moment.step);
        // Steps that another process has counted since are after this one.
        let since = this.map_or(0, |this| counter.total.saturating_sub(this.number) + 1);
        let before = match period {
            Period::Session => counter.total.saturating_sub(since),
            Period::Turn => match this {
                Some(this) => this.in_turn.saturating_sub(1),
                None if counter.turn == moment.turn => counter.in_turn,
                None => 0,
            },
            Period::Last(time) => {
                // A time in the future, after the clock was set back, counts as recent.
                let age = |at: &SystemTime| moment.at.duration_since(*at).unwrap_or_default();
                let since = usize::try_from(since).unwrap_or(usize::MAX);
                let before = counter.times.len().saturating_sub(since);
                counter.times.iter().take(before).filter(|at| age(at) < time).count() as u64
            }
        };
        Counted::new(before, this.is_some())
    }

    pub(super) fn note_names(
        &mut self,
        moment: &Moment<'_>,
        counter: &str,
        names: &[String],
        keep: usize,
    ) {
        if !self.names.contains_key(counter) {
            self.bytes += ENTRY + counter.len();
        }
        let kept = self.names.entry(counter.to_owned()).or_default();
        let before = kept.bytes();
        kept.note(moment.step, names.iter().map(String::as_str), keep);
        self.bytes = (self.bytes + kept.bytes()).saturating_sub(before);
    }

    pub(super) fn numbered(&self, moment: &Moment<'_>, counter: &str) -> Numbered {
        self.names.get(counter).map_or_else(Numbered::default, |names| names.numbered(moment.step))
    }

    pub(super) fn find_name(&self, counter: &str, names: &[String]) -> WasNoted {
        self.names.get(counter).map_or(WasNoted::No, |kept| kept.find(names))
    }

    /// Returns the place of a step in the order of steps that wrote something.
    fn order_of(&mut self, step: &str) -> u64 {
        if self.order == 0 || self.last_step != step {
            step.clone_into(&mut self.last_step);
            self.order += 1;
        }
        self.order
    }
}

impl Counter {
    fn find(&self, step: &str) -> Option<&CountedStep> {
        self.recent.iter().rfind(|counted| counted.step == step)
    }

    fn bytes(&self) -> usize {
        let recent = self.recent.iter().map(|counted| counted.step.len() + ENTRY / 4);
        recent.sum::<usize>() + self.times.len() * TIME
    }
}
