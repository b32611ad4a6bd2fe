//! The binary `hookgate-call`: has a daemon answer the hook of an agent, or becomes `hookgate`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookgate_cli::client::main()
}
