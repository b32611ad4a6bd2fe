//! `judge_batch`: several steps, each with an id; the answers come in their order, and a bad one fails alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::caller::Caller;
use super::super::error::{CallError, Code, ErrorBody};
use super::super::limits::BATCH;
use super::super::verdict::Judged;
use super::judge::{self, Judge};
use hookgate::contract::quote;

/// Steps that are to be judged.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Batch {
    /// At most 64, each `{"id": …}` with the fields of `judge`. Their judgements begin in this order.
    items: Vec<Value>,
}

/// The answers, in the order of the steps.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Batched {
    items: Vec<Item>,
}

/// One answer: `result` or `error`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Item {
    /// The id of the step; absent if none could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Judged>,
    /// Why it was not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

pub(crate) async fn call(caller: &Arc<Caller>, params: Batch) -> Result<Batched, CallError> {
    if params.items.len() > BATCH {
        let message =
            format!("a batch has at most {BATCH} steps, and this one has {}", params.items.len());
        return Err(CallError::new(Code::TooMany, message));
    }
    caller.enforcing_host()?;
    let mut seen = BTreeSet::new();
    let items = params.items.into_iter().map(|item| {
        let (id, item) = take_id(item);
        let is_new = id.as_ref().is_none_or(|id| seen.insert(id.clone()));
        async move {
            let judged = match item {
                Ok(_) if !is_new => Err(wrong("two steps of the batch have this `id`")),
                Ok(item) => judge::call(caller, item).await,
                Err(error) => Err(error),
            };
            match judged {
                Ok(judged) => Item { id, result: Some(judged), error: None },
                Err(error) => {
                    caller.service.counts.failed(error.code());
                    Item { id, result: None, error: Some(written(&error.body())) }
                }
            }
        }
    });
    Ok(Batched { items: join_all(items).await })
}

/// Takes the id out of a step of a batch, and reads the rest.
fn take_id(item: Value) -> (Option<String>, Result<Judge, CallError>) {
    let Value::Object(mut item) = item else {
        return (None, Err(wrong("a step of a batch is an object")));
    };
    let Some(Value::String(id)) = item.remove("id") else {
        return (None, Err(wrong("`id` must be a text")));
    };
    let read = serde_json::from_value(Value::Object(item));
    (Some(id), read.map_err(|error| wrong(&quote::message(&error.to_string()))))
}

fn wrong(message: &str) -> CallError {
    CallError::new(Code::InvalidParams, message)
}

fn written(body: &ErrorBody<'_>) -> Value {
    // It consists of texts and numbers, which can be written.
    serde_json::to_value(body).unwrap_or_default()
}
