//! The requests, and what answers each of them.

use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use tokio::task::spawn_blocking;

use super::site::Site;
use super::{agents, decision, decisions, gate, now, numbers, questions};
use crate::abort::Abort;
use crate::html::{STYLE, View};

const SCRIPT: &str = include_str!("templates/script.js");

/// How large an answer to a question may be.
const ANSWER: usize = 1 << 20;

/// What is asked of a view, each with its name.
type Query = [(String, String)];

/// The answer to a request.
type Answered = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Returns what answers requests.
pub(super) fn router(site: Arc<Site>) -> Router {
    // All that has data.
    let data = Router::new()
        .route("/view/now", get(view(|site, _| site.view(now::view(site)))))
        .route("/view/agents", get(view(|site, _| site.view(agents::view()?))))
        .route("/view/decisions", get(view(decisions::page)))
        .route("/view/decision/{seq}", get(one_decision))
        .route("/view/questions", get(view(|site, _| site.view(questions::view(site)?))))
        .route("/view/question/{id}", get(one_question))
        .route("/view/numbers", get(view(numbers::page)))
        .route("/answer/{id}", post(answer))
        .route("/live", get(view(|site, _| Ok(questions::live(site)))))
        .route_layer(from_fn_with_state(Arc::clone(&site), gate::token));
    Router::new()
        .route("/", get(|State(site): State<Arc<Site>>| async move { page(site.page()) }))
        .route("/style.css", get(|| async { file("text/css; charset=utf-8", STYLE) }))
        .route("/script.js", get(|| async { file("text/javascript; charset=utf-8", SCRIPT) }))
        .merge(data)
        .layer(DefaultBodyLimit::max(ANSWER))
        .layer(from_fn_with_state(Arc::clone(&site), gate::own_origin))
        .with_state(site)
}

/// Answers with a view. Files are read on a thread that may wait.
fn view(
    make: fn(&Site, &Query) -> Result<String, Abort>,
) -> impl Fn(State<Arc<Site>>, Uri) -> Answered + Clone {
    move |State(site), uri| {
        Box::pin(async move {
            let query = query(&uri);
            answered(site, move |site| make(site, &query)).await
        })
    }
}

async fn one_decision(State(site): State<Arc<Site>>, Path(seq): Path<String>) -> Response {
    answered(site, move |site| site.view(decision::view(site, &seq)?)).await
}

async fn one_question(State(site): State<Arc<Site>>, Path(id): Path<String>) -> Response {
    answered(site, move |site| questions::page(site, &id)).await
}

/// Answers a question. A form of another page cannot send JSON without being asked first, and never has the token.
async fn answer(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if headers.get(CONTENT_TYPE).is_none_or(|kind| kind != "application/json") {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "an answer is JSON\n").into_response();
    }
    answered(site, move |site| questions::answer(site, &id, &body)).await
}

async fn answered(
    site: Arc<Site>,
    make: impl FnOnce(&Site) -> Result<String, Abort> + Send + 'static,
) -> Response {
    let made = spawn_blocking(move || match make(&site) {
        Ok(html) => Html(html).into_response(),
        Err(abort) => problem(&site, abort),
    });
    made.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// Says what went wrong. It can quote anything, so it is a view like others.
fn problem(site: &Site, abort: Abort) -> Response {
    let title = "This cannot be done".to_owned();
    let view = View { title, lead: Some(abort.into_text()), is_wrong: true, ..View::default() };
    match site.view(view) {
        Ok(html) => (StatusCode::CONFLICT, Html(html)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn page(html: Result<String, Abort>) -> Response {
    match html {
        Ok(html) => Html(html).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn file(kind: &'static str, text: &'static str) -> ([(HeaderName, &'static str); 1], &'static str) {
    ([(CONTENT_TYPE, kind)], text)
}

fn query(uri: &Uri) -> Vec<(String, String)> {
    let pairs = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    pairs.into_owned().filter(|(_, value)| !value.is_empty()).collect()
}
