//! Names that nobody can guess.

use std::io;

use data_encoding::HEXLOWER;

/// Returns bytes that nobody can guess.
///
/// # Errors
/// The system has none.
pub(super) fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// Returns a name of 64 characters.
///
/// # Errors
/// As [`bytes`].
pub(super) fn name() -> io::Result<String> {
    Ok(HEXLOWER.encode(&bytes::<32>()?))
}

/// Returns a UUID of version 4.
///
/// # Errors
/// As [`bytes`].
pub(super) fn uuid() -> io::Result<String> {
    let drawn = u128::from_be_bytes(bytes()?);
    // The version in the third group, and the variant in the fourth.
    let id = (drawn & !(0xf << 76) & !(0b11 << 62)) | (4 << 76) | (0b10 << 62);
    Ok(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        id >> 96,
        (id >> 80) & 0xffff,
        (id >> 64) & 0xffff,
        (id >> 48) & 0xffff,
        id & 0xffff_ffff_ffff
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_uuids_of_version_4_and_never_the_same() {
        let ids: BTreeSet<String> = (0..1000).map(|_| uuid().unwrap()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let groups: Vec<&str> = id.split('-').collect();
            let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
            assert!(groups[2].starts_with('4') && groups[3].starts_with(['8', '9', 'a', 'b']));
        }
    }
}
