//! What is printed: on stdout the result of a verb, on stderr everything else.

pub(crate) mod diagnostics;
pub(crate) mod diff;
pub(crate) mod log;
pub(crate) mod next;
pub(crate) mod phrase;
pub(crate) mod progress;
pub(crate) mod sanitize;
pub(crate) mod stderr;
pub(crate) mod stdout;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod time;
