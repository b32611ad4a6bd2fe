//! In the place of [`node`](super::node) in a build without the feature `toml`: no text can be read, and whoever has one is
//! told.

use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue};

/// Returns no values, and what is wrong.
pub(super) fn parse(_: &str) -> (Node, Vec<(Range<usize>, String)>) {
    let wrong = "this program was built without the feature `toml` of hookgate, so it reads no hooks from files";
    (Node { span: 0..0, value: NodeValue::Table(Vec::new()) }, vec![(0..0, wrong.to_owned())])
}
