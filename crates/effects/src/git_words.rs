//! The words of git: its own options, and those from its command on.

use crate::options::{Given, OptionTable, read_options};
use crate::word::Word;

pub(crate) const GIT: OptionTable<'static> = OptionTable {
    short_value: "Cc",
    short_flags: "pPhv",
    long_value: "git-dir work-tree namespace super-prefix config-env attr-source",
    long_optional: "exec-path",
    long_flags: "paginate no-pager bare no-replace-objects literal-pathspecs no-optional-locks html-path man-path version help",
    stop_at_operand: true,
    ..OptionTable::NONE
};

/// The options of git before its command, with their values.
pub(crate) fn git_options(args: &[Word]) -> Vec<(&'static str, Word)> {
    let read = read_options(&GIT, args);
    let named = |name: &str| ["C", "c", "git-dir", "bare"].into_iter().find(|one| *one == name);
    let given = read.given.iter().filter_map(|given| match given {
        Given::Option { name, value, .. } => {
            Some((named(name)?, value.clone().unwrap_or_default()))
        }
        _ => None,
    });
    given.collect()
}

/// The words of git from its command on.
pub(crate) fn git_words(args: &[Word]) -> &[Word] {
    args.get(read_options(&GIT, args).rest..).unwrap_or_default()
}
