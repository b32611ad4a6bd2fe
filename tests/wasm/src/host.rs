//! What node gives, by what this program imports.

use std::time::Duration;

use hookgate::contract::system::{Host, provide};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// 1 if the host gives a clock and random numbers.
    safe fn gives() -> u32;
    safe fn unix_ms() -> f64;
    safe fn uptime_ms() -> f64;
    safe fn random_byte() -> u32;
    safe fn say(byte: u32);
}

struct Node;

impl Host for Node {
    fn unix_time(&self) -> Duration {
        Duration::from_secs_f64(unix_ms() / 1e3)
    }

    fn uptime(&self) -> Duration {
        Duration::from_secs_f64(uptime_ms() / 1e3)
    }

    fn fill_random(&self, bytes: &mut [u8]) -> bool {
        bytes.fill_with(|| random_byte().to_le_bytes()[0]);
        true
    }
}

/// Takes what the host gives; returns whether it gives anything.
pub(crate) fn take() -> bool {
    gives() == 1 && provide(&Node) && !provide(&Node)
}

/// Prints a line.
pub(crate) fn print(line: &str) {
    for byte in line.bytes().chain([b'\n']) {
        say(byte.into());
    }
}
