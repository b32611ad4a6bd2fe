//! The rules for every HTTP request that a hookgate handler sends.
//!
//! Two kinds of handlers talk to a network: `http` posts a step to a service, `prompt` posts it to
//! a language model. A step holds prompts, file contents and tool arguments, and the URL comes from
//! a config file that may be shared. This crate holds what both kinds must do alike:
//!
//! | question | module item | why it is here |
//! |---|---|---|
//! | May a request go to this address? | [`classify`], [`AddressClass`] | a URL must not reach the metadata service of a cloud, or a database behind the firewall (SSRF) |
//! | Is the checked address the one that is connected to? | [`CheckedResolver`] | a name that is resolved a second time may have another address (DNS rebinding) |
//! | Which server certificates are accepted? | [`system_verifier`], [`authorities_verifier`], [`client_config`] | one TLS set-up, which changes nothing in that of the host process |
//! | What does the client do by itself? | [`HttpClient`] | nothing: no redirect, no retry, no decompression |
//! | How much of an answer is read? | [`read_body`] | an answer must not fill the memory of the host |
//!
//! The crate has no policy of its own: it says what an address *is*, and the handler decides
//! whether that is allowed. It depends on no other hookgate crate, and only handlers depend on it;
//! the engine does not.
//!
//! ```
//! use hookgate_net::{AddressClass, classify, host_address};
//!
//! // The host of `http://169.254.169.254/`, where clouds hand out credentials.
//! let address = host_address("169.254.169.254").unwrap();
//! assert_eq!(classify(address), AddressClass::LinkLocal);
//! assert_eq!(classify("10.1.2.3".parse()?), AddressClass::Private);
//! assert_eq!(classify("2606:4700::1111".parse()?), AddressClass::Public);
//! # Ok::<(), std::net::AddrParseError>(())
//! ```

mod address;
mod body;
mod client;
mod connect;
mod error;
mod proxy;
mod resolve;
mod tls;

pub use address::{AddressClass, classify, host_address};
pub use body::{BodyEnd, next_piece, read_body};
pub use client::{ClientSettings, HttpClient};
pub use error::{BoxError, ConnectTimeout, SendError, causes};
pub use proxy::Proxy;
pub use resolve::{CheckedResolver, Lookup, LookupFuture, SystemLookup, UnresolvedName};
pub use tls::{
    ClientIdentity, TlsError, authorities_verifier, client_config, read_certificates,
    read_private_key, require_provider, system_verifier,
};
