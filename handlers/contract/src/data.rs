//! How the structs that cross the wire are declared.

/// Declares a struct that crosses the wire and may gain fields: `#[non_exhaustive]`, with a `new` for
/// the fields that it must have, and a setter for each other one.
///
/// ```text
/// data! {
///     /// What it is.
///     struct Name about ToolCall {          (`about ToolCall`: with the fields of the call, first)
///         must: String,                     (a parameter of `new`)
///         optional may: u64,                (`Option<u64>`, absent from the JSON if it is `None`)
///         defaulted is: bool,               (always written, may be absent when it is read)
///     }
///     payload { fn field(&self, …) … }      (the payload of its event in `events.rs`, with these
///                                            methods of `Payload`)
/// }
/// ```
///
/// The fields are written in the order in which they are declared.
macro_rules! data {
    ($(#[$meta:meta])* struct $name:ident { $($field:tt)* } $($payload:tt)*) => {
        $crate::data::data! { @ [$(#[$meta])* $name] [] [] [] [] [] { $($field)* } }
        $crate::data::data! { @payload $name $($payload)* }
    };
    ($(#[$meta:meta])* struct $name:ident about $call:ident { $($field:tt)* } payload { $($method:tt)* }) => {
        $crate::data::data! {
            @ [$(#[$meta])* $name]
            [#[doc = "The call."] #[serde(flatten)] pub call: $call,] [call: $call,] [] [] []
            { $($field)* }
        }
        $crate::data::data! { @payload $name payload {
            fn tool(&self) -> Option<&$call> {
                Some(&self.call)
            }

            $($method)*
        } }
    };

    (@payload $name:ident) => {};
    (@payload $name:ident payload { $($method:tt)* }) => {
        impl $crate::payload::Payload for $name {
            fn contract(&self) -> &'static $crate::Contract {
                <Self as $crate::payload::AtEvent>::EVENT.contract()
            }

            $($method)*
        }
    };

    // Takes the fields one by one: [struct] [its fields] [parameters of `new`] [what `new` leaves
    // out] [names] [setters] { what is to be read }.
    (@ $head:tt [$($fields:tt)*] $new:tt [$($rest:ident)*] [$($names:ident)*] [$($setters:tt)*] {
        $(#[$meta:meta])* optional $field:ident: $type:ident $(<$($arg:ident),+>)?, $($more:tt)*
    }) => {
        $crate::data::data! { @ $head
            [$($fields)* $(#[$meta])* #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type $(<$($arg),+>)?>,]
            $new [$($rest)* $field] [$($names)* $field]
            [$($setters)*
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $crate::data::parameter!($type $(<$($arg),+>)?)) -> Self {
                    self.$field = Some($field.into());
                    self
                }]
            { $($more)* } }
    };
    (@ $head:tt [$($fields:tt)*] $new:tt [$($rest:ident)*] [$($names:ident)*] [$($setters:tt)*] {
        $(#[$meta:meta])* defaulted $field:ident: $type:ident $(<$($arg:ident),+>)?, $($more:tt)*
    }) => {
        $crate::data::data! { @ $head
            [$($fields)* $(#[$meta])* #[serde(default)] pub $field: $type $(<$($arg),+>)?,]
            $new [$($rest)* $field] [$($names)* $field]
            [$($setters)*
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $crate::data::parameter!($type $(<$($arg),+>)?)) -> Self {
                    self.$field = $field.into();
                    self
                }]
            { $($more)* } }
    };
    (@ $head:tt [$($fields:tt)*] [$($new:tt)*] $rest:tt [$($names:ident)*] $setters:tt {
        $(#[$meta:meta])* $field:ident: $type:ident $(<$($arg:ident),+>)?, $($more:tt)*
    }) => {
        $crate::data::data! { @ $head
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
            /// The names of its fields on the wire, without those of a call that it is about.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($names)),*];

            /// Makes one of what it must have. The other fields are empty, and have setters.
            #[must_use]
            pub fn new($($new: $crate::data::parameter!($type $(<$($arg),+>)?)),*) -> Self {
                Self { $($new: $new.into(),)* $($rest: Default::default(),)* }
            }

            $($setters)*
        }
    };
}

/// The type of a parameter: what becomes a string or a JSON value is taken, too.
macro_rules! parameter {
    (String) => { impl Into<String> };
    (Value) => { impl Into<Value> };
    ($type:ty) => { $type };
}

pub(crate) use {data, parameter};
