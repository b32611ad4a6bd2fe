//! Environment variables that decide what a program loads.
//!
//! A relative entry in one of them means another folder or file in each session, so it is never
//! passed on: it is removed from a variable of the host, and refused in the config.

use std::path::Path;

/// Variables that list folders in which programs and their parts are looked for.
const FOLDER_LISTS: &str = "PATH PYTHONPATH NODE_PATH PERL5LIB PERLLIB RUBYLIB LD_LIBRARY_PATH \
                            CLASSPATH AWKPATH AWKLIBPATH CDPATH FPATH PSModulePath \
                            DYLD_LIBRARY_PATH";

/// Variables that name a file which is run or loaded.
const FILES: &str = "BASH_ENV ENV ZDOTDIR LD_PRELOAD LD_AUDIT PYTHONSTARTUP PYTHONHOME \
                     DYLD_INSERT_LIBRARIES";

/// Variables that hold options of an interpreter.
const OPTIONS: &str = "PERL5OPT RUBYOPT";

fn has_name(list: &str, name: &str) -> bool {
    list.split(' ').any(|listed| listed == name)
}

/// Returns whether a variable lists folders.
pub(crate) fn lists_folders(name: &str) -> bool {
    has_name(FOLDER_LISTS, name)
}

/// Returns the first entry of a variable that would mean the folder of the session.
pub(crate) fn relative_entry(name: &str, value: &str) -> Option<String> {
    let relative = |entry: &&str| !Path::new(entry).is_absolute() && !entry.starts_with('$');
    if lists_folders(name) {
        value.split(':').find(relative).map(str::to_owned)
    } else if has_name(FILES, name) {
        value.split([':', ' ']).filter(|entry| !entry.is_empty()).find(relative).map(str::to_owned)
    } else if has_name(OPTIONS, name) {
        value.split_whitespace().find(|arg| is_relative_option(arg)).map(str::to_owned)
    } else {
        None
    }
}

/// Returns whether an option names a folder or a file by a relative path.
fn is_relative_option(arg: &str) -> bool {
    let value = arg.split_once('=').map(|(_, value)| value);
    let value = value.or_else(|| arg.strip_prefix("-I")).unwrap_or(arg);
    let is_path = arg.starts_with("-I") || arg.contains("lib=") || value.contains('/');
    is_path && !value.starts_with('/')
}

/// Splits `NAME=value` into the name and the value.
pub(super) fn assignment(arg: &str) -> Option<(&str, &str)> {
    let (name, value) = arg.split_once('=')?;
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_entry_is_found_by_the_kind_of_the_variable() {
        let found = |name, value| relative_entry(name, value);
        assert_eq!(found("PATH", "/bin:sub:/usr/bin").as_deref(), Some("sub"));
        assert_eq!(found("PATH", "/bin::/usr/bin").as_deref(), Some(""));
        assert_eq!(found("BASH_ENV", "rc").as_deref(), Some("rc"));
        assert_eq!(found("PERL5OPT", "-w -Ilib").as_deref(), Some("-Ilib"));
        assert_eq!(found("PATH", "/bin:$HOME/bin"), None);
        // Any other variable may hold what it likes.
        assert_eq!(found("TARGET", "sub/x"), None);
    }
}
