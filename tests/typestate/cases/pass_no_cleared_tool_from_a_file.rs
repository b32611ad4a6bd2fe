//! A cleared tool cannot be read from a file: this compiles because it does not deserialize. If it
//! did, both implementations would fit, and the call would be ambiguous. (What the compiler says of
//! a type that does not deserialize names types that depend on features, so it has no snapshot.)

use hookgate::{Cleared, ToolUse};
use serde::de::DeserializeOwned;

struct Reads;

trait Probe<Which> {
    fn probe() {}
}
impl<T> Probe<()> for T {}
impl<T: DeserializeOwned> Probe<Reads> for T {}

fn main() {
    <ToolUse<Cleared> as Probe<_>>::probe();
}
