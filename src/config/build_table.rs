//! A document becomes a table; what is wrong with that has its place in the text.

use std::collections::HashMap;

use hookgate_contract::settings::Node;

use super::conditions::is_nesting;
use super::document::Document;
use super::locate::{hook_at, span_below, span_of_problem};
use super::reader::Reader;
use super::{ConfigProblem, Loader};
use crate::matcher::MatchError;
use crate::require::REQUIRE;
use crate::table::{BuildProblem, HandlerTable, HookSpec};

impl Loader<'_> {
    /// Builds the table, and reports what is wrong with it at the positions of the hooks.
    pub(super) fn build_table(
        &self,
        reader: &mut Reader<'_>,
        root: &Node,
        document: Document,
    ) -> Option<HandlerTable> {
        let mut builder = HandlerTable::builder();
        builder.limits(document.limits).require(document.require);
        for (name, written) in document.sections {
            builder.section(name, written);
        }
        if self.allow_unverified {
            builder.allow_unknown_contracts();
        }
        for contract in self.registry.contracts() {
            builder.contract(contract);
        }
        let earlier = self.keeping.into_iter().flat_map(HandlerTable::specs);
        let earlier: HashMap<&str, &HookSpec> =
            earlier.map(|old| (old.id().as_str(), old.declared())).collect();
        let shared: HashMap<&str, &HookSpec> =
            // A name is one of a file: another file may have another handler of it.
            earlier
                .values()
                .filter(|old| old.origin().file_name() == Some(reader.source.name()))
                .filter_map(|old| Some((old.shared_handler()?, *old)))
                .collect();
        for hook in document.hooks {
            let kept = match hook.shared_handler() {
                Some(name) => shared.get(name).copied(),
                None => earlier.get(hook.id().as_str()).copied(),
            };
            builder.insert(match kept {
                Some(earlier) => hook.keep_handler_of(earlier),
                None => hook,
            });
        }
        match builder.build() {
            Ok(table) => {
                for (event, why) in table.unguarded() {
                    let problem = ConfigProblem::Unguarded { event: event.to_owned(), why };
                    reader.warn(document.require_span.clone(), problem);
                }
                warn_of_shadowed(reader, root, &table);
                Some(table)
            }
            Err(errors) => {
                for error in errors {
                    // An event that is not registered was reported where the hook names it.
                    if matches!(
                        error.problem,
                        BuildProblem::UnknownContract { .. } | BuildProblem::UnknownEvent { .. }
                    ) {
                        continue;
                    }
                    // So was what is wrong inside of `any` and `not`, except for what depends on the
                    // event.
                    let of_event =
                        matches!(error.problem, BuildProblem::Match(MatchError::Field { .. }));
                    let is_match = matches!(error.problem, BuildProblem::Match(_));
                    if is_nesting(error.key) && is_match && !of_event {
                        continue;
                    }
                    let of_hook = error.origin.and_then(|origin| {
                        let hook = origin.read_span()?;
                        let node = hook_at(root, &hook);
                        node.and_then(|node| span_of_problem(node, error.key, &error.problem))
                            .or(Some(hook))
                    });
                    let of_require = (error.hook == REQUIRE).then(|| document.require_span.clone());
                    let span = of_hook.or(of_require).unwrap_or_default();
                    let problem = ConfigProblem::Build { hook: error.hook, problem: error.problem };
                    reader.error(span, problem);
                }
                None
            }
        }
    }
}

/// Warns of hooks that are never called, because an earlier one denies all steps that they are for.
fn warn_of_shadowed(reader: &mut Reader<'_>, root: &Node, table: &HandlerTable) {
    for (hook, event, by) in table.shadowed() {
        let node = hook.origin().read_span().and_then(|span| hook_at(root, &span));
        let span = node.and_then(|node| span_below(node, "id", hook.id().as_str()));
        let (event, by) = (event.to_owned(), by.id().to_string());
        let problem = ConfigProblem::Shadowed { hook: hook.id().to_string(), event, by };
        reader.warn(span.unwrap_or_default(), problem);
    }
}
