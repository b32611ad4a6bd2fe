//! The golden identities: bytes that every implementation must make alike.
//!
//! One fixture (G-15) holds the double 9.999999999999997e+22 and expects the bytes of its neighbour: its
//! expectation was made by a reader that misses the last bit of some doubles, as the plain functions of
//! `serde_json` do. Read in that way all fixtures are met. Read exactly, as hookgate reads what comes from
//! outside, this one gives the bytes of RFC 8785.

use std::path::Path;

use hookgate_agent_hooks::{AgentContext, IdentityProvider};
use hookgate_contract::json::{Integers, canonical, parse_with};
use serde_json::Value;

/// What an exact reader cannot meet.
const MISREAD: &[&str] = &["G-15-rfc8785-numbers"];

/// Compares our identities with the golden ones, and prints how many are the same. A context that must
/// have none is to be refused.
pub(crate) fn check(file: &Path) -> bool {
    let text = std::fs::read(file).unwrap();
    let as_the_kit: Value = serde_json::from_slice(&text).unwrap();
    let exactly = parse_with(&text, Integers::Exact).unwrap();
    let (count, differ) = differing(&as_the_kit);
    let (_, misread) = differing(&exactly);
    // Some other crate of the build may make the plain functions exact: Cargo unites its features.
    let expected = if as_the_kit == exactly { MISREAD } else { &[] };
    println!(
        "golden identities: {} of {count} are the same, read as the kit reads them; read exactly, {} differ: {}",
        count - differ.len(),
        misread.len(),
        misread.join(" "),
    );
    count > 0 && differ == expected && misread == MISREAD
}

/// Returns how many fixtures there are, and the ids of those that we do not meet.
fn differing(golden: &Value) -> (usize, Vec<&str>) {
    let fixtures = golden["fixtures"].as_array().unwrap();
    let differ = fixtures.iter().filter(|fixture| !is_met(fixture));
    (fixtures.len(), differ.map(|fixture| fixture["id"].as_str().unwrap()).collect())
}

fn is_met(fixture: &Value) -> bool {
    let expected = &fixture["expect"];
    let context = AgentContext::from_value(fixture["ctx"].clone());
    let ours =
        context.ok().and_then(|context| IdentityProvider::JcsSha256.identity(&context).ok()?);
    match ours {
        None => expected["error"] == "host_error:context_invalid",
        Some(ours) => {
            let text = canonical(&fixture["ctx"]);
            expected["context_identity"] == ours && expected["canonical_json"] == text
        }
    }
}
