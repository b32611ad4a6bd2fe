//! What each setting is for, as data: the pages of reference and the JSON Schema of hooks.toml are made
//! from it.

use hookgate_contract::{SettingDoc, SettingType};

/// The settings of `prompt`. There is exactly one of `prompt` and `prompt_file`.
pub const SETTINGS: &[SettingDoc] = &[
    SettingDoc::required("model", SettingType::Text, "the name of the model"),
    SettingDoc::optional("prompt", SettingType::Text, "the rule; there is exactly one of `prompt` and `prompt_file`"),
    SettingDoc::optional("prompt_file", SettingType::Path, "the file with the rule"),
    SettingDoc::optional("vars", SettingType::Map(&SettingType::Any), "constants for the rule"),
    SettingDoc::optional("system", SettingType::Text, "replaces the text about what the judge is"),
    SettingDoc::optional("show", SettingType::List(&SettingType::Matching("JSON pointer", "^/")), "what of the envelope the judge sees; a `?` at the end marks what a step may lack; without it the event decides"),
    SettingDoc::optional("show_limit", SettingType::Size, "the size of the excerpt").default("\"32KiB\""),
    SettingDoc::optional("on_cut", SettingType::Choice(&["fail", "judge"]), "what becomes of a longer excerpt: the judge fails, or judges the excerpt without its middle").default("\"fail\""),
    SettingDoc::optional("images", SettingType::Choice(&["fail", "leave_out"]), "what becomes of a step with a picture, a sound or other bytes, which no model can read as text: the judge fails with `unsure`, or decides on the rest").default("\"fail\""),
    SettingDoc::optional("respond", SettingType::TextOr(&["decision", "context", "rewrite"]), "what is asked for: a decision, a note, a patch, or a form that the host has registered").default("\"decision\""),
    SettingDoc::optional("speak_allow", SettingType::Flag, "an allow of the model is an allow of the hook; otherwise the hook has no opinion").default("false"),
    SettingDoc::optional("reason", SettingType::Text, "replaces the model's reason for a deny or an ask"),
    SettingDoc::optional("keep_answer", SettingType::Flag, "adds the first 2000 characters of the reply to the note of the vote").default("false"),
    SettingDoc::optional("samples", SettingType::Integer(1, 15), "how often the model is asked").default("1"),
    SettingDoc::optional("agree", SettingType::Integer(1, 15), "how many of the samples must agree: more than half, which is the default"),
    SettingDoc::optional("response", SettingType::Choice(&["schema", "json_object", "text"]), "how the server is held to the form of the answer; without it this is found out"),
    SettingDoc::optional("repair", SettingType::Flag, "asks once more if the answer has not the requested form").default("true"),
    SettingDoc::optional("base_url", URL, "the address up to `/chat/completions`; that of OpenAI by default"),
    SettingDoc::optional("api_key_env", SettingType::Text, "the environment variable of the key, read for each request; `OPENAI_API_KEY` for OpenAI, else none"),
    SettingDoc::optional("allow_plain_http", SettingType::Flag, "lets plain http go to private addresses; loopback is always allowed, public addresses never").default("false"),
    SettingDoc::optional("temperature", TEMPERATURE, "0 to 2; `\"default\"` sends none").default("0"),
    SettingDoc::optional("seed", SettingType::Integer(i64::MIN, i64::MAX), "a number for repeatable answers; each sample adds its own number"),
    SettingDoc::optional("max_tokens", SettingType::Integer(1, 1_000_000), "how long an answer may be, for each rule of a request").default("1024"),
    SettingDoc::optional("retries", SettingType::Integer(0, 10), "further attempts after a failure that may pass").default("2"),
    SettingDoc::optional("backoff", SettingType::Duration, "the first wait between attempts; it doubles, up to 5 s").default("\"250ms\""),
    SettingDoc::optional("fallback", SettingType::List(&SettingType::Table(FALLBACK)), "models that are asked, in this order, if the first cannot be"),
    SettingDoc::optional("cache", SettingType::Either(&[SettingType::Flag, SettingType::Table(CACHE)]), "remembers answers of the model, not of a fallback; `false` asks about every step").default("true"),
    SettingDoc::optional("batch", SettingType::Flag, "judges that differ only in their rules share one request about a step, up to 16 of them").default("false"),
    SettingDoc::optional("first", SettingType::Either(&[SettingType::Text, SettingType::Table(FIRST)]), "a cheaper judge that is asked first, by the id of its hook or in a table; what it allows is allowed"),
    SettingDoc::optional("limits", SettingType::Table(LIMITS), "bounds of the requests"),
    SettingDoc::optional("budget", SettingType::Table(BUDGET), "what this hook may spend"),
    SettingDoc::optional("prices", SettingType::Map(&SettingType::Table(PRICE)), "the price of each model, by its name, for a million tokens in any currency"),
];

const URL: SettingType = SettingType::Matching("URL", "^https?://");

const TEMPERATURE: SettingType =
    SettingType::Either(&[SettingType::Number(0, 2), SettingType::Choice(&["default"])]);

const FALLBACK: &[SettingDoc] = &[
    SettingDoc::required("model", SettingType::Text, "the name of the model"),
    SettingDoc::optional("base_url", URL, "the address up to `/chat/completions`; that of OpenAI by default"),
    SettingDoc::optional("api_key_env", SettingType::Text, "the environment variable of the key, read for each request; `OPENAI_API_KEY` for OpenAI, else none"),
    SettingDoc::optional("allow_plain_http", SettingType::Flag, "lets plain http go to private addresses; loopback is always allowed, public addresses never").default("false"),
];

const CACHE: &[SettingDoc] = &[
    SettingDoc::optional("ttl", SettingType::Duration, "how long an answer counts")
        .default("\"10m\""),
    SettingDoc::optional(
        "size",
        SettingType::Integer(1, 10_000_000),
        "how many answers of one judge are kept",
    )
    .default("1000"),
];

const FIRST: &[SettingDoc] = &[
    SettingDoc::required("model", SettingType::Text, "the name of the model"),
    SettingDoc::optional("base_url", URL, "the address; that of the judge around it by default"),
    SettingDoc::optional(
        "api_key_env",
        SettingType::Text,
        "the environment variable of the key; that of the judge around it by default",
    ),
    SettingDoc::optional(
        "allow_plain_http",
        SettingType::Flag,
        "lets plain http go to private addresses",
    ),
    SettingDoc::optional(
        "prompt",
        SettingType::Text,
        "the rule; that of the judge around it by default",
    ),
    SettingDoc::optional(
        "prompt_file",
        SettingType::Path,
        "the file with the rule, instead of `prompt`",
    ),
    SettingDoc::optional(
        "system",
        SettingType::Text,
        "replaces the text about what the judge is; that of the judge around it by default",
    ),
    SettingDoc::optional("temperature", TEMPERATURE, "0 to 2; `\"default\"` sends none")
        .default("0"),
    SettingDoc::optional(
        "seed",
        SettingType::Integer(i64::MIN, i64::MAX),
        "a number for repeatable answers; that of the judge around it by default",
    ),
    SettingDoc::optional(
        "max_tokens",
        SettingType::Integer(1, 1_000_000),
        "how long an answer may be, for each rule of a request",
    )
    .default("1024"),
    SettingDoc::optional(
        "response",
        SettingType::Choice(&["schema", "json_object", "text"]),
        "how the server is held to the form of the answer; without it this is found out",
    ),
];

const LIMITS: &[SettingDoc] = &[
    SettingDoc::optional(
        "concurrency",
        SettingType::Integer(1, 10_000),
        "requests that a server gets at the same time",
    )
    .default("8"),
    SettingDoc::optional(
        "waiting",
        SettingType::Integer(0, 1_000_000),
        "requests that wait for that; beyond it the judge is `overloaded`",
    )
    .default("1024"),
    SettingDoc::optional(
        "rate",
        SettingType::Integer(1, 1_000_000),
        "calls of this hook in any minute",
    ),
];

const BUDGET: &[SettingDoc] = &[
    SettingDoc::optional("session", SettingType::Table(SPENDING), "for each session"),
    SettingDoc::optional("hour", SettingType::Table(SPENDING), "for each hour"),
];

const SPENDING: &[SettingDoc] = &[
    SettingDoc::optional(
        "calls",
        SettingType::Integer(0, u32::MAX as i64),
        "calls, counted before they are made",
    ),
    SettingDoc::optional(
        "tokens",
        SettingType::Integer(0, u32::MAX as i64),
        "tokens in both directions",
    ),
    SettingDoc::optional(
        "money",
        SettingType::Number(0, i64::MAX),
        "money in the currency of `prices`, which must name every model",
    ),
];

const PRICE: &[SettingDoc] = &[
    SettingDoc::optional("input", SettingType::Number(0, i64::MAX), "what goes in").default("0"),
    SettingDoc::optional("output", SettingType::Number(0, i64::MAX), "what comes out").default("0"),
];
