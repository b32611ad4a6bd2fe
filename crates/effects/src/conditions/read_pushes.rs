//! Reads the value of `pushes`: branches, or a table.

use hookgate_contract::quote::Quoted;
use hookgate_contract::settings::{NodeValue, Settings};

use super::read::Texts;
use crate::patterns::PushPatterns;

/// Patterns of pushes, as they were read.
pub(super) struct Pushes {
    pub(super) patterns: PushPatterns,
}

/// Reads patterns of pushes.
pub(super) fn read_pushes(settings: &mut Settings<'_>, key: &'static str) -> Option<Pushes> {
    let node = settings.node(key)?;
    let mut patterns = PushPatterns::default();
    if !matches!(node.value, NodeValue::Table(_)) {
        let texts = Texts::read(settings, key, node, "a branch, a list of branches, or a table")?;
        set_to(settings, key, &texts, &mut patterns);
        return (!settings.has_errors()).then_some(Pushes { patterns });
    }
    let mut table = Settings::new(node);
    if let Some(node) = table.node("to")
        && let Some(texts) = Texts::read(&mut table, "to", node, "a branch or a list of branches")
    {
        set_to(&mut table, "to", &texts, &mut patterns);
    }
    if let Some(node) = table.node("remote")
        && let Some(texts) =
            Texts::read(&mut table, "remote", node, "a remote or a list of remotes")
        && let Err(error) = patterns.set_remote(&texts.texts)
    {
        texts.wrong(&mut table, "remote", &error);
    }
    patterns.force = table.flag("force");
    patterns.delete = table.flag("delete");
    settings.absorb(table.finish());
    (!settings.has_errors()).then_some(Pushes { patterns })
}

fn set_to(settings: &mut Settings<'_>, key: &str, texts: &Texts, patterns: &mut PushPatterns) {
    for text in &texts.texts {
        let name = text.strip_prefix('!').unwrap_or(text);
        if name.contains(':') || name.starts_with('+') {
            let target = name.rsplit(':').next().unwrap_or_default().trim_start_matches('+');
            settings.invalid(
                key,
                format!(
                    "`{}` is a refspec; name the branch that is changed at the remote: \"{}\"",
                    Quoted(name),
                    Quoted(target)
                ),
            );
            return;
        }
        let odd = |c: &char| c.is_whitespace() || "~^\\".contains(*c);
        if let Some(odd) = name.chars().find(odd) {
            let odd = odd.to_string();
            settings.invalid(key, format!("no name of a branch contains `{}`", Quoted(&odd)));
            return;
        }
    }
    if let Err(error) = patterns.set_to(&texts.texts) {
        texts.wrong(settings, key, &error);
    }
}
