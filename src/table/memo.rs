//! A map from the names of tools to what was computed for them, kept as long as the table lives.
//!
//! It is read at every dispatch, so reading takes no lock: each slot is written once and never
//! changes. Names come from the model, which must not choose how much memory they take. So there is
//! a fixed number of slots, a name has a few of them to go to, and a name that finds none, or is
//! too long, is computed at each dispatch. The slots are made when the first name comes: most events have no tool.

use std::sync::OnceLock;

/// How many names the table of an engine remembers.
pub(super) const SLOTS: usize = 256;

/// How many names a table remembers of which there may be thousands: that of a scope.
pub(super) const FEW_SLOTS: usize = 16;

/// The longest name that is remembered, in bytes.
const LONGEST: usize = 256;

/// How many slots a name can go to.
const PROBES: usize = 4;

/// A bounded map that only grows.
#[derive(Debug)]
pub(super) struct Memo<T> {
    slots: OnceLock<Box<[Slot<T>]>>,
    /// How many there are, once there are any: a power of two.
    count: usize,
}

/// A name and what was computed for it.
type Slot<T> = OnceLock<(Box<str>, T)>;

impl<T> Memo<T> {
    /// Makes one for so many names, a power of two.
    pub(super) const fn new(count: usize) -> Self {
        Self { slots: OnceLock::new(), count }
    }

    /// Returns what is remembered for a name, or computes and remembers it.
    ///
    /// # Errors
    /// The computed value, if there is no slot for it.
    #[inline]
    pub(super) fn get_or_insert(&self, name: &str, make: impl Fn() -> T) -> Result<&T, T> {
        let start = hash(name);
        let slots = self.slots.get().map_or(&[][..], |slots| slots);
        match slots.get(start & slots.len().wrapping_sub(1)).and_then(OnceLock::get) {
            Some((key, value)) if **key == *name => Ok(value),
            _ => self.probe(start, name, make),
        }
    }

    /// Returns the slots of a name; most names are in the first one.
    fn slots_of(&self, start: usize) -> impl Iterator<Item = &Slot<T>> {
        let slots = self.slots.get_or_init(|| (0..self.count).map(|_| OnceLock::new()).collect());
        let last = slots.len().wrapping_sub(1);
        (0..PROBES).filter_map(move |probe| slots.get(start.wrapping_add(probe) & last))
    }

    #[cold]
    fn probe(&self, start: usize, name: &str, make: impl Fn() -> T) -> Result<&T, T> {
        if name.len() > LONGEST {
            return Err(make());
        }
        for slot in self.slots_of(start) {
            let (key, value) = slot.get_or_init(|| (name.into(), make()));
            if **key == *name {
                return Ok(value);
            }
        }
        Err(make())
    }
}

/// Hashes a name by multiplying and rotating, eight bytes at a time, as the FxHash of rustc does.
/// Collisions cost the time of a few probes, nothing else.
fn hash(name: &str) -> usize {
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let bytes = name.as_bytes();
    let hash = match (bytes.first_chunk(), bytes.last_chunk()) {
        // The last eight bytes overlap the ones before them, so that there is no remainder.
        (Some(&first), Some(&last)) => {
            let mut hash = mix(0, u64::from_le_bytes(first));
            if bytes.len() > 16 {
                for &word in bytes.as_chunks().0.iter().skip(1) {
                    hash = mix(hash, u64::from_le_bytes(word));
                }
            }
            mix(hash, u64::from_le_bytes(last))
        }
        _ => match (bytes.first_chunk(), bytes.last_chunk()) {
            // `Bash` and `Read` have four bytes, most other short names five to seven.
            (Some(&first), Some(&last)) => {
                let first = u64::from(u32::from_le_bytes(first));
                mix(0, first << 32 | u64::from(u32::from_le_bytes(last)))
            }
            _ => mix(0, bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))),
        },
    };
    // The high bits are mixed better than the low ones.
    (hash >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_and_is_bounded() {
        let memo = Memo::new(SLOTS);
        assert_eq!(memo.get_or_insert("Bash", || 1), Ok(&1));
        assert_eq!(memo.get_or_insert("Bash", || 2), Ok(&1));
        let kept =
            (0..10_000).filter(|i| memo.get_or_insert(&format!("t{i}"), || 0).is_ok()).count();
        assert!(kept <= SLOTS, "{kept}");
        assert_eq!(memo.get_or_insert("Bash", || 3), Ok(&1));
        let memo = Memo::new(SLOTS);
        let long = "t".repeat(LONGEST + 1);
        assert_eq!(memo.get_or_insert(&long, || 4), Err(4), "it costs no memory");
        assert_eq!(memo.get_or_insert(&"t".repeat(LONGEST), || 4), Ok(&4));
    }
}
