//! A number that cannot be known in advance.
//!
//! The judged data may hold text that looks like an answer, and a model may repeat it. An answer
//! therefore counts as an allow only with the nonce of its question. The nonce is drawn after the
//! data was written, and again for a repair, so the data cannot contain it.

use data_encoding::HEXLOWER;
use hookgate_contract::{Failure, FailureClass};

/// Draws a nonce that does not occur in the data: 16 hexadecimal digits, which are 64 bits.
///
/// # Errors
/// A failure of class `spawn` if the machine has no random numbers. A guessable nonce would be worse
/// than no answer.
pub(crate) fn draw_nonce(data: &str) -> Result<String, Failure> {
    loop {
        let mut bytes = [0_u8; 8];
        getrandom::fill(&mut bytes).map_err(|_| {
            Failure::new(FailureClass::Spawn, "the machine gives no random numbers")
        })?;
        let nonce = HEXLOWER.encode(&bytes);
        if !data.contains(&nonce) {
            return Ok(nonce);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_has_the_form_that_the_schema_requests() {
        let nonce = draw_nonce("").unwrap();
        let digits = nonce.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
        let length = nonce.len();
        assert!(digits, "{nonce}");
        assert_eq!(format!("^[0-9a-f]{{{length}}}$"), crate::answer::schema::NONCE_PATTERN);
    }
}
