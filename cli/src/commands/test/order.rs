//! The order of the cases.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns a seed that is not asked for.
pub(super) fn new_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed.
    u64::from(now.subsec_nanos()) % 1_000_000
}

/// Shuffles items: with the same seed always in the same way.
pub(super) fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for end in (1..items.len()).rev() {
        let below = u64::try_from(end + 1).unwrap_or(u64::MAX);
        let chosen = usize::try_from(next(&mut state) % below).unwrap_or(end);
        items.swap(end, chosen);
    }
}

/// The generator `SplitMix64`: small, and good enough for an order.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
