//! The decision of one verdict.

hookgate_input::name_enum! {
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
