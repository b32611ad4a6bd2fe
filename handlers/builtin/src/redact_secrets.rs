//! `redact_secrets`: secrets are taken out of what the model reads and says.
//!
//! It finds what has a shape in the [catalogue](hookgate_secrets::SHAPES), what stands behind a name
//! that tells (`password`, `dbPassword`, `X-Api-Key`, in texts and in values) and what the settings
//! name. Below a key that tells, all strings and numbers go, however deep; so do the value of
//! `{"name": "DB_PASSWORD", "value": …}`, the item behind `"--password"`, and keys that are secrets
//! themselves. It takes time that is linear in the step.
//!
//! # What it is not
//!
//! It keeps secrets out of sight where they stand as they are usually written. It does not hold
//! against somebody who wants to get one past it: a tool that spells a secret backwards, in pieces
//! or in base64 gets it to the model. Not found are, besides the gaps that the catalogue names:
//! passwords in prose, secrets without a shape under a name that does not tell, and whatever reads
//! like code (`token: CancellationToken`), a placeholder (`$TOKEN`, `<token>`, `YOUR_TOKEN`) or a
//! path. Of a redacted value true, false and null stay.

use hookgate_contract::BuildContext;
use hookgate_contract::payload::{FieldRef, PostToolUse};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuiltHandler, Contract, Invocation, Reply, Role, SyncHandler, Verdict, patch_field,
};
use hookgate_secrets::Finder;
use serde_json::Value;

use self::redactor::Redactor;

mod redactor;

/// The fields that are searched. The arguments of a tool are not among them: a call with a
/// redacted argument is another call.
const FIELDS: &[&str] = &[
    patch_field::TOOL_RESPONSE,
    patch_field::ERROR,
    patch_field::PROMPT,
    patch_field::ASSISTANT_TEXT,
    patch_field::RESULT_TEXT,
    patch_field::MESSAGES,
    patch_field::CUSTOM_INSTRUCTIONS,
    patch_field::SUMMARY,
];

/// The label with the number of places that were redacted.
const COUNT: &str = "redacted";

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let patterns = settings.list("patterns").unwrap_or_default();
    let keys = settings.list("keys").unwrap_or_default();
    let tool_input = settings.flag("tool_input").unwrap_or(false);
    let finder = Finder::new(&patterns, &keys).map_err(|error| {
        settings.invalid("patterns", error.to_string());
    });
    let redactor = Redactor::new(finder.ok()?);
    let built =
        BuiltHandler::from_sync(RedactSecrets { redactor, tool_input }).role(Role::Rewrite).heavy();
    Some(built.supports(if tool_input { fits_with_input } else { fits }))
}

fn fits(contract: &Contract) -> Result<(), &'static str> {
    if contract.patch.iter().any(|field| FIELDS.contains(&field.name)) {
        Ok(())
    } else if contract.patch_field(patch_field::TOOL_INPUT).is_some() {
        Err("a tool's arguments are redacted only with `tool_input = true`, \
             and the call is then another one")
    } else {
        Err("no text can be rewritten here")
    }
}

fn fits_with_input(contract: &Contract) -> Result<(), &'static str> {
    if contract.patch_field(patch_field::TOOL_INPUT).is_some() { Ok(()) } else { fits(contract) }
}

struct RedactSecrets {
    redactor: Redactor,
    tool_input: bool,
}

impl RedactSecrets {
    fn searches(&self, name: &str) -> bool {
        FIELDS.contains(&name) || (self.tool_input && name == patch_field::TOOL_INPUT)
    }

    /// The field without its secrets; none where there are none.
    fn redact(&self, field: &FieldRef<'_>) -> Option<(Value, u64)> {
        match field {
            FieldRef::Text(text) => {
                self.redactor.text(text).map(|(text, count)| (Value::String(text), count))
            }
            FieldRef::Json(value) => self.redactor.value(value),
            FieldRef::Owned(value) => self.redactor.value(value),
        }
    }
}

impl SyncHandler for RedactSecrets {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let mut verdict = Verdict::none();
        let mut total = 0_u64;
        for name in invocation.contract().patch.iter().map(|field| field.name) {
            let Some(field) = invocation.payload().field(name).filter(|_| self.searches(name))
            else {
                continue;
            };
            let hidden = self.in_blocks(&invocation, name);
            let Some((value, count)) =
                self.redact(&field).or_else(|| (hidden > 0).then(|| (field.to_value(), 0)))
            else {
                continue;
            };
            total = total.saturating_add(count).saturating_add(hidden);
            verdict = verdict.patch(name, value);
        }
        if total == 0 {
            return Ok(Verdict::none());
        }
        Ok(verdict.annotate(COUNT, total))
    }
}

impl RedactSecrets {
    /// How many secrets stand in the blocks of a result. A patch cannot set the blocks, but one of
    /// the result drops them, even where the result itself is clean.
    fn in_blocks(&self, invocation: &Invocation<'_>, name: &str) -> u64 {
        if name != patch_field::TOOL_RESPONSE {
            return 0;
        }
        let payload = invocation.payload().as_any().downcast_ref::<PostToolUse>();
        let blocks = payload.and_then(|result| result.content_blocks.as_ref());
        blocks.and_then(|blocks| self.redactor.value(blocks)).map_or(0, |(_, count)| count)
    }
}
