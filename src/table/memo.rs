//! Which hooks match a tool's name, remembered per name for as long as the table lives.

use std::sync::OnceLock;

/// How many names a bucket remembers. Names come from the model, so there must be a bound; a
/// name that finds no place is matched anew each time.
const SLOTS: usize = 256;

/// The longest name that is remembered, in bytes: the model must not choose how much memory that
/// takes. Longer ones are matched anew each time.
const LONGEST: usize = 256;

/// How many places a name can have.
const PROBES: usize = 4;

/// A bounded map that only grows. It is read without a lock.
#[derive(Debug)]
pub(super) struct Memo<T> {
    slots: Box<[Slot<T>; SLOTS]>,
}

/// A name and what is remembered of it.
type Slot<T> = OnceLock<(Box<str>, T)>;

impl<T> Memo<T> {
    pub(super) fn new() -> Self {
        Self { slots: Box::new([const { OnceLock::new() }; SLOTS]) }
    }

    /// What is remembered of a name, or what `make` makes of it; the latter is handed back as an
    /// error where there is no place for it.
    #[inline]
    pub(super) fn get_or_insert(&self, name: &str, make: impl Fn() -> T) -> Result<&T, T> {
        let start = hash(name);
        match self.places(start).next().and_then(OnceLock::get) {
            Some((key, value)) if **key == *name => Ok(value),
            _ => self.probe(start, name, make),
        }
    }

    /// The places of a name; most names are in the first one.
    fn places(&self, start: usize) -> impl Iterator<Item = &Slot<T>> {
        (0..PROBES).filter_map(move |probe| self.slots.get(start.wrapping_add(probe) % SLOTS))
    }

    #[cold]
    fn probe(&self, start: usize, name: &str, make: impl Fn() -> T) -> Result<&T, T> {
        if name.len() > LONGEST {
            return Err(make());
        }
        for slot in self.places(start) {
            let (key, value) = slot.get_or_init(|| (name.into(), make()));
            if **key == *name {
                return Ok(value);
            }
        }
        Err(make())
    }
}

/// Multiplies and rotates, eight bytes at a time, as rustc's FxHash does. Collisions cost time
/// within the bound of the probes, nothing else.
fn hash(name: &str) -> usize {
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let bytes = name.as_bytes();
    let hash = match (bytes.first_chunk(), bytes.last_chunk()) {
        // The last word overlaps the one before it, so that there is no rest.
        (Some(&first), Some(&last)) => {
            let mut hash = mix(0, u64::from_le_bytes(first));
            if bytes.len() > 16 {
                for &word in bytes.as_chunks().0.iter().skip(1) {
                    hash = mix(hash, u64::from_le_bytes(word));
                }
            }
            mix(hash, u64::from_le_bytes(last))
        }
        _ => mix(0, bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))),
    };
    // The high bits are mixed better than the low ones.
    (hash >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_and_is_bounded() {
        let memo = Memo::new();
        assert_eq!(memo.get_or_insert("Bash", || 1), Ok(&1));
        assert_eq!(memo.get_or_insert("Bash", || 2), Ok(&1));
        let kept =
            (0..10_000).filter(|i| memo.get_or_insert(&format!("t{i}"), || 0).is_ok()).count();
        assert!(kept <= SLOTS, "{kept}");
        assert_eq!(memo.get_or_insert("Bash", || 3), Ok(&1));
        let memo = Memo::new();
        let long = "t".repeat(LONGEST + 1);
        assert_eq!(memo.get_or_insert(&long, || 4), Err(4), "it costs no memory");
        assert_eq!(memo.get_or_insert(&"t".repeat(LONGEST), || 4), Ok(&4));
    }
}
