//! What is kept of one session.

use std::collections::{HashMap, VecDeque};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::{Counted, Marked, Moment, Period};

/// The bytes of an entry beside its texts, about.
const ENTRY: usize = 160;

/// The bytes of a time.
const TIME: usize = size_of::<SystemTime>();

/// The marks and counters of a session.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Session {
    /// When it was last used, in uses. It is not kept in a file, which has a time.
    #[serde(skip)]
    pub(super) used: u64,
    /// The step that wrote last, and its place in the order.
    last_step: String,
    order: u64,
    marks: HashMap<String, Mark>,
    counters: HashMap<String, Counter>,
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
    /// The step that was counted last.
    step: String,
    total: u64,
    turn: u64,
    in_turn: u64,
    /// The times of the last ones, oldest first.
    times: VecDeque<SystemTime>,
}

impl Session {
    pub(super) fn new(id: &str) -> Self {
        Self {
            used: 0,
            last_step: String::new(),
            order: 0,
            marks: HashMap::new(),
            counters: HashMap::new(),
            bytes: id.len() + ENTRY,
        }
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
        if counter.total > 0 && counter.step == moment.step {
            return;
        }
        let before = counter.bytes();
        moment.step.clone_into(&mut counter.step);
        counter.total += 1;
        if counter.turn != moment.turn {
            (counter.turn, counter.in_turn) = (moment.turn, 0);
        }
        counter.in_turn += 1;
        counter.times.push_back(moment.at);
        while counter.times.len() > keep {
            counter.times.pop_front();
        }
        self.bytes = (self.bytes + counter.bytes()).saturating_sub(before);
    }

    pub(super) fn counted(&self, moment: &Moment<'_>, name: &str, period: Period) -> Counted {
        let Some(counter) = self.counters.get(name) else { return Counted::default() };
        let this = counter.step == moment.step;
        let all = match period {
            Period::Session => counter.total,
            Period::Turn if counter.turn == moment.turn => counter.in_turn,
            Period::Turn => 0,
            Period::Last(time) => {
                // A time in the future, after the clock was set back, counts as recent.
                let age = |at: &SystemTime| moment.at.duration_since(*at).unwrap_or_default();
                counter.times.iter().filter(|at| age(at) < time).count() as u64
            }
        };
        Counted::new(all.saturating_sub(u64::from(this)), this)
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
    fn bytes(&self) -> usize {
        self.step.len() + self.times.len() * TIME
    }
}
