//! The names of shells.

/// The shells whose `-c` takes shell code.
pub(crate) const SHELLS: &str =
    "sh bash zsh dash ksh ksh93 mksh ash fish rbash yash tcsh csh elvish";

/// Whether it is the name of such a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.split_ascii_whitespace().any(|shell| shell == name)
}
