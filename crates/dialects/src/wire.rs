//! What the dialects share: the way between an agent's envelope and ours, what is left of a decision when
//! the agent cannot do all of it, and the answers of scripts.
//!
//! A dialect is mostly a table: its events with their effects and the fields that have another name
//! ([`HostEvent`](hookgate_contract::dialect::HostEvent)), and a [`Layout`] for what all its envelopes have
//! in common. [`Ours`] and [`theirs`] move the fields by it, [`Plan`] takes a decision down to what the
//! agent can do, and [`Output`] puts the object together that most agents read.

mod field;
mod incoming;
mod outgoing;
mod output;
mod plan;
pub(crate) mod reply;
mod wanted;
mod withhold;

pub(crate) use incoming::{Layout, Ours, event_of};
pub(crate) use outgoing::{counterpart, take, theirs};
pub(crate) use output::Output;
pub(crate) use plan::Plan;
pub(crate) use withhold::withheld;
