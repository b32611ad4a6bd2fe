//! Agents that begin, stop and hand over to each other.

payload! {
    /// A sub-agent begins.
    #[derive(Eq, Default)]
    struct SubagentStart {
        /// The session that started it.
        optional parent_session_id: String,
        /// What it is to do.
        optional prompt: String,
    }
}

payload! {
    /// A sub-agent wants to stop.
    #[derive(Eq, Default)]
    struct SubagentStop {
        /// The session that started it.
        optional parent_session_id: String,
        /// Its last message.
        optional last_assistant_message: String,
        /// Whether it goes on only because a hook denied an earlier stop.
        optional stop_hook_active: bool,
        /// How many times in a row a hook denied its stop. If it is absent, the engine counts, for
        /// each session and agent.
        optional continues_so_far: u64,
    }

    fn denials_so_far(&self) -> Option<u64> {
        self.continues_so_far
    }
}

payload! {
    /// Another agent takes over.
    #[derive(Eq)]
    struct AgentSwitch {
        /// The agent that was in charge.
        from_agent: String,
        /// The agent that is in charge now.
        to_agent: String,
        /// How it came about: `handoff`, `transfer_task`, …
        optional switch_kind: String,
    }
}
