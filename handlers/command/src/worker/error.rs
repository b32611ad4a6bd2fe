//! Why a call of a worker has no answer.

use hookgate_contract::Failure;

/// Why a call has no answer. The worker is ended and replaced in either case.
pub(super) enum WorkerError {
    /// The worker has exited or closed its stdout. Its exit status says more; it is read when the
    /// worker is ended.
    Died,
    /// It wrote something after which none of its lines can be believed.
    Protocol(Failure),
}
