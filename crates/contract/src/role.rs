//! How much a hook may do, and whether its verdict counts.

use crate::name_enum;

name_enum! {
    /// What a hook may put into its verdict. A verdict that exceeds the role is illegal, which is a
    /// failure of the hook.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Role {
        /// Watches, after the decision, and says nothing.
        Observe = "observe",
        /// Gives a decision, context and contributions; no patch and no answer.
        Guard = "guard",
        /// Gives all that the contract allows.
        Rewrite = "rewrite",
    }
}

name_enum! {
    /// Whether the verdict of a hook counts. A hook is brought into use by going from `shadow` to
    /// `warn` to `enforce`.
    ///
    /// ```
    /// use hookgate_contract::{Mode, Role};
    ///
    /// assert_eq!("guard".parse(), Ok(Role::Guard));
    /// assert_eq!(Mode::default().to_string(), "enforce");
    /// ```
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Mode {
        /// It counts.
        #[default]
        Enforce = "enforce",
        /// It does not count; it is recorded and the user is told.
        Warn = "warn",
        /// It does not count; it is recorded.
        Shadow = "shadow",
        /// The hook is not invoked.
        Off = "off",
    }
}
