//! The reason of a deny, an ask or a halt: a fixed text, or a template.
//!
//! A template knows the fields of the envelope and `effect`: what of the step made the conditions of
//! the hook hold. A decision must not get lost because of its reason, so a field that the step does
//! not have is empty, and a template that cannot be rendered stands as it was written.

use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::template::{Template, is_template};
use hookgate_contract::{BuildContext, Invocation, Verdict};
use minijinja::value::Value;

use crate::char_boundary::at_or_before;
use crate::error::BuiltinError;
use crate::settings::required_prose;

/// What made the conditions of the hook hold.
pub(crate) const EFFECT: &str = "effect";

/// The longest reason that a template makes, in bytes: a command may have any length.
const LONGEST: usize = 4 * 1024;

/// A verdict whose reason is a fixed text or a template.
#[derive(Debug, Clone)]
pub(crate) struct Reasoned {
    verdict: Verdict,
    template: Option<Arc<Template>>,
}

impl Reasoned {
    /// Keeps a verdict with a fixed reason.
    pub(crate) const fn fixed(verdict: Verdict) -> Self {
        Self { verdict, template: None }
    }

    /// Compiles the reason of a verdict.
    pub(crate) fn template(
        source: &str,
        decide: fn(String) -> Verdict,
    ) -> Result<Self, BuiltinError> {
        let template = Arc::new(Template::lenient(source)?);
        Ok(Self { verdict: decide(source.to_owned()), template: Some(template) })
    }

    /// Reads the setting `reason`, which must be there: a text, or a template if it has a `{{`.
    pub(crate) fn required(
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
        decide: fn(String) -> Verdict,
    ) -> Option<Self> {
        let source = required_prose(settings, "reason")?;
        Self::read(settings, context, source, &[], decide)
    }

    /// Makes a text of the setting `reason` into a verdict. The template may use `more` names.
    pub(crate) fn read(
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
        source: &str,
        more: &[&str],
        decide: fn(String) -> Verdict,
    ) -> Option<Self> {
        if !is_template(source) {
            return Some(Self::fixed(decide(source.to_owned())));
        }
        let reasoned = Self::template(source, decide).and_then(|reasoned| {
            let more = [more, &[EFFECT]].concat();
            let template = reasoned.template.as_ref();
            template.map_or(Ok(()), |template| template.check_names(context.events, &more))?;
            Ok(reasoned)
        });
        reasoned.map_err(|error| settings.invalid("reason", error.to_string())).ok()
    }

    /// Changes what the verdict has beside its reason.
    pub(crate) fn map(self, change: impl FnOnce(Verdict) -> Verdict) -> Self {
        Self { verdict: change(self.verdict), ..self }
    }

    /// Returns the verdict for a step.
    pub(crate) fn verdict(&self, invocation: Invocation<'_>) -> Verdict {
        self.verdict_with(invocation, [])
    }

    /// Returns the verdict for a step, with more names for the template.
    pub(crate) fn verdict_with<const N: usize>(
        &self,
        invocation: Invocation<'_>,
        more: [(&'static str, Value); N],
    ) -> Verdict {
        let mut verdict = self.verdict.clone();
        let Some(template) = &self.template else { return verdict };
        let effect = invocation.subject().unwrap_or_else(|| whole_step(&invocation));
        let more = more.into_iter().chain([(EFFECT, Value::from(effect))]);
        let rendered = template.render_with(invocation, Value::from_pairs(more));
        if let Some(parts) = verdict.parts_mut() {
            match rendered {
                Ok(text) if !text.trim().is_empty() => parts.reason = Some(cut(text)),
                Ok(_) => parts.note = Some("the reason was rendered to nothing".into()),
                Err(failure) => parts.note = Some(failure.detail.into_owned()),
            }
        }
        verdict
    }
}

/// What stands for the effect if no condition names one.
fn whole_step(invocation: &Invocation<'_>) -> String {
    match invocation.tool() {
        Some(call) => format!("this call of `{}`", call.tool_name),
        None => "this step".to_owned(),
    }
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        text.truncate(at_or_before(&text, LONGEST));
        text.push('…');
    }
    text
}
