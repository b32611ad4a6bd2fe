//! Steps that were recorded, judged by a config of now.
//!
//! | file | what it is |
//! |---|---|
//! | [`args`] | what the verbs that do so are asked alike |
//! | [`source`] | where recorded steps come from: a journal, or files |
//! | [`of_agent`] | steps as an agent tells them |
//! | [`recorded`] | one recorded step, with what was decided then |
//! | [`external`] | what stands in for programs, services and models, which are not called |
//! | [`replayer`] | a config that judges recorded steps |
//! | [`known`] | what came out, as far as it is known |

mod args;
mod external;
mod known;
mod of_agent;
mod recorded;
mod replayer;
mod source;

pub(crate) use args::JudgingArgs;
pub(crate) use external::ExternalArgs;
pub(crate) use known::{Change, Known};
pub(crate) use recorded::{Place, RecordedStep};
pub(crate) use replayer::{Judged, Replayer};
pub(crate) use source::{Item, Source};
