//! The spans of a value that can be one item or a list of them: `event = "stop"`,
//! `event = ["stop", "x"]`. A mistake in one item is reported at that item.

use std::iter;
use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, Settings};

/// Returns the spans of the items of a list; of a value that is not a list its own, again and
/// again.
pub(super) fn item_spans(
    settings: &mut Settings<'_>,
    key: &'static str,
) -> Box<dyn Iterator<Item = Range<usize>>> {
    match settings.node(key) {
        Some(Node { value: NodeValue::List(items), .. }) => {
            let spans: Vec<_> = items.iter().map(|item| item.span.clone()).collect();
            Box::new(spans.into_iter())
        }
        _ => Box::new(iter::repeat(settings.span_of(key))),
    }
}
