//! The proof that an engine has evaluated a step, and the private halves of the traits of the states.
//!
//! A [`Clearance`] is made by an engine only and consumed by the state that it leads to. The traits here
//! have the methods behind [`FromCleared`](super::FromCleared) and [`FromVerdict`](super::FromVerdict).
//! All of them are public in a private module: code outside of this crate can neither name nor
//! implement them, so it can neither hold a clearance nor make a state that would be handed one.

use hookgate_contract::Answer;

use crate::decision::{Decision, Outcome};
use crate::generation::Generation;
use crate::table::{BELOW_GENERATION, EVENTS, HAS_SESSION};

/// Which engine has evaluated a step, and by which table. It is two words, because it is made also for
/// steps for which no hook is called.
#[derive(Debug, Clone, Copy)]
#[expect(unnameable_types, reason = "code that cannot name it cannot hold one")]
pub struct Stamp {
    /// The engine; 0 for one without hooks.
    pub(crate) engine: u64,
    /// The word of the armed set that holds the generation.
    pub(crate) word: u64,
}

impl Stamp {
    /// The stamp of an engine without hooks.
    pub(crate) const NO_ENGINE: Self = Self { engine: 0, word: 0 };

    /// The stamp of no engine that there is: what was asked has to be evaluated anew.
    pub(crate) const OUTDATED: Self = Self { engine: u64::MAX, word: 0 };

    /// Returns the stamp with the mark of the session that the step was evaluated in. It stands where a word
    /// of the armed set has its events.
    #[inline]
    pub(crate) fn in_session(self, session_id: &str) -> Self {
        let generation = self.word & !BELOW_GENERATION;
        Self { word: generation | session_word(session_id), ..self }
    }

    /// Returns whether the step was evaluated in a session, as far as that is known: a step that no hook has
    /// looked at is of none. Two sessions have the same mark once in five hundred thousand million times; the
    /// mark is against mistakes of a host, which could as well give another session id to begin with.
    pub(crate) fn may_be_of(self, session_id: &str) -> bool {
        self.word & HAS_SESSION == 0 || self.word & BELOW_GENERATION == session_word(session_id)
    }

    /// The generation, as far as the word holds it.
    pub(crate) const fn generation(self) -> Generation {
        Generation::new(self.word >> EVENTS)
    }
}

/// Returns the bits of a word that say which session a step was evaluated in.
#[inline]
pub(crate) fn session_word(session_id: &str) -> u64 {
    // A few instructions, since every step that a hook looks at pays for it: multiply and fold (FxHash).
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (whole, rest) = session_id.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let fold = |mark: u64, bytes: [u8; 8]| {
        (mark.rotate_left(5) ^ u64::from_le_bytes(bytes)).wrapping_mul(FACTOR)
    };
    let mark = fold(whole.iter().fold(rest.len() as u64, |mark, bytes| fold(mark, *bytes)), last);
    // The upper bits of a product depend on all bits of what was multiplied.
    HAS_SESSION | (mark >> (u64::BITS - EVENTS + 1))
}

/// The proof that an engine has evaluated a step, with the decision.
#[derive(Debug)]
#[expect(unnameable_types, reason = "code that cannot name it cannot hold one")]
pub struct Clearance {
    pub(crate) stamp: Stamp,
    /// `None` if no hook had an opinion.
    pub(crate) decision: Option<Box<Decision>>,
}

impl Clearance {
    /// Returns a clearance of a step that no hook had an opinion on.
    #[inline(always)]
    pub(crate) const fn silent(stamp: Stamp) -> Self {
        Self { stamp, decision: None }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.decision.as_ref().map_or(Outcome::Allow, |decision| decision.outcome)
    }
}

/// The private half of [`FromCleared`](super::FromCleared).
#[expect(unnameable_types, reason = "code that cannot name it cannot clear")]
pub trait Clears<S>: Sized + Send {
    /// Whether only an engine can make one.
    const IS_PROOF: bool = true;

    fn clear(step: S, clearance: Clearance) -> Self;

    /// Returns the decision that the state has kept.
    fn decision(&self) -> Option<&Decision> {
        None
    }
}

/// The private half of [`FromVerdict`](super::FromVerdict).
#[expect(unnameable_types, reason = "code that cannot name it cannot reach a state")]
pub trait Reaches<S>: Sized {
    /// Whether the state can be reached at all.
    const REACHABLE: bool;

    /// Brings an evaluated step into this state. Returns all of it if that cannot be done.
    fn reach(step: S, clearance: Clearance, answer: Option<Answer>)
    -> Result<Self, (S, Clearance)>;

    /// Returns the decision that the state has kept.
    fn decision(&self) -> Option<&Decision> {
        None
    }
}

/// What goes with the use of a tool in a state.
#[expect(unnameable_types, reason = "code that cannot name it cannot add a state")]
pub trait Marked {
    type Mark: std::fmt::Debug + Send + Sync;
}

#[cfg(test)]
mod tests {
    use super::{Stamp, session_word};
    use crate::generation::Generation;
    use crate::table::word;

    #[test]
    fn a_stamp_keeps_its_generation_and_knows_its_session() {
        // Whatever stands where the session comes to stand, and with all bits of the generation in use.
        for (armed, generation) in
            [(0, 1), (0x7f_ffff_ffff, 1), (0x7f_ffff_ffff, 0xff_fffe), (5, 0x55_5555)]
        {
            let stamp = Stamp { engine: 1, word: word(armed, generation) };
            assert_eq!(stamp.generation(), Generation::new(generation));
            assert!(stamp.may_be_of("a") && stamp.may_be_of("b"), "of no session yet");
            let stamp = stamp.in_session("a");
            assert_eq!(stamp.generation(), Generation::new(generation));
            assert!(stamp.may_be_of("a") && !stamp.may_be_of("b"));
            assert!(stamp.in_session("b").may_be_of("b") && !stamp.in_session("b").may_be_of("a"));
        }
    }

    #[test]
    fn sessions_whose_ids_are_alike_have_marks_of_their_own() {
        let ids =
            (0..10_000).flat_map(|n| [n.to_string(), format!("session-{n}"), format!("{n:036}")]);
        let marks: std::collections::HashSet<u64> = ids.map(|id| session_word(&id)).collect();
        assert_eq!(marks.len(), 30_000);
        assert!(session_word("") != session_word("\0"), "the length counts");
    }
}
