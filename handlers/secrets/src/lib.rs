//! What secrets look like, and how they are kept out of texts.
//!
//! There is one [catalogue](SHAPES) of shapes, and two users of it: [`Secrets`] keeps what a
//! handler was given out of reasons and errors, and a [`Finder`] with patterns and keys of its own
//! redacts what a model reads. Both take time that is linear in the text, whatever is in it.
//!
//! # What this is not
//!
//! It is no proof that a text holds no secret. It knows shapes ([`SHAPES`] names the gaps of each),
//! names of fields ([`is_secret_key`]) and the values that it was told. A password in prose ("it is
//! hunter2"), a secret that is split over two lines, encrypted, compressed or spelled backwards, a
//! picture of a key: none of these is found. Code that only names a secret, such as
//! `token: CancellationToken` or `api_key = os.environ["KEY"]`, is left alone on purpose.
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

mod assignment;
mod catalogue;
mod encoding;
mod finder;
mod flag;
mod key;
mod known;
mod pem;
mod url;
mod value;

pub use catalogue::{SHAPES, Shape};
pub use finder::Finder;
pub use key::{is_key_with_random_value, is_secret_key};
pub use known::Secrets;
pub use value::{is_path, is_random};
