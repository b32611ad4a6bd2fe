//! A client that does nothing by itself.

use reqwest::{Client, ClientBuilder, redirect, retry};
use rustls::ClientConfig;

/// Returns the builder of a client with this TLS configuration and with everything turned off that
/// a client does by itself.
///
/// * Redirects are not followed: a step must not go to where an answer points.
/// * Requests are not repeated: whether a second attempt is safe is for the handler to know.
/// * Answers are not decompressed: a small one could become one of any size.
/// * No request names the URL of an earlier one (`Referer`).
///
/// Each is turned off by name although the crate does not compile it in, because Cargo unifies
/// features: another crate of the same program may have compiled in more of the client.
/// A proxy of the environment is *not* turned off; call [`ClientBuilder::no_proxy`] for that.
///
/// ```
/// use hookgate_net::{client_config, plain_client};
///
/// let client = plain_client(client_config(None, None)?).no_proxy().build()?;
/// # drop(client);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plain_client(tls: ClientConfig) -> ClientBuilder {
    Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .no_hickory_dns()
        .tcp_nodelay(true)
}
