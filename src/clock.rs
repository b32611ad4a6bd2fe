//! The clock and the random numbers of the machine. No other file of the engine reads them, so that a test or a
//! reader finds every use of them here.
//!
//! On `wasm32-unknown-unknown` there are none: the host gives them
//! ([`system`](hookgate_contract::system)), and `timeless` takes the place of tokio's clock, which would end the
//! program.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hookgate_contract::system;

use crate::hex;

#[cfg(target_os = "unknown")]
mod timeless;

#[cfg(target_os = "unknown")]
pub(crate) use timeless::{Instant, Sleep, sleep_until};
#[cfg(not(target_os = "unknown"))]
pub(crate) use tokio::time::{Instant, Sleep};

/// Returns a timer of tokio, which panics where its clock is not enabled; `None` where no system has timers.
#[cfg(not(target_os = "unknown"))]
#[allow(clippy::unnecessary_wraps, reason = "there are systems without timers")]
pub(crate) fn sleep_until(at: Instant) -> Option<Sleep> {
    Some(tokio::time::sleep_until(at))
}

/// Returns the milliseconds since 1970; 0 if the clock is set to an earlier time, or there is none.
pub(crate) fn unix_ms() -> u64 {
    let since = system::unix_time().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Fills the bytes of a key; returns `None` if the machine has no random numbers.
pub(crate) fn fill_random(bytes: &mut [u8]) -> Option<()> {
    #[cfg(target_os = "unknown")]
    return system::fill_random(bytes).then_some(());
    #[cfg(not(target_os = "unknown"))]
    getrandom::fill(bytes).ok()
}

/// Returns a new id for a step that the host has not named: a UUID of version 7, which sorts by time
/// and is unique across machines. Where there are no random numbers it is one of version 8, unique in this
/// process only.
///
/// Random numbers of the system cost more than all else that a dispatch does, so each process draws one.
/// What keeps the ids of a process apart is the time, in parts of 244 ns: of two ids in the same part the
/// later one takes the next part (RFC 9562, section 6.2, method 3).
pub(crate) fn step_id() -> String {
    let time = next_time();
    let (version, random) = *RANDOM.get_or_init(random_number);
    // 48 bits of milliseconds, the version, 12 bits after the millisecond; the variant, 62 bits of the number.
    let high = ((time >> 12) << 16) | (version << 12) | (time & 0xfff);
    let low = (0b10 << 62) | (random >> 2);
    hyphenated(high, low)
}

/// Writes the two halves of a UUID as text.
fn hyphenated(high: u64, low: u64) -> String {
    let mut text = Vec::with_capacity(36);
    for (place, byte) in high.to_be_bytes().into_iter().chain(low.to_be_bytes()).enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push(b'-');
        }
        text.extend([hex::digit(byte >> 4), hex::digit(byte & 15)]);
    }
    // It is ASCII.
    String::from_utf8(text).unwrap_or_default()
}

/// What the ids of this process have in common: the version of their UUIDs, and a number.
static RANDOM: OnceLock<(u64, u64)> = OnceLock::new();

/// The time of the last id, in parts of a millisecond of which there are 4096.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Returns a time that no other id of this process has, not before the present one.
fn next_time() -> u64 {
    let since = system::unix_time().unwrap_or_default();
    let millis = u64::try_from(since.as_millis()).unwrap_or_default();
    let part = u64::from(since.subsec_nanos() % 1_000_000) * 4096 / 1_000_000;
    let now = (millis << 12) | part;
    let next = |last: u64| now.max(last + 1);
    // ORDERING: only that no time is given twice matters.
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
    next(last.unwrap_or_default())
}

fn random_number() -> (u64, u64) {
    let mut bytes = [0; 8];
    match fill_random(&mut bytes) {
        Some(()) => (7, u64::from_ne_bytes(bytes)),
        None => number_without_random(),
    }
}

/// The keys of a hash map are random too, from another source where the system has no other.
#[cfg(not(target_os = "unknown"))]
fn number_without_random() -> (u64, u64) {
    use std::hash::{BuildHasher, RandomState};
    (7, RandomState::new().hash_one(std::process::id()))
}

/// Here the keys of a hash map are the same in every process.
#[cfg(target_os = "unknown")]
fn number_without_random() -> (u64, u64) {
    (8, 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_uuids_that_sort_by_time_and_are_never_the_same() {
        let before = unix_ms();
        let ids: Vec<String> = (0..10_000).map(|_| step_id()).collect();
        assert!(ids.is_sorted() && ids.iter().collect::<BTreeSet<_>>().len() == ids.len());
        let first = uuid::Uuid::parse_str(&ids[0]).unwrap();
        assert_eq!((first.get_version_num(), first.get_variant()), (7, uuid::Variant::RFC4122));
        let (seconds, nanos) = first.get_timestamp().unwrap().to_unix();
        let millis = seconds * 1000 + u64::from(nanos) / 1_000_000;
        assert!((before..before + 60_000).contains(&millis), "{millis} is not {before}");
        let uuid = uuid::Uuid::from_u64_pair(0x0123_4567_89ab_7def, 0x8123_4567_89ab_cdef);
        assert_eq!(hyphenated(0x0123_4567_89ab_7def, 0x8123_4567_89ab_cdef), uuid.to_string());
        let elsewhere = std::thread::scope(|scope| scope.spawn(step_id).join().unwrap());
        assert!(elsewhere > ids[9_999]);
    }
}
