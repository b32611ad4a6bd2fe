//! The turns of a run, and the end that the agent itself chooses.

payload! {
    /// A turn begins.
    #[derive(Eq, Default)]
    struct TurnStart {
        /// Which call of the model this is, from 1.
        iteration: u64,
        /// Whether a sub-agent runs the turn.
        optional is_subagent: bool,
    }
}

payload! {
    /// A turn has ended and the next one may begin.
    #[derive(Eq, Default)]
    struct TurnBoundary {
        /// Why the turn has ended.
        optional reason: String,
        /// How many times in a row the agent was made to go on.
        optional continues_so_far: u64,
        /// Whether the agent ended the turn of its own accord.
        optional voluntary: bool,
    }
}

payload! {
    /// The agent wants to stop.
    #[derive(Eq, Default)]
    struct Stop {
        /// Why it wants to stop, as the provider names it.
        optional stop_reason: String,
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
