//! A text that was parsed becomes a table, with what belongs to it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hookgate_contract::settings::Node;

use super::document::{Document, read_document};
use super::include::Trail;
use super::locate::hook_around;
use super::quarantine::Quarantine;
use super::reader::Reader;
use super::shared_handlers::SharedHandlers;
use super::source::Source;
use super::{ConfigError, ConfigErrors, ConfigProblem, LoadedFile, Loader};
use crate::table::HandlerTable;

/// A document that was parsed.
pub(super) struct Parsed<'t> {
    pub(super) root: &'t Node,
    /// What is wrong with its syntax.
    pub(super) syntax: Vec<(Range<usize>, String)>,
    /// The TOML text, if hooks of it can be set aside.
    pub(super) text: Option<&'t str>,
}

impl Loader<'_> {
    /// Reads a document that was parsed.
    pub(super) fn read_parsed(
        &self,
        source: Arc<Source>,
        Parsed { root, syntax, text }: Parsed<'_>,
        base: &Path,
        folder: &Path,
        trail: &mut Trail,
    ) -> Result<LoadedFile, ConfigErrors> {
        let mut reader = Reader {
            registry: self.registry,
            allow_unverified: self.allow_unverified,
            layer: self.layer,
            source,
            errors: Vec::new(),
            warnings: Vec::new(),
            handlers: SharedHandlers::new(),
            conditions: Vec::new(),
        };
        let broken: Vec<_> =
            syntax.iter().filter_map(|(span, _)| hook_around(root, span)).collect();
        for (span, message) in syntax {
            reader.error(span, ConfigProblem::Syntax(message));
        }
        let mut document = read_document(&mut reader, root, base);
        let disables = std::mem::take(&mut document.disables);
        let includes = std::mem::take(&mut document.includes);
        let extends = std::mem::take(&mut document.extends);
        let is_of_pack = trail.pack.is_some();
        let mut belonging = self.read_packs(&mut reader, &extends, folder, trail);
        belonging.add(self.read_includes(&mut reader, &includes, folder, trail));
        let built = self.build_table(&mut reader, root, document.clone());
        let mut errors = std::mem::take(&mut reader.errors);
        let built = match built {
            Some(table) if errors.is_empty() => Ok((table, None)),
            _ => {
                // What is wrong with a hook that could not be read is mostly caused by that.
                errors.retain(|error| {
                    matches!(error.problem(), ConfigProblem::Syntax(_))
                        || !broken.iter().any(|hook| hook.contains(&error.offset()))
                });
                errors.sort_by_key(ConfigError::offset);
                errors.dedup();
                self.set_aside(&mut reader, errors, root, text, &document)
            }
        };
        reader.warn_of_conditions();
        let Reader { warnings, source, layer, .. } = reader;
        match built {
            Ok((table, quarantine)) if belonging.errors.is_empty() => Ok(LoadedFile {
                layer,
                source,
                table,
                warnings,
                lost_history: quarantine.as_ref().and_then(|hooks| hooks.lost_history(layer)),
                set_aside: quarantine.map(Quarantine::into_mistakes).unwrap_or_default(),
                disables,
                included: belonging.files,
                searched: belonging.folders,
                is_of_pack,
            }),
            built => {
                let mut errors = built.err().unwrap_or_default();
                errors.extend(belonging.errors);
                Err(ConfigErrors::new(errors))
            }
        }
    }

    /// Builds the table without the hooks that have mistakes, if that is wanted and there are no others.
    fn set_aside<'d>(
        &self,
        reader: &mut Reader<'_>,
        errors: Vec<ConfigError>,
        root: &'d Node,
        text: Option<&str>,
        document: &'d Document,
    ) -> Result<(HandlerTable, Option<Quarantine<'d>>), Vec<ConfigError>> {
        let Some(text) = text.filter(|_| self.quarantine) else { return Err(errors) };
        let mut quarantine =
            Quarantine::new(root, text, &document.hooks, &reader.registry.contracts());
        let mut is_less = quarantine.add(&errors);
        while is_less {
            let hooks = quarantine.apply();
            let table = self.build_table(reader, root, Document { hooks, ..document.clone() });
            let found = std::mem::take(&mut reader.errors);
            match table {
                Some(table) if found.is_empty() => return Ok((table, Some(quarantine))),
                _ => is_less = quarantine.add(&found) || quarantine.reduce(),
            }
        }
        Err(errors)
    }
}
