//! Guides: how a hook and the host communicate, what is guaranteed, and what it costs.
//!
//! | guide | answers |
//! |---|---|
//! | [`plain_mode`] | What does my program read, what does it print, what do exit codes mean? |
//! | [`worker_mode`] | How does one process answer many steps? |
//! | [`lifetime`] | When is a program ended, by which signals, and what is left behind? |
//! | [`confinement`] | What may a program see, use and reach? |
//! | [`identity`] | Which file is run, and what happens if it changes? |
//! | [`failures`] | What went wrong, and what should I do? |
//! | [`cost`] | How many milliseconds does a hook take? |
//!
//! All examples are tests. In them, `run(settings)` builds a handler from the settings of a hook, in
//! the form that they have in `hooks.toml`, and invokes it about the tool call `Bash ls`, as the
//! example on the [crate page](crate) does; `build_in(folder, settings)` only builds it, and
//! `invoke_within(&built, deadline)` gives up at a deadline, as an engine does.

pub mod confinement;
pub mod cost;
pub mod failures;
pub mod identity;
pub mod lifetime;
pub mod plain_mode;
pub mod worker_mode;
