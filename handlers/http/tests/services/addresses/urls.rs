//! URLs and addresses, each with what is wrong with it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How many rows the table has at least.
pub(super) const ROWS: usize = 300;

/// A URL and a text of its error; `None` if the URL is fine.
pub(super) type Row = (String, Option<&'static str>);

/// The first and the last address of each range, with what it is.
const RANGES_V4: &[(&str, &str, &str)] = &[
    ("0.0.0.0", "0.255.255.255", "not the address of a host"),
    ("10.0.0.0", "10.255.255.255", "a private address"),
    ("100.64.0.0", "100.127.255.255", "a shared network"),
    ("127.0.0.0", "127.255.255.255", "a loopback address"),
    ("168.63.129.16", "168.63.129.16", "the metadata service"),
    ("169.254.0.0", "169.254.255.255", "a link-local address"),
    ("172.16.0.0", "172.31.255.255", "a private address"),
    ("192.0.0.0", "192.0.0.255", "a reserved address"),
    ("192.0.2.0", "192.0.2.255", "for documentation"),
    ("192.88.99.0", "192.88.99.255", "a reserved address"),
    ("192.168.0.0", "192.168.255.255", "a private address"),
    ("198.18.0.0", "198.19.255.255", "a reserved address"),
    ("198.51.100.0", "198.51.100.255", "for documentation"),
    ("203.0.113.0", "203.0.113.255", "for documentation"),
    ("224.0.0.0", "239.255.255.255", "a multicast address"),
    ("240.0.0.0", "255.255.255.254", "a reserved address"),
    ("255.255.255.255", "255.255.255.255", "the broadcast address"),
];

const RANGES_V6: &[(&str, &str, &str)] = &[
    ("::", "::", "not the address of a host"),
    ("::1", "::1", "a loopback address"),
    ("64:ff9b::", "64:ff9b::ffff:ffff", "embeds an IPv4 address"),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "embeds an IPv4 address"),
    ("100::", "100::ffff:ffff:ffff:ffff", "a reserved address"),
    ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "embeds an IPv4 address"),
    ("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "a reserved address"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "embeds an IPv4 address"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"),
    ("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a reserved address"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a private address"),
    ("fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a reserved address"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a link-local address"),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a link-local address"),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a multicast address"),
];

fn v4(text: &str) -> u32 {
    text.parse::<Ipv4Addr>().unwrap().to_bits()
}

fn v6(text: &str) -> u128 {
    text.parse::<Ipv6Addr>().unwrap().to_bits()
}

/// Addresses in the ranges, and their neighbours outside.
pub(super) fn addresses() -> Vec<(IpAddr, Option<&'static str>)> {
    let mut all = Vec::new();
    for (first, last, is) in RANGES_V4 {
        let (first, last) = (v4(first), v4(last));
        for bits in [first, first + (last - first) / 2, last] {
            all.push((Ipv4Addr::from_bits(bits).into(), Some(*is)));
        }
        for bits in [first.wrapping_sub(1), last.wrapping_add(1)] {
            if !RANGES_V4.iter().any(|(from, to, _)| (v4(from)..=v4(to)).contains(&bits)) {
                all.push((Ipv4Addr::from_bits(bits).into(), None));
            }
        }
    }
    for (first, last, is) in RANGES_V6 {
        let (first, last) = (v6(first), v6(last));
        for bits in [first, first + (last - first) / 2, last] {
            all.push((Ipv6Addr::from_bits(bits).into(), Some(*is)));
        }
    }
    let public = [
        "2000::",
        "2001:200::",
        "2001:4860:4860::8888",
        "2003::1",
        "2600::",
        "2606:4700::1111",
        "2a00:1450::1",
        "2c0f::1",
        "3ffe::",
        "3fff:1000::1",
        "2001:dba::1",
        "2003:5efe::1",
    ];
    all.extend(public.map(|text| (text.parse().unwrap(), None)));
    let public = ["1.1.1.1", "8.8.8.8", "9.9.9.9", "93.184.215.14", "172.15.0.1", "172.32.0.1"];
    all.extend(public.map(|text| (text.parse().unwrap(), None)));
    all
}

/// Every way to embed an IPv4 address in IPv6.
fn embedded(address: Ipv4Addr) -> Vec<Ipv6Addr> {
    let bits = u128::from(address.to_bits());
    let at = |text: &str, shift: u32| Ipv6Addr::from_bits(v6(text) | (bits << shift));
    vec![
        at("::", 0),
        at("::ffff:0:0", 0),
        at("::ffff:0:0:0", 0),
        at("64:ff9b::", 0),
        at("64:ff9b:1::", 0),
        at("2002::", 80),
        at("2001::", 64),
        at("2001:0:1:2:3:4::", 0),
        at("2606:4700::5efe:0:0", 0),
        at("2606:4700::200:5efe:0:0", 0),
    ]
}

/// The spellings of an IPv4 address that browsers understand.
fn spellings(address: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = address.octets();
    let bits = address.to_bits();
    let low = bits & 0xffff;
    let wide: String = address.to_string().chars().map(fullwidth).collect();
    let percent: String = address.to_string().bytes().map(|byte| format!("%{byte:02x}")).collect();
    vec![
        format!("{bits}"),
        format!("0x{bits:x}"),
        format!("0X{bits:X}"),
        format!("0{bits:o}"),
        format!("{a}.{}", bits & 0xff_ffff),
        format!("{a}.{b}.{low}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("0{a:o}.0x{b:x}.{low}"),
        format!("000{a:o}.{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        wide,
        percent,
    ]
}

fn fullwidth(digit: char) -> char {
    match digit {
        '.' => '。',
        digit => char::from_u32(u32::from(digit) - u32::from('0') + 0xff10).unwrap(),
    }
}

/// The rest, each for a reason.
const BY_HAND: &[(&str, Option<&str>)] = &[
    ("https://policy.example.com/", None),
    ("https://policy.example.com:8443/policy?tenant=a", None),
    ("HTTPS://POLICY.EXAMPLE.COM/", None),
    ("https://policy.example.com./", None),
    ("https://bücher.example/", None),
    // Names are checked when they are resolved.
    ("https://localhost/", None),
    ("https://127.0.0.1.nip.io/", None),
    ("https://[2606:4700::1111]:8443/", None),
    ("http://policy.example.com/", Some("plain http")),
    ("http://1.1.1.1/", Some("plain http")),
    ("http://127.0.0.1/", Some("a loopback address")),
    ("https://user@policy.example.com/", Some("name or password")),
    ("https://user:pw@policy.example.com/", Some("name or password")),
    ("https://:pw@policy.example.com/", Some("name or password")),
    ("https://policy.example.com@127.0.0.1/", Some("name or password")),
    ("https://policy.example.com#@127.0.0.1/", Some("`#`")),
    ("https://policy.example.com/#part", Some("`#`")),
    ("https://127.0.0.1\\@policy.example.com/", Some("a loopback address")),
    ("https:\\\\127.0.0.1/", Some("a loopback address")),
    ("https:127.0.0.1", Some("a loopback address")),
    ("https:///127.0.0.1/", Some("a loopback address")),
    ("https://\t127.0.0.1/", Some("a loopback address")),
    ("https://127.0.\n0.1/", Some("a loopback address")),
    (" https://127.0.0.1/ ", Some("a loopback address")),
    ("https://①②⑦.⓪.⓪.①/", Some("a loopback address")),
    ("https://127。0。0。1/", Some("a loopback address")),
    ("https://127.0.0.1:443/", Some("a loopback address")),
    ("https://127.1/", Some("a loopback address")),
    ("https://0/", Some("not the address of a host")),
    ("https://0x0/", Some("not the address of a host")),
    ("https://[::ffff:7f00:1]/", Some("embeds an IPv4 address")),
    ("https://[0:0:0:0:0:ffff:127.0.0.1]/", Some("embeds an IPv4 address")),
    ("https://[::ffff:169.254.169.254]/", Some("embeds an IPv4 address")),
    ("https://[fd00:ec2::254]/", Some("a private address")),
    ("https://169.254.169.254/latest/meta-data/", Some("a link-local address")),
    ("https://100.100.100.200/", Some("a shared network")),
    ("https://192.0.0.192/", Some("a reserved address")),
    ("https://168.63.129.16/", Some("the metadata service")),
    ("https://[fe80::1%25eth0]/", Some("not a URL")),
    ("https://[fe80::1%eth0]/", Some("not a URL")),
    ("https://[::1]%25lo/", Some("not a URL")),
    ("https://[127.0.0.1]/", Some("not a URL")),
    ("https://256.0.0.1/", Some("not a URL")),
    ("https://1.2.3.4.5/", Some("not a URL")),
    ("https://127.0.0.1%00.example.com/", Some("not a URL")),
    ("https://exa mple.com/", Some("not a URL")),
    ("https://policy.example.com:65536/", Some("not a URL")),
    ("https://", Some("not a URL")),
    ("https:", Some("not a URL")),
    ("", Some("not a URL")),
    ("policy.example.com", Some("not a URL")),
    ("//policy.example.com/", Some("not a URL")),
    ("localhost:8080", Some("a hook cannot use the scheme")),
    ("ftp://policy.example.com/", Some("a hook cannot use the scheme")),
    ("file:///etc/passwd", Some("a hook cannot use the scheme")),
    ("gopher://127.0.0.1:6379/_x", Some("a hook cannot use the scheme")),
    ("unix:///var/run/docker.sock", Some("a hook cannot use the scheme")),
    ("data:text/plain,x", Some("a hook cannot use the scheme")),
    ("ws://policy.example.com/", Some("a hook cannot use the scheme")),
    ("javascript:alert(1)", Some("a hook cannot use the scheme")),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (address, is) in addresses() {
        let host = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        rows.push((format!("https://{host}/"), is));
    }
    for address in ["127.0.0.1", "10.1.2.3", "169.254.169.254", "8.8.8.8"] {
        let address = address.parse().unwrap();
        for embedded in embedded(address) {
            rows.push((format!("https://[{embedded}]/"), Some("embeds an IPv4 address")));
        }
    }
    for (address, is) in [
        ("127.0.0.1", Some("a loopback address")),
        ("192.168.7.9", Some("a private address")),
        ("169.254.169.254", Some("a link-local address")),
        ("172.16.254.1", Some("a private address")),
        ("8.8.4.4", None),
    ] {
        for spelling in spellings(address.parse().unwrap()) {
            rows.push((format!("https://{spelling}:8443/"), is));
        }
    }
    rows.extend(BY_HAND.iter().map(|(url, is)| ((*url).to_owned(), *is)));
    rows
}
