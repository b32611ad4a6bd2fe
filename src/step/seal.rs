//! Who judged a step: what only an engine can say, and nobody else can hold.
//!
//! The traits here have the methods behind [`Clear`](super::Clear) and [`FromVerdict`](super::Reach). They
//! are public in a private module: they can be neither named nor implemented elsewhere, and a
//! [`Seal`] is neither handed out nor made outside of this crate.

use hookgate_contract::Answer;

use crate::decision::{Decision, Outcome};

/// Which engine has judged a step, and by which table. It is two words, since it is made for steps
/// that no hook is asked about as well.
#[derive(Debug, Clone, Copy)]
#[expect(unnameable_types, reason = "nobody else can name it, so nobody else can hold one")]
pub struct Stamp {
    /// The engine; 0 for none.
    pub(crate) engine: u64,
    /// The word of the armed set that the generation stands in.
    pub(crate) word: u64,
}

impl Stamp {
    /// The stamp of no engine.
    pub(crate) const NOBODY: Self = Self { engine: 0, word: 0 };
}

/// Proof that an engine has judged a step, with what was decided.
#[derive(Debug)]
#[expect(unnameable_types, reason = "nobody else can name it, so nobody else can hold one")]
pub struct Clearance {
    pub(crate) stamp: Stamp,
    pub(crate) decision: Option<Box<Decision>>,
}

impl Clearance {
    /// A seal without a decision: nobody said anything.
    #[inline(always)]
    pub(crate) const fn silent(stamp: Stamp) -> Self {
        Self { stamp, decision: None }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.decision.as_ref().map_or(Outcome::Allow, |decision| decision.outcome)
    }
}

/// What a cleared step becomes.
#[expect(unnameable_types, reason = "nobody else can name it, so nobody else can clear")]
pub trait Clears<S>: Sized + Send {
    fn clear(step: S, seal: Clearance) -> Self;
}

/// A state that a step may come back in.
#[expect(unnameable_types, reason = "nobody else can name it, so nobody else can reach a state")]
pub trait Reaches<S>: Sized {
    /// Whether the state can be reached at all.
    const REACHABLE: bool;

    /// Brings a judged step into this state; gives all of it back where that cannot be.
    fn reach(step: S, seal: Clearance, answer: Option<Answer>) -> Result<Self, (S, Clearance)>;
}

/// What goes with the use of a tool in a state.
#[expect(unnameable_types, reason = "nobody else can name it, so there are no other states")]
pub trait Marked {
    type Mark: std::fmt::Debug + Send + Sync;
}
