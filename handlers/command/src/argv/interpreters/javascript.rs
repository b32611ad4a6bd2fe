//! Runtimes of JavaScript: `node`, `deno` and `bun`.
//!
//! A module without a path (`-r dotenv`) is looked for in `node_modules` beside the current folder,
//! which is the folder of the session, so only paths and modules of the runtime itself are accepted.
//! `npm run` and its like (`node --run`, `deno task`, `bun x`) read their rules from the project and
//! are warned of.

use super::super::syntax::Takes::{Code, Data, Exits, File, Folders, Local, Module, Stdin};
use super::super::syntax::{Syntax, Verb};

/// The syntax of each runtime.
pub(super) const ALL: &[Syntax] = &[
    Syntax {
        names: "node nodejs",
        flags: "ich",
        takes: &[
            (Code, "-e --eval -p --print -pe"),
            (Module, "-r --require --import --loader --experimental-loader"),
            (
                Data,
                "-C --conditions --input-type --experimental-default-type --title \
                    --max-http-header-size --dns-result-order --unhandled-rejections \
                    --disable-warning --stack-trace-limit --secure-heap --secure-heap-min \
                    --redirect-warnings --disable-proto --inspect-port",
            ),
            (
                File,
                "--env-file --env-file-if-exists --openssl-config --experimental-config-file \
                    --snapshot-blob",
            ),
            (Folders, "--icu-data-dir"),
            (Local, "--run --test"),
            (Stdin, "--interactive"),
            (Exits, "-v --version --help --v8-options"),
        ],
        alone: "--check --no-* --trace-* --preserve-* --enable-* --throw-deprecation \
                --pending-deprecation --use-* --verify-* --frozen-intrinsics --expose-* --harmony* \
                --permission --experimental-permission --allow-* --jitless --disable-* \
                --experimental-strip-types --experimental-vm-modules --experimental-wasm-modules \
                --experimental-require-module --zero-fill-buffers --abort-on-uncaught-exception \
                --force-* --inspect --inspect-brk --watch",
        verbs: &[("inspect", Verb::Run)],
        ..Syntax::NONE
    },
    Syntax {
        names: "deno",
        flags: "qAhRWNESI",
        glued: "rRWNES",
        takes: &[
            (File, "-c --config --import-map --lock --cert"),
            (Module, "--preload --import --require"),
            (Data, "-L --log-level --seed --location --ext --conditions"),
            (Exits, "-V --version --help"),
        ],
        alone: "--quiet --allow-* --deny-* --no-* --cached-only --unstable* --reload --check \
                --frozen --inspect* --watch* --env-file --v8-flags --node-modules-dir --vendor \
                --permission-set --enable-*",
        verbs: &[
            ("run", Verb::Run),
            ("serve", Verb::Run),
            ("test", Verb::Run),
            ("bench", Verb::Run),
            ("eval", Verb::Code),
            ("task", Verb::Local),
        ],
        urls: true,
        ..Syntax::NONE
    },
    Syntax {
        names: "bun",
        flags: "bihv",
        glued: "c",
        takes: &[
            (Code, "-e --eval -p --print"),
            (Module, "-r --preload --require --import"),
            (File, "--config --env-file --tsconfig-override"),
            (Folders, "--cwd"),
            (Data, "-d --define -l --loader --conditions --port -F --filter"),
            (Exits, "-v --version --help"),
        ],
        alone: "--bun --hot --watch --smol --silent --no-* --prefer-* --install --inspect* \
                --if-present --expose-gc",
        verbs: &[("run", Verb::Run), ("x", Verb::Local), ("test", Verb::Local)],
        urls: true,
        ..Syntax::NONE
    },
];
