//! Times Cedar, and prints JSON.

use hookgate_policies::{cedar::Cedar, timing};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    timing::print(&mut [Box::new(Cedar::new()?)]);
    Ok(())
}
