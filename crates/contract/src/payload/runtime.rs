//! What the runtime between agents has done: inputs that it took or not, messages between agents,
//! conversations that are over.
//!
//! All of it is a fact already when hooks hear of it, so they only watch.

use serde_json::Value;

use crate::name_enum;

name_enum! {
    /// What a runtime has done with an input.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum InputOutcome {
        /// It is taken and will be worked on.
        Accepted = "accepted",
        /// It is refused: nothing will come of it.
        Rejected = "rejected",
        /// It was sent again: the runtime has it already, and works on it once.
        Deduplicated = "deduplicated",
    }
}

name_enum! {
    /// Which way a message between agents went.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum MessageDirection {
        /// Another agent sent it, and it is taken.
        In = "in",
        /// It has gone out to another agent.
        Out = "out",
    }
}

payload! {
    /// The runtime has decided about an input, whatever it is.
    #[derive(Eq)]
    struct RuntimeInput {
        /// The input.
        input_id: String,
        /// What it is: `prompt`, `peer_message`, `peer_request`, `flow_step`, `external_event`, …
        input_kind: String,
        /// What became of it.
        outcome: InputOutcome,
        /// How an accepted one is worked on: `queue` waits for the turn to end, `steer` goes into it.
        optional handling_mode: String,
        /// Why it is refused: `not_ready`, `validation_failed`, `durability_violation`, …
        optional reason: String,
        /// What exactly was wrong with it.
        optional detail: String,
        /// The state that the runtime was in, if that is why: `initializing`, `stopped`, …
        optional runtime_state: String,
        /// The input that it is the same as.
        optional existing_input_id: String,
    }
}

payload! {
    /// A message between agents has been taken, or has gone out.
    #[derive(Eq)]
    struct PeerMessage {
        /// Which way it went.
        direction: MessageDirection,
        /// What it is: `message`, `request`, `response`, `lifecycle`, …
        message_kind: String,
        /// The other agent.
        optional peer_id: String,
        /// The name of the other agent, for people.
        optional peer_name: String,
        /// The request that it is, or answers.
        optional request_id: String,
        /// What the sender says of its content: `clean`, or `tainted` by what others have written.
        optional sender_taint: String,
        /// The message itself.
        optional envelope_id: String,
        /// How far one that goes out has come: `durably_resolved`, `acked`, `volatile_handed_off`, `queued`.
        optional delivery: String,
        /// The conversation that it belongs to.
        optional interaction_id: String,
        /// The conversation that it answers.
        optional in_reply_to: String,
    }
}

payload! {
    /// A conversation with another agent is over, and its result is published.
    struct InteractionCompleted {
        /// The conversation.
        interaction_id: String,
        /// The text of its result.
        result_text: String,
        /// The same as data, if data was wanted.
        optional structured_output: Value,
    }
}
