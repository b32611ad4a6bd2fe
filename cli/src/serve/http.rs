//! Programs that speak HTTP: the methods at `POST /rpc`, decisions as a stream at `GET /events`, and steps as OPA is asked.
//!
//! Over a socket the system says who is at the other end; here a token does, and nothing is answered without it. A
//! request has no connection that its sessions could belong to, so `hello` gives the caller an id ([`callers`]).

mod access;
mod body;
mod callers;
mod events;
mod figures;
mod listening;
mod opa;
mod opa_route;
mod random;
mod routes;
mod rpc;
mod shared;
mod status;
mod tls;
mod token;

pub(crate) use listening::{HttpListening, listen_http};
