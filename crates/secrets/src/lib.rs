//! What secrets look like, and how they are kept out of texts.
//!
//! Two parts of hookgate hide secrets. A handler must not show the credentials that it was given, nor
//! those that a service sends back, in a reason or an error: [`Secrets`]. And a hook takes secrets out
//! of what a model reads: [`Finder`], in the builtin `redact_secrets`. Both use one catalogue,
//! [`SECRET_PATTERNS`], so what one of them knows the other knows too.
//!
//! ```
//! use hookgate_secrets::{Finder, Secrets, is_secret_key};
//!
//! let secrets = Secrets::new([("API_KEY".to_owned(), "hunter2-and-more".to_owned())]);
//! assert_eq!(secrets.hide("401 for hunter2-and-more"), "401 for [API_KEY]");
//! assert_eq!(secrets.hide("DB_PASS=correct7horse"), "DB_PASS=[secret]");
//!
//! let finder = Finder::new(&["ACME-[0-9]+"], &[])?;
//! let (text, count) = finder.redact("ACME-12 and AKIAIOSFODNN7EXAMPLE").unwrap();
//! assert_eq!((text.as_str(), count), ("[redacted:custom] and [redacted:aws_key]", 2));
//!
//! assert!(is_secret_key("dbPassword") && !is_secret_key("max_tokens"));
//! # Ok::<(), regex::Error>(())
//! ```
//!
//! # How secrets are found
//!
//! | by | example | where |
//! |---|---|---|
//! | a prefix or a form of its own | `ghp_…`, `eyJ….….…` | the regular expressions of the catalogue |
//! | the name before it | `DB_PASS=…`, `"apiKey": "…"` | `assignment`, with `field_name` and `value` |
//! | a flag before it | `--token …`, `curl -u me:…` | `flag` |
//! | its position in a URL | `postgres://me:…@db` | `url` |
//! | the lines around it | `-----BEGIN PRIVATE KEY-----` | `pem` |
//! | the head of its column | `user,password` and `me,…` below it | `table` |
//! | a keyword before its name | `ENV DB_PASSWORD …` | `declared` |
//! | its beginning at the end of a line | `ghp_…` broken in two | `broken_token` |
//! | its value, if it is known | a token of the config, also in base64 | `known_values` |
//!
//! # What it costs
//! All of it takes time that is linear in the text, whatever is in the text, and a text without a
//! secret allocates nothing in [`Finder::suspects`]. A property test and a test of run times hold both.
//!
//! # Limits
//! This is not a proof that a text holds no secret. It knows forms ([`SECRET_PATTERNS`] names the gaps
//! of each), names of fields ([`is_secret_key`]) and the values that it was given. It does not find a
//! password in prose ("it is hunter2"), a token without a prefix that is split over two lines, what is encrypted,
//! compressed or reversed, or a picture of a key. Code that only names a secret, such as `token: CancellationToken`
//! or `api_key = os.environ["KEY"]`, is left alone on purpose: what hides too much is turned off.

mod assignment;
mod authorization;
mod broken_token;
mod catalogue;
mod cuts;
mod declared;
mod encoding;
mod field_name;
mod finder;
mod flag;
mod known_values;
mod pattern;
mod pem;
mod redactor;
mod scan;
mod table;
mod url;
mod value;
mod written_value;

pub use catalogue::SECRET_PATTERNS;
pub use field_name::{is_key_with_random_value, is_secret_key};
pub use finder::Finder;
pub use known_values::Secrets;
pub use pattern::SecretPattern;
pub use redactor::Redactor;
pub use value::{is_path, is_random};
