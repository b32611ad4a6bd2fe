//! Which path is answered by whom.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use super::access::{self, Access};
use super::shared::Shared;
use super::{events, figures, opa_route, rpc};
use crate::input::lines::LINE_LIMIT;

/// Returns what answers requests, all of which pass [`access::check`] first.
pub(super) fn router(shared: &Arc<Shared>, access: Arc<Access>) -> Router {
    let mut router = Router::new()
        .route("/rpc", post(rpc::post).delete(rpc::delete))
        .route("/events", get(events::get))
        .route("/health", get(figures::health))
        .route("/metrics", get(figures::open_metrics));
    if shared.opa.is_some() {
        router = router.route("/v1/data/{*path}", post(opa_route::post));
    }
    let limit = usize::try_from(LINE_LIMIT).unwrap_or(usize::MAX);
    let routes = router.with_state(Arc::clone(shared)).layer(DefaultBodyLimit::max(limit));
    // Around all of it: a route would add to a refusal which methods it has.
    Router::new().fallback_service(routes).layer(from_fn_with_state(access, access::check))
}
