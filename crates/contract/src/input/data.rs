//! Structs that cross the wire and may gain fields.

/// Declares a struct that crosses the wire and may gain fields: `#[non_exhaustive]`, with a `new` for
/// the fields that it must have, and a setter for each other one.
///
/// A plain field is a parameter of `new`. An `optional` one is an `Option`, absent from the JSON if it
/// is `None`; a `defaulted` one is always written, and may be absent when it is read; a `flattened`
/// one puts its own fields in its place. The JSON has the fields in the order of their declaration.
/// The crate that uses it needs serde; its feature `schema`, if it has one, schemars.
///
/// ```
/// hookgate_contract::data! {
///     /// How a call ended.
///     #[derive(Eq)]
///     struct CallEnd {
///         /// The tool.
///         tool: String,
///         /// The call.
///         optional id: String,
///         /// Whether it failed.
///         defaulted failed: bool,
///     }
/// }
///
/// let end = CallEnd::new("Bash").failed(true);
/// assert_eq!(serde_json::to_string(&end)?, r#"{"tool":"Bash","failed":true}"#);
/// assert_eq!(serde_json::from_str::<CallEnd>(r#"{"tool":"Bash","id":"1"}"#)?, CallEnd::new("Bash").id("1"));
/// assert_eq!(CallEnd::FIELDS, ["tool", "id", "failed"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! data {
    ($(#[$meta:meta])* struct $name:ident { $($field:tt)* }) => {
        $crate::data! { @ [$(#[$meta])* $name] [] [] [] [] [] { $($field)* } }
    };

    // Takes the fields one by one: [struct] [its fields] [parameters of `new`] [what `new` leaves
    // out] [names] [setters] { what is to be read }.
    (@ $head:tt [$($fields:tt)*] $new:tt [$($rest:ident)*] [$($names:ident)*] [$($setters:tt)*] {
        $(#[$meta:meta])* optional $field:ident: $type:ident $(<$($arg:ident),+>)?, $($more:tt)*
    }) => {
        $crate::data! { @ $head
            [$($fields)* $(#[$meta])* #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type $(<$($arg),+>)?>,]
            $new [$($rest)* $field] [$($names)* $field]
            [$($setters)*
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $crate::data_parameter!($type $(<$($arg),+>)?)) -> Self {
                    self.$field = Some($field.into());
                    self
                }]
            { $($more)* } }
    };
    (@ $head:tt [$($fields:tt)*] $new:tt [$($rest:ident)*] [$($names:ident)*] [$($setters:tt)*] {
        $(#[$meta:meta])* defaulted $field:ident: $type:ident $(<$($arg:ident),+>)?, $($more:tt)*
    }) => {
        $crate::data! { @ $head
            [$($fields)* $(#[$meta])* #[serde(default)] pub $field: $type $(<$($arg),+>)?,]
            $new [$($rest)* $field] [$($names)* $field]
            [$($setters)*
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $crate::data_parameter!($type $(<$($arg),+>)?)) -> Self {
                    self.$field = $field.into();
                    self
                }]
            { $($more)* } }
    };
    (@ $head:tt [$($fields:tt)*] [$($new:tt)*] $rest:tt $names:tt $setters:tt {
        $(#[$meta:meta])* flattened $field:ident: $type:ident, $($more:tt)*
    }) => {
        $crate::data! { @ $head
            [$($fields)* $(#[$meta])* #[serde(flatten)] pub $field: $type,]
            [$($new)* $field: $type,] $rest $names $setters
            { $($more)* } }
    };
    (@ $head:tt [$($fields:tt)*] [$($new:tt)*] $rest:tt [$($names:ident)*] $setters:tt {
        $(#[$meta:meta])* $field:ident: $type:ident $(<$($arg:ident),+>)?, $($more:tt)*
    }) => {
        $crate::data! { @ $head
            [$($fields)* $(#[$meta])* pub $field: $type $(<$($arg),+>)?,]
            [$($new)* $field: $type $(<$($arg),+>)?,] $rest [$($names)* $field] $setters
            { $($more)* } }
    };
    (
        @ [$(#[$meta:meta])* $name:ident] [$($fields:tt)*]
        [$($new:ident: $type:ident $(<$($arg:ident),+>)?,)*] [$($rest:ident)*] [$($names:ident)*]
        [$($setters:tt)*] {}
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$meta])*
        #[non_exhaustive]
        pub struct $name { $($fields)* }

        impl $name {
            /// The names of its fields on the wire, without those of a flattened one.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($names)),*];

            /// Makes one of what it must have. The other fields are empty, and have setters.
            #[must_use]
            pub fn new($($new: $crate::data_parameter!($type $(<$($arg),+>)?)),*) -> Self {
                Self { $($new: $new.into(),)* $($rest: Default::default(),)* }
            }

            $($setters)*
        }
    };
}

/// The type of a parameter: what becomes a string or a JSON value is taken, too, and what is kept in a
/// box is taken without one.
#[doc(hidden)]
#[macro_export]
macro_rules! data_parameter {
    (String) => { impl Into<String> };
    (Value) => { impl Into<Value> };
    (Box<$type:ident>) => { $type };
    ($type:ty) => { $type };
}

/// Joins two lists in a constant.
#[doc(hidden)]
#[must_use]
#[expect(clippy::indexing_slicing, reason = "the indices are in range; it runs in the compiler")]
pub(crate) const fn join<const N: usize>(
    head: &[&'static str],
    tail: &[&'static str],
) -> [&'static str; N] {
    let mut all = [""; N];
    let mut index = 0;
    while index < N {
        all[index] = if index < head.len() { head[index] } else { tail[index - head.len()] };
        index += 1;
    }
    all
}
