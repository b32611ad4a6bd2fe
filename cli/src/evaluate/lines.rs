//! The lines of a file that was read.

/// How many bytes such a file may have.
pub(crate) const LIMIT: u64 = 256 << 20;

/// The lines that are not blank, with their numbers from 1.
pub(crate) fn numbered(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines.map(|(index, line)| (index + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    #[test]
    fn blank_lines_are_counted_and_left_out() {
        let lines: Vec<_> = super::numbered(b"a\r\n\n b").collect();
        assert_eq!(lines, [(1, &b"a"[..]), (3, &b"b"[..])]);
    }
}
