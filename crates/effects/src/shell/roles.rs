//! What a program is to the reader, by its name.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::builtins::Builtin;
use super::wrappers::{Special, runners, table};
use super::{carriers, databases, interpreters};
use crate::shell_names::SHELLS;

/// What a program is to the reader.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    Builtin(Builtin),
    Shell,
    Wrapper(&'static table::Wrapper),
    Interpreter(&'static interpreters::Interpreter),
    /// One that runs others in its own way.
    Special(Special),
    /// One that gives SQL to a database.
    Database(&'static databases::Client),
    /// One with options that carry code.
    Carrier,
    Other,
}

static ROLES: LazyLock<HashMap<&'static str, Role>> = LazyLock::new(|| {
    let mut roles = HashMap::new();
    for name in carriers::names() {
        roles.insert(name, Role::Carrier);
    }
    for (name, interpreter) in interpreters::names() {
        roles.insert(name, Role::Interpreter(interpreter));
    }
    for (name, wrapper) in table::names() {
        roles.insert(name, Role::Wrapper(wrapper));
    }
    for (name, client) in databases::names() {
        roles.insert(name, Role::Database(client));
    }
    for name in runners::names() {
        roles.insert(name, Role::Special(Special::Runner));
    }
    for (names, special) in Special::NAMES {
        for name in names.split_ascii_whitespace() {
            roles.insert(name, Role::Special(*special));
        }
    }
    for name in SHELLS.split_ascii_whitespace() {
        roles.insert(name, Role::Shell);
    }
    roles
});

/// Returns the role of a name; with a folder before it, it is no builtin.
pub(super) fn of(name: &str, is_path: bool) -> Role {
    if let (false, Some(builtin)) = (is_path, Builtin::of(name)) {
        return Role::Builtin(builtin);
    }
    match ROLES.get(name) {
        Some(role) => *role,
        None => interpreters::of_other_name(name).map_or(Role::Other, Role::Interpreter),
    }
}
