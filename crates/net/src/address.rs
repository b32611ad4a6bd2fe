//! Classes of IP addresses, by the IANA registries of special-purpose addresses.
//!
//! The standard library has predicates for some of them (`is_private`, `is_loopback`), but those
//! that matter most here (`is_global`, `is_shared`, `is_benchmarking`) are unstable, and none of
//! them looks into IPv6 addresses that carry an IPv4 address. The tables below are therefore
//! complete in themselves: what they do not list as special is public.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for, as far as a request may go there.
///
/// Only [`Public`](Self::Public) addresses belong to hosts that anybody can reach. A handler
/// refuses all others unless its settings opt in, and no setting opts in to anything but loopback,
/// private and shared addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressClass {
    /// A host of the Internet.
    Public,
    /// This machine: 127.0.0.0/8 and `::1`.
    Loopback,
    /// A private network: RFC 1918, and unique local IPv6 addresses (fc00::/7).
    Private,
    /// Shared address space, 100.64.0.0/10: carriers use it, and overlay networks do.
    SharedSpace,
    /// The link only: 169.254.0.0/16, where most clouds serve credentials, fe80::/10 and the
    /// deprecated site-local fec0::/10.
    LinkLocal,
    /// An address outside the link-local range at which a cloud serves credentials.
    Metadata,
    /// A group of hosts.
    Multicast,
    /// 0.0.0.0/8 and `::`, which many systems treat as this machine.
    Unspecified,
    /// All hosts of the link: 255.255.255.255.
    Broadcast,
    /// Addresses for examples in texts.
    Documentation,
    /// Set aside for protocols, benchmarks or the future.
    Reserved,
    /// An IPv6 address that carries an IPv4 address: mapped, translated (NAT64), 6to4, Teredo,
    /// ISATAP. The IPv4 address that the packet ends up at may be of any class.
    EmbeddedV4,
}

impl fmt::Display for AddressClass {
    /// Writes a noun phrase: `a private address`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "a public address",
            Self::Loopback => "a loopback address",
            Self::Private => "a private address",
            Self::SharedSpace => "an address of a shared network (100.64.0.0/10)",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "the metadata service of a cloud",
            Self::Multicast => "a multicast address",
            Self::Unspecified => "not the address of a host",
            Self::Broadcast => "the broadcast address",
            Self::Documentation => "an address for documentation",
            Self::Reserved => "a reserved address",
            Self::EmbeddedV4 => "an IPv6 address that embeds an IPv4 address",
        })
    }
}

/// Returns the class of an address. It is a table lookup and does not allocate.
///
/// ```
/// use hookgate_net::{AddressClass, classify};
///
/// let class = |text: &str| classify(text.parse().unwrap());
/// assert_eq!(class("93.184.215.14"), AddressClass::Public);
/// assert_eq!(class("::1"), AddressClass::Loopback);
/// // It would reach 10.0.0.1, so it is not let through as "some IPv6 address".
/// assert_eq!(class("::ffff:10.0.0.1"), AddressClass::EmbeddedV4);
/// assert_eq!(class("169.254.169.254").to_string(), "a link-local address");
/// ```
#[must_use]
pub const fn classify(address: IpAddr) -> AddressClass {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address),
    }
}

/// By the registry of special IPv4 addresses (IANA, RFC 6890).
const fn classify_v4(address: Ipv4Addr) -> AddressClass {
    use AddressClass as Class;
    match address.octets() {
        [0, ..] => Class::Unspecified,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Class::Private,
        [100, 64..=127, ..] => Class::SharedSpace,
        [127, ..] => Class::Loopback,
        // Azure.
        [168, 63, 129, 16] => Class::Metadata,
        [169, 254, ..] => Class::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Class::Documentation,
        // Protocols, the relay of 6to4, benchmarks.
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => Class::Reserved,
        [224..=239, ..] => Class::Multicast,
        [255, 255, 255, 255] => Class::Broadcast,
        [240..=255, ..] => Class::Reserved,
        _ => Class::Public,
    }
}

/// By the registry of special IPv6 addresses; beyond it, only 2000::/3 is assigned to hosts.
const fn classify_v6(address: Ipv6Addr) -> AddressClass {
    use AddressClass as Class;
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Class::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Class::Loopback,
        // Compatible, mapped, translated.
        [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => {
            Class::EmbeddedV4
        }
        // NAT64, 6to4, Teredo; ISATAP in any network.
        [0x64, 0xff9b, ..] | [0x2002, ..] | [0x2001, 0, ..] => Class::EmbeddedV4,
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => Class::EmbeddedV4,
        [0xfc00..=0xfdff, ..] => Class::Private,
        // fec0::/10 was site-local.
        [0xfe80..=0xfeff, ..] => Class::LinkLocal,
        [0xff00..=0xffff, ..] => Class::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Class::Documentation,
        // Protocols and benchmarks.
        [0x2001, 0x1..=0x1ff, ..] => Class::Reserved,
        [0x2000..=0x3fff, ..] => Class::Public,
        _ => Class::Reserved,
    }
}

/// Returns the address that the host of a URL is written as, or `None` if the host is a name.
///
/// The host must come from a parsed URL: the parser has already turned other spellings of an
/// address (`0x7f.1`, `2130706433`) into the usual one, so no spelling passes for a name.
///
/// ```
/// use hookgate_net::host_address;
///
/// assert_eq!(host_address("[::1]"), Some("::1".parse()?));
/// assert_eq!(host_address("policy.example.com"), None);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn host_address(host: &str) -> Option<IpAddr> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.parse().ok()
}
