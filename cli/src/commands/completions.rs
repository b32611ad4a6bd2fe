//! `hookgate completions`: what a shell needs to complete the command line.

use clap::Command;
use clap_complete::{Shell, generate};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::stdout;

/// Print the script that completes this command in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate completions bash > ~/.local/share/bash-completion/completions/hookgate
  hookgate completions zsh > ~/.zfunc/_hookgate        # fpath+=~/.zfunc before compinit
  hookgate completions fish > ~/.config/fish/completions/hookgate.fish")]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the verb for the command line of the program.
///
/// # Errors
/// Stdout takes no more.
pub fn run(args: &Args, mut command: Command) -> Result<Exit, Abort> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(args.shell, &mut command, name, &mut script);
    stdout::file(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
