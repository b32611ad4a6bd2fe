//! Sizes in bytes, as settings give them: `"256KiB"`.

/// The largest size that is taken: 1 TiB, or all that a system of 32 bits can address.
pub(super) const LARGEST: usize =
    if usize::BITS > 40 { 1 << (40 % usize::BITS) } else { usize::MAX };

/// Reads a size: a whole number with a decimal or binary unit, or of bytes without one.
pub(super) fn parse_size(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit: usize = match text.get(digits.len()..)?.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "KB" | "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("256KiB"), Some(262_144));
        assert_eq!(parse_size("1 MB"), Some(1_000_000));
        assert_eq!(parse_size("12"), Some(12));
        assert_eq!(parse_size("12 bananas"), None);
        assert_eq!(parse_size("999999999999999999GiB"), None);
    }
}
