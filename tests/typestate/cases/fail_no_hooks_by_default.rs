//! An engine, a table and `Noop` have no default: hooks that could not be loaded do not become none of them by
//! `unwrap_or_default`.

use hookgate::{Engine, HandlerTable, Noop};

fn main() {
    let loaded: Result<HandlerTable, String> = Err("hooks.toml:3:1: unknown key".to_owned());
    let _ = Engine::new(loaded.unwrap_or_default());
    let engine: Result<Engine, String> = Err("hooks.toml:3:1: unknown key".to_owned());
    let _ = engine.unwrap_or_default();
    let _ = Noop::default();
}
