//! Configs where a hooks.toml is expected: in TOML, in JSON and YAML with the same keys, and those of other
//! agents, which are translated in memory.

use std::path::{Path, PathBuf};

use hookgate::config::{
    ConfigErrors, Loaded, LoadedFile, Loader, ParsedText, Remark, Translation, base_of, join,
    parse_toml,
};
use hookgate::contract::settings::{Node, NodeValue};
use hookgate_dialects::import::{
    self, Import, ImportError, ImportWarning, LEFT_OUT_GUARD, Options,
};

use crate::packs;
use crate::sources::OTHER_ENDINGS;

/// Reads the text of a config that is to be joined with others, be it a hooks.toml or the config of another agent.
/// With `strict` what fails in a hook of another agent counts as it does in a hooks.toml; there it has no effect.
///
/// # Errors
/// Everything that is wrong with the file; or that nobody knows such a file, or that no hook of it can run.
pub(crate) fn read_text(
    loader: Loader<'_>,
    path: &Path,
    text: &str,
    strict: bool,
) -> Result<LoadedFile, ConfigErrors> {
    if !import::is_foreign(path, text) {
        return own(loader).read_text(path, text);
    }
    read_foreign(loader, path, text, strict)
}

/// Returns a loader for what people write for this program.
fn own(loader: Loader<'_>) -> Loader<'_> {
    loader.packs(&packs::OPEN).syntax(parse_other)
}

/// Reads a config of our own as values that know their place: TOML, or what the ending of its name says.
pub(crate) fn parse_own(path: &Path, text: &str) -> Node {
    parse_other(path, text).unwrap_or_else(|| parse_toml(text)).0
}

/// Reads JSON and YAML; `None` for TOML.
fn parse_other(path: &Path, text: &str) -> Option<ParsedText> {
    let ending = path.extension()?.to_str()?;
    if !OTHER_ENDINGS.contains(&ending) {
        return None;
    }
    let (at, message) = match import::values(path, text) {
        Ok(root) => return Some((root, Vec::new())),
        Err(ImportError::Syntax { at, message, .. }) => (at, message),
        Err(other) => (0, other.to_string()),
    };
    let nothing = Node { span: 0..0, value: NodeValue::Table(Vec::new()) };
    Some((nothing, vec![(at..at, message)]))
}

fn read_foreign(
    loader: Loader<'_>,
    path: &Path,
    text: &str,
    strict: bool,
) -> Result<LoadedFile, ConfigErrors> {
    // The step may be one of any agent.
    let options = Options { strict, every_agent: true, ..Options::default() };
    let (import, translation) = translate(path, text, &options)?;
    refuse_unguarded(path, text, &import)?;
    loader.read_translation(&translation, &root_of(path))
}

/// Loads a text that may not be saved at this path.
///
/// # Errors
/// As [`read_text`].
pub(crate) fn parse(
    loader: Loader<'_>,
    path: &Path,
    text: &str,
    strict: bool,
) -> Result<Loaded, ConfigErrors> {
    if !import::is_foreign(path, text) {
        return own(loader).parse(&path.display().to_string(), text, &base_of(path));
    }
    join(vec![read_foreign(loader, path, text, strict)?])
}

/// Returns the folder at which relative paths of programs begin in the config of another agent.
pub(crate) fn root_of(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    import::root_of(&absolute)
}

/// Translates a config of another agent.
///
/// # Errors
/// The text is not in its format, or is no config that is known.
pub(crate) fn translate(
    path: &Path,
    text: &str,
    options: &Options,
) -> Result<(Import, Translation), ConfigErrors> {
    let name = path.display().to_string();
    let import = import::import(path, text, options).map_err(|error| {
        ConfigErrors::untranslatable(&name, text, remark_of_error(path, &error))
    })?;
    let translation = Translation::new(name, text, &import.toml);
    let translation =
        import.places.iter().fold(translation, |translation, (in_toml, in_source)| {
            translation.place(*in_toml, *in_source)
        });
    let translation = import
        .warnings
        .iter()
        .fold(translation, |translation, warning| translation.remark(remark_of(warning)));
    Ok((import, translation))
}

/// Refuses a config of which nothing would be enforced, or too little.
fn refuse_unguarded(path: &Path, text: &str, import: &Import) -> Result<(), ConfigErrors> {
    let missing = import.warnings.iter().find(|warning| warning.code == LEFT_OUT_GUARD);
    let remark = match missing {
        Some(missing) => remark_of(missing),
        None if import.hooks == 0 => Remark {
            code: "no_hooks".to_owned(),
            at: 0,
            meaning: format!(
                "no hook of {} in this file can run: nothing would be enforced",
                import.agent
            ),
            advice: format!("`hookgate import {}` says why each of them cannot", path.display()),
        },
        None => return Ok(()),
    };
    Err(ConfigErrors::untranslatable(&path.display().to_string(), text, remark))
}

fn remark_of(warning: &ImportWarning) -> Remark {
    Remark {
        code: warning.code.to_owned(),
        at: warning.at,
        meaning: warning.meaning.clone(),
        advice: warning.advice.clone(),
    }
}

fn remark_of_error(path: &Path, error: &ImportError) -> Remark {
    match error {
        ImportError::Syntax { at, message, .. } => Remark {
            code: "syntax".to_owned(),
            at: *at,
            meaning: message.clone(),
            advice: "correct the file: no agent runs a hook of a file that it cannot read"
                .to_owned(),
        },
        other => Remark {
            code: "unknown_config".to_owned(),
            at: 0,
            meaning: other.to_string(),
            advice: format!(
                "name a hooks.toml, or say whose it is: `hookgate import --agent NAME {} -o hooks.toml`",
                path.display()
            ),
        },
    }
}

#[cfg(test)]
mod tests;
