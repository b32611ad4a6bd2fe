//! The tools of a turn: those of the runtime and those of bundles, with declarations and routing.

use std::collections::BTreeMap;

use hookgate_contract::contribution::{Contribution, ToolBundle, ToolDeclaration};
use serde::Serialize;
use serde_json::{Value, json};

use super::Given;
use super::note::{NoteCode, TurnNote, named, plain};
use super::source::{Giver, Source};
use super::tokens::Tokens;
use super::whole::{Sourced, first_of_each, within_budget};
use crate::table::ContributionLimits;

/// The slot of bundles that name no domain.
const TOOLS: &str = "tools";

/// A bundle of tools, and who has given it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BundleEntry {
    /// Where it comes from.
    pub source: Source,
    /// The bundle.
    pub bundle: ToolBundle,
}

impl Sourced for BundleEntry {
    fn source(&self) -> &Source {
        &self.source
    }

    fn source_mut(&mut self) -> &mut Source {
        &mut self.source
    }

    fn into_source(self) -> Source {
        self.source
    }
}

/// A tool that a bundle has brought.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// The bundle that it comes from.
    pub from: Giver,
    /// What the model is told of it, if the bundle says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration: Option<ToolDeclaration>,
}

/// A value of the routing, and who has given it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Route {
    /// The bundle that it comes from.
    pub from: Giver,
    /// The value.
    pub value: Value,
}

/// The tools of a turn.
///
/// Tools of the runtime come first, in its order; tools of bundles follow. A tool that a rewriter has taken away stays
/// away, whoever offers it. A name has one declaration and a key of the routing one value: that of the runtime, or else
/// of the first bundle in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolSet {
    /// The tools of the runtime, after all rewriters.
    pub offered: Vec<String>,
    /// The tools of bundles that are not among these.
    pub added: Vec<OfferedTool>,
    /// How the runtime reaches them.
    pub routing: BTreeMap<String, Route>,
    /// The bundles.
    pub bundles: Vec<BundleEntry>,
    /// What became of what does not count.
    pub notes: Vec<TurnNote>,
}

impl ToolSet {
    /// Returns the names of the tools on offer.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let added = self.added.iter().map(|tool| &tool.name);
        self.offered.iter().chain(added).map(String::as_str)
    }

    /// `offered` are the tools of the runtime after all rewriters, `removed` those that a rewriter took away.
    pub(super) fn of(
        given: &[Given],
        (offered, removed): (Vec<String>, &[String]),
        limits: &ContributionLimits,
        tokens: &Tokens,
    ) -> Self {
        let mut notes = Vec::new();
        let all = given.iter().filter_map(|one| entry(one, tokens)).collect();
        let id = |entry: &BundleEntry| entry.bundle.bundle_id.clone();
        let first = first_of_each(all, limits, id, "content", &mut notes);
        let bundles = within_budget(first, limits, &mut notes);
        let mut set = Self { offered, notes, ..Self::default() };
        for entry in &bundles {
            set.add(entry, removed);
            set.route(entry);
        }
        set.bundles = bundles;
        set
    }

    fn add(&mut self, entry: &BundleEntry, removed: &[String]) {
        let (source, bundle) = (&entry.source, &entry.bundle);
        let declared = bundle.declarations.iter().map(|declaration| &declaration.name);
        for name in bundle.tool_names.iter().chain(declared) {
            if !removed.contains(name) {
                self.offer(name, entry);
                continue;
            }
            let (tool, what) = (plain(name), named(source));
            let message =
                format!("the tool `{tool}` of {what} stays away: a rewriter has taken it away");
            self.note(TurnNote::new(NoteCode::ToolRemoved, source, message));
        }
    }

    fn offer(&mut self, name: &str, entry: &BundleEntry) {
        let (source, bundle) = (&entry.source, &entry.bundle);
        let declaration = bundle.declarations.iter().find(|one| one.name == name);
        if self.offered.iter().any(|own| own == name) {
            if declaration.is_some() {
                self.contradict(
                    source,
                    None,
                    format!("the declaration of the tool `{}`", plain(name)),
                );
            }
            return;
        }
        let Some(known) = self.added.iter_mut().find(|tool| tool.name == name) else {
            let (name, from) = (name.to_owned(), source.giver());
            self.added.push(OfferedTool { name, from, declaration: declaration.cloned() });
            return;
        };
        match (declaration, &known.declaration) {
            (None, _) => {}
            // It was only named before.
            (Some(new), None) => {
                (known.declaration, known.from) = (Some(new.clone()), source.giver());
            }
            (Some(new), Some(old)) if new == old => {}
            (Some(_), Some(_)) => {
                let winner = Some(known.from.clone());
                self.contradict(
                    source,
                    winner,
                    format!("the declaration of the tool `{}`", plain(name)),
                );
            }
        }
    }

    /// Notes that a part of a bundle does not count, because the runtime or another bundle says something else.
    fn contradict(&mut self, source: &Source, winner: Option<Giver>, what: String) {
        let of = match &winner {
            Some(giver) => format!("that of the hook `{}`", plain(&giver.hook)),
            None => "that of the runtime".to_owned(),
        };
        let message = format!("{what} in {} gives way to {of}", named(source));
        let note = TurnNote::new(NoteCode::Conflict, source, message);
        self.note(TurnNote { winner, ..note });
    }

    /// A tool may stand in the names and in the declarations of a bundle: it is told once.
    fn note(&mut self, note: TurnNote) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn route(&mut self, entry: &BundleEntry) {
        let (source, bundle) = (&entry.source, &entry.bundle);
        for (key, value) in &bundle.routing {
            let Some(known) = self.routing.get(key) else {
                let route = Route { from: source.giver(), value: value.clone() };
                self.routing.insert(key.clone(), route);
                continue;
            };
            if known.value != *value {
                let winner = Some(known.from.clone());
                self.contradict(source, winner, format!("the routing `{}`", plain(key)));
            }
        }
    }
}

fn entry(given: &Given, tokens: &Tokens) -> Option<BundleEntry> {
    let Contribution::ToolBundle(bundle) = &given.contribution else { return None };
    let slot = bundle.domain.as_deref().unwrap_or(TOOLS);
    let named = (bundle.bundle_id.as_str(), slot, bundle.priority);
    let content = json!([bundle.tool_names, bundle.declarations, bundle.routing]);
    let source = Source::of_whole(&given.hook, &given.contribution, named, &content, tokens);
    Some(BundleEntry { source, bundle: bundle.clone() })
}
