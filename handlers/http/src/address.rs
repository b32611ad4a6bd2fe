//! What an address is, as far as a request may go there.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not a public one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Loopback,
    Private,
    /// The addresses that providers give to many customers at once; overlay networks use them.
    Shared,
    LinkLocal,
    /// Where a cloud tells a machine its credentials.
    Metadata,
    Multicast,
    Unspecified,
    Broadcast,
    Documentation,
    Reserved,
    /// IPv6 that stands for an IPv4 address.
    Embedded,
}

impl Sort {
    /// The setting that lets a hook reach such an address.
    pub(crate) const fn opt_in(self) -> Option<&'static str> {
        match self {
            Self::Loopback => Some("allow_loopback"),
            Self::Private | Self::Shared => Some("allow_private"),
            _ => None,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "a loopback address",
            Self::Private => "a private address",
            Self::Shared => "an address of a shared network (100.64.0.0/10)",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "the metadata service of a cloud",
            Self::Multicast => "a multicast address",
            Self::Unspecified => "no address of a host",
            Self::Broadcast => "the broadcast address",
            Self::Documentation => "an address for documentation",
            Self::Reserved => "a reserved address",
            Self::Embedded => "IPv6 that stands for an IPv4 address",
        })
    }
}

/// What an address is; none for a public one.
pub(crate) fn sort(address: IpAddr) -> Option<Sort> {
    match address {
        IpAddr::V4(address) => sort_v4(address),
        IpAddr::V6(address) => sort_v6(address),
    }
}

/// By the registry of special IPv4 addresses (IANA, RFC 6890).
const fn sort_v4(address: Ipv4Addr) -> Option<Sort> {
    Some(match address.octets() {
        [0, ..] => Sort::Unspecified,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Sort::Private,
        [100, 64..=127, ..] => Sort::Shared,
        [127, ..] => Sort::Loopback,
        [168, 63, 129, 16] => Sort::Metadata,
        [169, 254, ..] => Sort::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Sort::Documentation,
        // Protocols, the relay of 6to4, benchmarks.
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => Sort::Reserved,
        [224..=239, ..] => Sort::Multicast,
        [255, 255, 255, 255] => Sort::Broadcast,
        [240..=255, ..] => Sort::Reserved,
        _ => return None,
    })
}

/// By the registry of special IPv6 addresses; beyond it, only 2000::/3 is given to hosts.
const fn sort_v6(address: Ipv6Addr) -> Option<Sort> {
    Some(match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Sort::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Sort::Loopback,
        // Compatible, mapped, translated.
        [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => {
            Sort::Embedded
        }
        // NAT64, 6to4, Teredo; ISATAP in any network.
        [0x64, 0xff9b, ..] | [0x2002, ..] | [0x2001, 0, ..] => Sort::Embedded,
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => Sort::Embedded,
        [0xfc00..=0xfdff, ..] => Sort::Private,
        // fec0::/10 was for sites.
        [0xfe80..=0xfeff, ..] => Sort::LinkLocal,
        [0xff00..=0xffff, ..] => Sort::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Sort::Documentation,
        // Protocols and benchmarks.
        [0x2001, 0x1..=0x1ff, ..] => Sort::Reserved,
        [0x2000..=0x3fff, ..] => return None,
        _ => Sort::Reserved,
    })
}
