//! Times hookgate and Rego, and prints JSON.

use hookgate_policies::{hooks::Hooks, rego::Rego, timing};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    timing::print(&mut [Box::new(Hooks::new()?), Box::new(Rego::new()?)]);
    Ok(())
}
