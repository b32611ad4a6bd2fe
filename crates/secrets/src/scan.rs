//! What the scanners have in common.
//!
//! A scanner goes through a text once, from its beginning to its end, and reports what it finds in
//! that order. It takes time that is linear in the text, whatever is in it: every look back or ahead
//! is bounded by a constant, or done only once per run of characters. A text comes from a tool and
//! may be made to be slow.

use std::ops::Range;

/// Says whether a name of the caller's own holds a secret.
pub(crate) type OwnKey<'a> = &'a dyn Fn(&str) -> bool;

/// Takes the range and the kind of what was found, and returns whether to go on.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(Range<usize>, &'static str) -> bool;

/// How many bytes of a value in quotes are read.
pub(crate) const MAX_QUOTED: usize = 4096;

/// How many bytes before a sign a name is searched for.
pub(crate) const MAX_NAME: usize = 80;
