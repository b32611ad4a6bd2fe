//! What hookgate keeps on the disk, in three SQLite files: the journal, that is every decision of an engine, as a chain in
//! which nothing can be changed, removed or put elsewhere without a trace; the runs, that is what hooks have to do later,
//! and questions that wait for a person; and the state, that is what hooks count and remember.
//!
//! | part | what it is |
//! |---|---|
//! | [`Journal`] | the recorder of an engine: writes by one thread, in groups |
//! | [`JournalSettings`], [`section`] | where and how: the section `[journal]` of a config |
//! | [`Reader`], [`Filter`], [`Entry`] | reads it, also while others write |
//! | [`Reader::verify`], [`Fault`], [`Head`] | what was changed, and a chain that was cut |
//! | [`Reader::statistics`] | what each hook did |
//! | [`RunStore`], [`Worker`], [`RunReader`] | what hooks have to do later: queues it, does it, reads it |
//! | [`Approvals`] | questions that wait for a person: keeps them, takes the answer, gives it to the runtime once |
//! | [`StateDatabase`] | the state: a [`StateHome`](hookgate_contract::StateHome) over processes |
//!
//! # What is written in the journal
//! A record of a step is two texts: a short one in the chain (who, when, which tool, which hooks said what), and its
//! body (the step, the reasons, what was rewritten), of which the chain knows the digest. So the bodies can be deleted
//! when they are old, and the chain can still be checked. By default a body has no secrets: see [`EnvelopeMode`].
//!
//! # What it costs, and what it promises
//! By default nothing waits for the disk: a record goes into a bounded queue, what has no room there is counted, and
//! the next entry says so. With [`required`](JournalSettings::required) a step waits until its record is on the disk
//! (a synced commit, shared with the steps that wait at the same time), and is denied if it does not get there.
//!
//! # Limits
//! Who can write the file can write another whole chain, and can cut off its end: keep [heads](Head) elsewhere. A bit
//! that flips where no record is, in unused parts of the file, is not noticed. What lies in SQLite's log beside the
//! file (`-wal`) when a bit of it flips is lost from there on, as after a cut.

mod approvals;
mod chain;
mod clock;
mod config;
mod database;
mod entry;
mod error;
mod filter;
mod head;
mod head_place;
mod head_sender;
mod heads;
mod journal;
mod json_text;
mod key_file;
mod place;
mod preparation;
mod reader;
mod retention;
mod row;
mod runs;
mod settings;
mod state;
mod statistics;
mod status;
mod taken_out;
mod verify;
mod writer;

pub use approvals::{
    Answered, Approval, ApprovalError, ApprovalState, Approvals, Grant, GrantScope,
    ParseApprovalStateError, ParseGrantScopeError, PersonAnswer, Persons, TakenApproval,
};
pub use config::{ConfigNote, ConfigText};
pub use entry::{Entry, Says};
pub use error::StoreError;
pub use filter::Filter;
pub use head::{Head, HeadKey};
pub use head_place::HeadPlace;
pub use head_sender::HeadSender;
pub use journal::Journal;
pub use reader::Reader;
pub use runs::{
    Attempt, AuditRow, Backoff, Claim, EngineRuns, Enqueued, HandledFuture, NewRun, Recovered,
    Refusal, Run, RunError, RunFilter, RunHandler, RunHistory, RunKind, RunOutcome, RunReader,
    RunSettings, RunState, RunStore, Visibility, Worker,
};
pub use settings::{EnvelopeMode, JournalSettings, section};
pub use state::{StateDatabase, StatePart};
pub use statistics::{HookStatistics, Statistics};
pub use status::JournalStatus;
pub use verify::{Fault, Verification};
