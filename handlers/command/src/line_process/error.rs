//! Why nothing more can be had from a program that stays.

use hookgate_contract::{Failure, FailureClass, Verdict};

/// Why a program that stays has not answered. It is ended and replaced in either case.
#[derive(Debug)]
#[non_exhaustive]
pub enum LineError {
    /// It has exited or closed its stdout. Its exit status says more; it is read when the program is
    /// ended.
    Died,
    /// It wrote something after which none of its lines can be believed.
    Protocol(Failure),
}

impl LineError {
    /// The error of a program that wrote what it should not. A decision in it is salvaged.
    #[must_use]
    pub fn out_of_step(detail: impl Into<String>, written: &[u8]) -> Self {
        let failure = Failure::new(FailureClass::Malformed, detail.into());
        Self::Protocol(failure.with_salvaged(Verdict::salvage_anywhere(written)))
    }
}
