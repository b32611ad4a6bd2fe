//! How much machine code a single call runs through: with evicted caches all of it comes from memory.

use std::collections::HashSet;
use std::fs;

use super::valgrind;
use crate::error::PeersError;

/// How much comes from memory at once, as a power of two: 64 bytes.
const LINE: u32 = 6;

/// Counts the lines of 64 bytes of machine code that one round runs through, with what it takes to make the call.
///
/// # Errors
/// valgrind cannot be run, or what it wrote cannot be understood.
pub fn lines(system: &str, case: &str) -> Result<usize, PeersError> {
    super::in_folder(&format!("{system}-{case}"), |folder| {
        let out = folder.join("out");
        valgrind(&out, &["--dump-instr=yes"], &["run", system, case, "1"])?;
        let text =
            fs::read_to_string(&out).map_err(|source| PeersError::File { path: out, source })?;
        counted(&text).ok_or_else(|| PeersError::Uncounted(format!("{system} {case}")))
    })
}

/// Counts the lines in a dump whose places are addresses: `0x` and the address, or how far it is from the last one.
fn counted(text: &str) -> Option<usize> {
    let (mut lines, mut object, mut last) = (HashSet::new(), "", 0_u64);
    for line in text.lines() {
        if let Some(named) = line.strip_prefix("ob=") {
            object = named.split(' ').next()?;
        }
        let place = line.split(' ').next()?;
        let address = match place.split_at_checked(1) {
            Some(("+", by)) => last.checked_add(number_of(by)?)?,
            Some(("-", by)) => last.checked_sub(number_of(by)?)?,
            Some(("*", _)) => last,
            _ if place.starts_with("0x") => number_of(place)?,
            _ => continue,
        };
        last = address;
        lines.insert((object, address >> LINE));
    }
    (!lines.is_empty()).then_some(lines.len())
}

/// Reads a distance, which is decimal unless it says otherwise.
fn number_of(digits: &str) -> Option<u64> {
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_once_and_objects_are_told_apart() {
        let text = "ob=(1) a\nfn=(1) f\n0x1000 0 5\n+63 0 1\n+1 0 1\n* 0 1\n-64 0 1\n\
                    calls=1 0\n0x1000 0 9\nob=(2) b\n0x1000 0 1\n";
        assert_eq!(counted(text), Some(3));
    }

    #[test]
    fn a_dump_without_addresses_is_not_understood() {
        assert_eq!(counted("fn=(1) f\n12 5\n"), None);
    }
}
