//! A contribution with the hook that gave it.

use hookgate_contract::contribution::Contribution;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::hook_id::HookId;

/// The key of the hook; no contribution has a field of this name.
const HOOK: &str = "hook";

/// The hook of a contribution in a record that was written before records named it.
const NOT_RECORDED: &str = "unknown";

/// A contribution, and the hook that gave it.
///
/// In a record it is one object: that of the contribution, with the key `hook` before it.
///
/// ```
/// use hookgate::contract::contribution::AuditLine;
/// use hookgate::decision::Contributed;
///
/// let audit = Contributed::new("memory", AuditLine::new("read"));
/// let json = serde_json::to_string(&audit)?;
/// assert!(json.starts_with(r#"{"hook":"memory","kind":"audit","event_kind":"read""#));
/// assert_eq!(serde_json::from_str::<Contributed>(&json)?, audit);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Contributed {
    /// The hook.
    pub hook: HookId,
    /// What it gave.
    pub contribution: Contribution,
}

impl Contributed {
    /// Says which hook gave a contribution.
    #[must_use]
    pub fn new(hook: impl Into<HookId>, contribution: impl Into<Contribution>) -> Self {
        Self { hook: hook.into(), contribution: contribution.into() }
    }

    /// Says of all that one hook gave that it was this one.
    pub(super) fn all_of(hook: &HookId, contributions: Vec<Contribution>) -> Vec<Self> {
        if contributions.is_empty() {
            return Vec::new();
        }
        contributions.into_iter().map(|given| Self::new(hook.clone(), given)).collect()
    }
}

/// As it is written: the contribution's own fields follow in their order.
#[derive(Serialize)]
struct Written<'a> {
    hook: &'a HookId,
    #[serde(flatten)]
    contribution: &'a Contribution,
}

impl Serialize for Contributed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { hook, contribution } = self;
        Written { hook, contribution }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Contributed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        let hook = match fields.remove(HOOK) {
            None => NOT_RECORDED.into(),
            Some(hook) => HookId::deserialize(hook).map_err(D::Error::custom)?,
        };
        let contribution =
            Contribution::deserialize(Value::Object(fields)).map_err(D::Error::custom)?;
        Ok(Self { hook, contribution })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Contributed {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Contributed".into()
    }

    /// That of a contribution, in which each form has the hook as well.
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = Contribution::json_schema(generator);
        let forms = schema.ensure_object().get_mut("oneOf").and_then(Value::as_array_mut);
        for form in forms.into_iter().flatten() {
            if let Some(properties) = form.get_mut("properties").and_then(Value::as_object_mut) {
                let hook = generator.subschema_for::<HookId>();
                properties.insert(HOOK.to_owned(), hook.into());
            }
        }
        schema
    }
}
