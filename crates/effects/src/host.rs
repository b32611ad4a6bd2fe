//! Hosts in their one spelling.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns a host in lower case, without brackets and dot at the end, and an address in its usual
/// spelling: `0x7f.1`, `2130706433` and `[::ffff:127.0.0.1]` are `127.0.0.1`.
pub(crate) fn normal_host(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    match address(&host) {
        Some(address) => address.to_string(),
        None => host,
    }
}

/// Returns the address that a text spells.
pub(crate) fn address(host: &str) -> Option<IpAddr> {
    if let Some(four) = four(host) {
        return Some(IpAddr::V4(four));
    }
    let six: Ipv6Addr = host.split('%').next()?.parse().ok()?;
    Some(six.to_ipv4_mapped().map_or(IpAddr::V6(six), IpAddr::V4))
}

/// Returns whether an address is this machine itself.
pub(crate) fn is_this_machine(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified()
}

/// Reads an address as `inet_aton` does: one to four numbers, in decimal, octal or hex, of which the
/// last one fills the bytes that are left.
fn four(host: &str) -> Option<Ipv4Addr> {
    let mut numbers = Vec::new();
    for part in host.split('.') {
        if numbers.len() == 4 {
            return None;
        }
        numbers.push(number(part)?);
    }
    let last = numbers.pop()?;
    let mut value = 0_u64;
    for number in &numbers {
        if *number > 255 {
            return None;
        }
        value = value << 8 | number;
    }
    let left = 32 - 8 * numbers.len();
    if last >> left != 0 {
        return None;
    }
    u32::try_from(value << left | last).ok().map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    let (digits, radix) = if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        (hex, 16)
    } else if text.len() > 1 && text.starts_with('0') {
        (text, 8)
    } else {
        (text, 10)
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) || digits.len() > 12 {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::normal_host;

    #[test]
    fn spellings_of_an_address_are_one() {
        for spelling in ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "017700000001"]
        {
            assert_eq!(normal_host(spelling), "127.0.0.1", "{spelling}");
        }
        assert_eq!(normal_host("[::FFFF:127.0.0.1]"), "127.0.0.1");
        assert_eq!(normal_host("[0:0::1]"), "::1");
        assert_eq!(normal_host("2852039166"), "169.254.169.254");
    }

    #[test]
    fn names_are_no_addresses() {
        for name in ["example.com", "1.2.3.4.5", "256.1.1.1", "0x", "1..2", "08.1", "4294967296"] {
            assert_eq!(normal_host(name), name);
        }
        assert_eq!(normal_host("Example.COM."), "example.com");
    }
}
