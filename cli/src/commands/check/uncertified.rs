//! Guards that `[certify]` never proves, since nobody has said what they must stop.

use hookgate::HandlerTable;
use hookgate::certify::{ADD_CANARIES, CertifySettings, deciders, only_outcome};
use hookgate::contract::Mode;

use super::entry::{Entry, Level};
use super::texts::Texts;
use crate::text_position::position;

/// Returns the hooks without canaries of a config that asks for proofs. A builtin that always answers the same needs
/// none.
pub(super) fn of(texts: &mut Texts, table: &HandlerTable) -> Vec<Entry> {
    if CertifySettings::of_table(table).is_none() {
        return Vec::new();
    }
    let unproved = deciders(table).into_iter().filter(|hook| {
        hook.canaries().is_empty()
            && hook.mode() == Mode::Enforce
            && hook.why_set_aside().is_none()
            && only_outcome(hook).is_none()
    });
    unproved
        .map(|hook| {
            let (file, text) = texts.of(hook.origin());
            let start = hook.origin().span_of("id").unwrap_or_default().start;
            Entry {
                code: "uncertified",
                level: Level::Warning,
                file,
                at: Some(position(text, start)),
                message: format!(
                    "`[certify]` cannot prove the hook `{}`: it has no canary",
                    hook.id()
                ),
                help: Some(ADD_CANARIES.to_owned()),
            }
        })
        .collect()
}
