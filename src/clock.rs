//! The wall clock of the machine. No other file of the engine reads it, so that a test or a reader
//! finds every use of the time of day here.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the milliseconds since 1970; 0 if the clock is set to an earlier time.
pub(crate) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a new id for a step that the host has not named: a UUID of version 7, which sorts by time
/// and is unique across machines.
///
/// Random numbers of the system cost more than all else that a dispatch does, so each process draws one.
/// What keeps the ids of a process apart is the time, in parts of 244 ns: of two ids in the same part the
/// later one takes the next part (RFC 9562, section 6.2, method 3).
pub(crate) fn step_id() -> String {
    let time = next_time();
    let random = RANDOM.get_or_init(random_number).to_be_bytes();
    // 12 bits after the millisecond, then the random number.
    let [high, low] = u16::try_from(time & 0xfff).unwrap_or_default().to_be_bytes();
    let [a, b, c, d, e, f, g, h] = random;
    let rest = [high, low, a, b, c, d, e, f, g, h];
    let id = uuid::Builder::from_unix_timestamp_millis(time >> 12, &rest).into_uuid();
    id.hyphenated().encode_lower(&mut [0; 36]).to_owned()
}

/// What the ids of this process have in common.
static RANDOM: OnceLock<u64> = OnceLock::new();

/// The time of the last id, in parts of a millisecond of which there are 4096.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Returns a time that no other id of this process has, not before the present one.
fn next_time() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = u64::try_from(since.as_millis()).unwrap_or_default();
    let part = u64::from(since.subsec_nanos() % 1_000_000) * 4096 / 1_000_000;
    let now = (millis << 12) | part;
    let next = |last: u64| now.max(last + 1);
    // ORDERING: only that no time is given twice matters.
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
    next(last.unwrap_or_default())
}

fn random_number() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_ne_bytes(bytes),
        // The keys of a hash map are random too, from another source where the system has no other.
        Err(_) => RandomState::new().hash_one(std::process::id()),
    }
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
        let elsewhere = std::thread::scope(|scope| scope.spawn(step_id).join().unwrap());
        assert!(elsewhere > ids[9_999]);
    }
}
