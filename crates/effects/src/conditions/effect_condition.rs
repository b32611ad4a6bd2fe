//! A condition on the effects of a step.

use std::sync::Arc;

use hookgate_contract::{Command, Condition, Envelope, SessionFiles, Truth};
use serde_json::Value;

use super::commands::{At, commands};
use super::folders::{folders_of, resolved};
use super::question::Question;
use super::sentence::{explained, named};
use super::step_effects::{StepEffects, effects_of};
use super::written;
use crate::effects::Effects;
use crate::manifests::Manifests;
use crate::patterns::{Folders, Found, Truth as Answer};

/// A condition on the effects of a step.
pub(super) struct EffectCondition {
    pub(super) key: &'static str,
    pub(super) question: Question,
    pub(super) manifests: Manifests,
    pub(super) home: Option<String>,
    /// The folder of the config.
    pub(super) config: Option<String>,
    /// The files that the session has written, if the question is about them.
    pub(super) files: Option<Arc<dyn SessionFiles>>,
}

impl EffectCondition {
    /// Answers the question, and hands the answer on together with the effects that it is about.
    ///
    /// A path is looked at as it is written and as its links lead: `ln -s /etc x` must not make `x/a` a
    /// file of the project. What a glob names is looked up if the answer depends on it.
    fn ask<T>(&self, step: &Envelope<'_>, with: impl Fn(Found, &Effects) -> T) -> T {
        let found = effects_of(step, &self.manifests, self.home.as_deref());
        let StepEffects { effects, around, .. } = &*found;
        let folders = folders_of(around, self.config.as_deref(), self.question.asks_project());
        if let Some(files) = &self.files {
            let effects = written::marked(effects, &**files, step);
            return with(self.question.find(&effects, &folders), &effects);
        }
        let (written, told) = self.find(effects, || found.real(), &folders);
        // Whether a glob names what is meant is told by the files that are there.
        if written.truth == Answer::Unknown
            && self.question.is_about_paths()
            && let Some(listed) = found.listed()
        {
            let (there, told) = self.find(&listed.effects, || listed.real.as_ref(), &folders);
            if there.truth != Answer::Unknown {
                return with(there, told);
            }
        }
        with(written, told)
    }

    /// Looks for the answer in some effects, and in the same with links resolved, if there are any.
    fn find<'e>(
        &self,
        effects: &'e Effects,
        real: impl FnOnce() -> Option<&'e Effects>,
        folders: &Folders,
    ) -> (Found, &'e Effects) {
        let written = self.question.find(effects, folders);
        if written.truth < Answer::True
            && self.question.is_about_paths()
            && let Some(real) = real()
        {
            let behind = self.question.find(real, &resolved(folders));
            if behind.truth > written.truth {
                return (behind, real);
            }
        }
        (written, effects)
    }
}

impl Condition for EffectCondition {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        self.ask(step, |found, _| match found.truth {
            Answer::False => Truth::False,
            Answer::Unknown => Truth::Unknown,
            Answer::True => Truth::True,
        })
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        self.ask(step, |found, effects| explained(&self.question, found, effects))
    }

    fn never_of_tool(&self, tool: &str) -> Option<String> {
        let found = self.manifests.of_tool(tool);
        let never =
            !found.is_empty() && !found.iter().any(|one| self.question.may_be_of(&one.does));
        never.then(|| format!("a call of `{tool}` never {}", self.question.deed()))
    }

    fn examples(&self) -> Vec<(&'static str, Value)> {
        self.question.examples()
    }

    fn means_commands(&self) -> bool {
        true
    }

    fn means_files(&self) -> bool {
        self.question.is_about_paths()
    }

    fn commands(&self, step: &Envelope<'_>) -> Vec<Command> {
        let shared = effects_of(step, &self.manifests, self.home.as_deref());
        let around = &shared.around;
        let folders = folders_of(around, self.config.as_deref(), self.question.asks_project());
        self.ask(step, |found, effects| {
            commands(
                &self.question,
                found,
                effects,
                At { folders: &folders, around, runs: &effects.runs },
            )
        })
    }

    fn subject(&self, step: &Envelope<'_>) -> Option<String> {
        self.ask(step, named)
    }

    fn sees_calls(&self) -> bool {
        self.files.is_some()
    }

    fn saw(&self, step: &Envelope<'_>) {
        if let Some(files) = &self.files {
            let found = effects_of(step, &self.manifests, self.home.as_deref());
            written::note(&found, &**files, step);
        }
    }

    fn doubts(&self) -> Vec<String> {
        self.question.doubts(self.key)
    }
}
