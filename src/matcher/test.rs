//! What can be tested of a value.

use std::ops::Not;

use serde_json::{Number, Value};

/// A test of the value at a pointer, or its negation (`!Test::exists()`).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InputTest {
    /// What is tested.
    pub test: Test,
    /// Whether the test must fail instead. Unknown stays unknown.
    pub negated: bool,
    /// Whether upper and lower case are the same in texts.
    pub ignore_case: bool,
}

impl InputTest {
    /// Lets upper and lower case be the same in texts.
    ///
    /// ```
    /// use hookgate::matcher::{InputTest, Test};
    ///
    /// let drops = InputTest::from(Test::contains("drop table")).ignore_case();
    /// assert!(drops.ignore_case && !drops.negated);
    /// ```
    #[must_use]
    pub const fn ignore_case(mut self) -> Self {
        self.ignore_case = true;
        self
    }
}

impl From<Test> for InputTest {
    fn from(test: Test) -> Self {
        Self { test, negated: false, ignore_case: false }
    }
}

/// What can be tested. For a value of another type than the test expects, the result is unknown.
///
/// ```
/// use hookgate::matcher::Test;
///
/// let tests = [
///     Test::exists(),
///     Test::equals(22),
///     Test::one_of(["main", "master"]),
///     Test::glob("git push*"),
///     Test::regex("(?m)push$"),
///     Test::any([Test::contains("sudo"), Test::starts_with("su "), Test::ends_with("; su")]),
///     Test::Gt(1024.into()),
///     Test::length(1..=80),
/// ];
/// assert!((!tests[0].clone()).negated);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Test {
    /// There is a value, or (with `false`) there is none.
    Exists(bool),
    /// The value is equal to this one. Numbers are compared by value: 22 is 22.0.
    Equals(Value),
    /// The value is equal to one of these.
    OneOf(Vec<Value>),
    /// The value is a string that this glob matches as a whole; `*` also matches `/` and newlines.
    Glob(String),
    /// The value is a string in which this regular expression matches somewhere. `.` matches every
    /// character, newlines included. `^` and `$` are the very beginning and end: unlike in many
    /// tools, `push$` does not match `push` before a final newline. Under `(?m)` they are those of
    /// each line.
    Regex(String),
    /// The value is a string that contains this text.
    Contains(String),
    /// The value is a string that begins with this text.
    StartsWith(String),
    /// The value is a string that ends with this text.
    EndsWith(String),
    /// The value is a number greater than this one.
    Gt(Number),
    /// The value is a number greater than or equal to this one.
    Ge(Number),
    /// The value is a number less than this one.
    Lt(Number),
    /// The value is a number less than or equal to this one.
    Le(Number),
    /// The value has so many characters if it is a string, entries if it is an array or an object.
    Length {
        /// The fewest.
        least: u64,
        /// The most; `None` for no bound.
        most: Option<u64>,
    },
    /// One of these tests holds.
    Any(Vec<Self>),
}

impl Test {
    /// Tests that there is a value.
    #[must_use]
    pub const fn exists() -> Self {
        Self::Exists(true)
    }

    /// Tests that the value is equal to this one.
    #[must_use]
    pub fn equals(value: impl Into<Value>) -> Self {
        Self::Equals(value.into())
    }

    /// Tests that the value is equal to one of these.
    #[must_use]
    pub fn one_of<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Self {
        Self::OneOf(values.into_iter().map(Into::into).collect())
    }

    /// Tests that the value is a string that a glob matches as a whole.
    #[must_use]
    pub fn glob(glob: impl Into<String>) -> Self {
        Self::Glob(glob.into())
    }

    /// Tests that the value is a string in which a regular expression matches somewhere.
    #[must_use]
    pub fn regex(regex: impl Into<String>) -> Self {
        Self::Regex(regex.into())
    }

    /// Tests that the value is a string that contains a text.
    #[must_use]
    pub fn contains(text: impl Into<String>) -> Self {
        Self::Contains(text.into())
    }

    /// Tests that the value is a string that begins with a text.
    #[must_use]
    pub fn starts_with(text: impl Into<String>) -> Self {
        Self::StartsWith(text.into())
    }

    /// Tests that the value is a string that ends with a text.
    #[must_use]
    pub fn ends_with(text: impl Into<String>) -> Self {
        Self::EndsWith(text.into())
    }

    /// Tests how many characters or entries the value has.
    #[must_use]
    pub const fn length(bounds: std::ops::RangeInclusive<u64>) -> Self {
        Self::Length { least: *bounds.start(), most: Some(*bounds.end()) }
    }

    /// Tests that one of several tests holds.
    #[must_use]
    pub fn any(tests: impl IntoIterator<Item = Self>) -> Self {
        Self::Any(tests.into_iter().collect())
    }
}

impl Not for Test {
    type Output = InputTest;

    /// Returns the test that holds if this one does not.
    fn not(self) -> InputTest {
        !InputTest::from(self)
    }
}

impl Not for InputTest {
    type Output = Self;

    /// Returns the test that holds if this one does not.
    fn not(self) -> Self {
        Self { negated: !self.negated, ..self }
    }
}
