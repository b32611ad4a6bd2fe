//! Splits the name of a field into words.
//!
//! `SecretAccessKey` gives `Key`, `Access`, `Secret`; `DB_PASSWORD_2` gives `PASSWORD`, `DB`; `APIKey`
//! gives `Key`, `API`.

/// The words of a name, from the last to the first, in any spelling: `dbPassword`, `DB_PASSWORD`,
/// `db-password`. Numbers at the end of a word are left out. It does not allocate.
pub(super) struct Words<'a>(pub(super) &'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let end = self.0.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        if end.is_empty() {
            return None;
        }
        let bytes = end.as_bytes();
        let mut from = bytes.len() - 1;
        // A word reaches back over small letters to the capital that begins it, or over capitals.
        let small = bytes.get(from).is_some_and(u8::is_ascii_lowercase);
        while let Some(byte) = from.checked_sub(1).and_then(|before| bytes.get(before)) {
            let current = bytes.get(from).copied().unwrap_or_default();
            let goes_on = if small {
                (byte.is_ascii_lowercase() || byte.is_ascii_digit())
                    && !current.is_ascii_uppercase()
                    || (byte.is_ascii_uppercase() && current.is_ascii_lowercase())
            } else {
                byte.is_ascii_uppercase() || byte.is_ascii_digit()
            };
            if !goes_on {
                break;
            }
            from -= 1;
        }
        self.0 = end.get(..from).unwrap_or_default();
        end.get(from..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for (key, expected) in [
            ("SecretAccessKey", vec!["Key", "Access", "Secret"]),
            ("aws_secret-access.key", vec!["key", "access", "secret", "aws"]),
            ("DB_PASSWORD_2", vec!["PASSWORD", "DB"]),
            ("accessToken1", vec!["Token", "access"]),
            ("APIKey", vec!["Key", "API"]),
            ("s3Key", vec!["Key", "s"]),
            ("passwört", vec!["rt", "passw"]),
            ("", vec![]),
            ("_1", vec![]),
        ] {
            assert_eq!(Words(key).collect::<Vec<_>>(), expected, "{key}");
        }
    }
}
