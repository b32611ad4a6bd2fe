//! Modules that an option names, as in `node -r fs`: which of them an interpreter finds without the
//! folder of the session.

use super::syntax::Syntax;

/// The modules of Node that a file cannot replace.
const NODE: &str = "assert async_hooks buffer child_process cluster console constants crypto dgram \
                    dns domain events fs http http2 https inspector module net os path perf_hooks \
                    process punycode querystring readline repl stream string_decoder timers tls tty \
                    url util v8 vm worker_threads zlib";

/// Returns whether a module is a part of the interpreter, or is found without the folder of the
/// session.
pub(super) fn is_builtin_module(interpreter: &Syntax, module: &str) -> bool {
    if interpreter.has_name("ruby") {
        return !module.starts_with('.') && !module.contains('/');
    }
    if interpreter.has_name("deno") {
        return ["npm:", "jsr:", "node:", "https://"].iter().any(|at| module.starts_with(at));
    }
    if interpreter.has_name("lua") {
        return false;
    }
    module.starts_with("node:")
        || module.starts_with("data:")
        || module.starts_with("file:///")
        || NODE.split(' ').any(|known| known == module)
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::syntax_named;
    use super::*;

    #[test]
    fn only_modules_of_the_interpreter_need_no_path() {
        let is_builtin =
            |program, module| is_builtin_module(syntax_named(program).unwrap(), module);
        for (program, module) in
            [("node", "fs"), ("node", "node:fs"), ("ruby", "json"), ("deno", "npm:chalk")]
        {
            assert!(is_builtin(program, module), "{program} {module}");
        }
        for (program, module) in [
            ("node", "dotenv"),
            ("node", "./fs"),
            ("ruby", "./json"),
            ("lua", "json"),
            ("deno", "x"),
        ] {
            assert!(!is_builtin(program, module), "{program} {module}");
        }
    }
}
