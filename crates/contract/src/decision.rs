//! The decision of one verdict, and where it ends the calls of other hooks.

crate::name_enum! {
    /// The decision of one verdict. Decisions are ordered by strictness: `halt > deny > ask > allow`.
    ///
    /// ```
    /// use hookgate_contract::VerdictDecision;
    ///
    /// assert!(VerdictDecision::Halt > VerdictDecision::Deny);
    /// assert_eq!("ask".parse(), Ok(VerdictDecision::Ask));
    /// ```
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum VerdictDecision {
        /// The step may go on, as far as this hook is concerned.
        Allow = "allow",
        /// The user decides.
        Ask = "ask",
        /// The step does not happen.
        Deny = "deny",
        /// The whole run stops.
        Halt = "halt",
    }
}

crate::name_enum! {
    /// At which decision of a hook the hooks after it are not called any more; `[limits] stop_at` in
    /// hooks.toml.
    ///
    /// With [`StopAt::Ask`] the user decides without them: an approval also speaks for the hooks after
    /// the one that asked, so guards that must always be heard stand before those that ask. The hooks
    /// before it see the final bytes in any case.
    ///
    /// With [`StopAt::Halt`] all hooks are heard past a deny. A verdict that is refused as illegal and
    /// counts as a deny ends the calls even then: its author meant another step from there on.
    ///
    /// ```
    /// use hookgate_contract::{StopAt, VerdictDecision};
    ///
    /// assert_eq!(StopAt::default().decision(), VerdictDecision::Deny);
    /// ```
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum StopAt {
        /// At an ask, a deny or a halt.
        Ask = "ask",
        /// At a deny or a halt.
        #[default]
        Deny = "deny",
        /// At a halt.
        Halt = "halt",
    }
}

impl StopAt {
    /// Returns the weakest decision that ends the calls.
    #[must_use]
    pub const fn decision(self) -> VerdictDecision {
        match self {
            Self::Ask => VerdictDecision::Ask,
            Self::Deny => VerdictDecision::Deny,
            Self::Halt => VerdictDecision::Halt,
        }
    }
}
