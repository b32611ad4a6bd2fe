//! A decision of the engine about a context, and of the approver if the engine asks.

use hookgate::{Outcome, Report};
use serde_json::{Map, Value};

use super::Host;
use crate::approval::Consultation;
use crate::composition::{Combined, Said, combined, said, united};
use crate::context::AgentContext;
use crate::decide::Decide;
use crate::profile::EnforcementMode;
use crate::record::ResolvedBy;
use crate::reserved::Reserved;
use crate::step::{context_after, envelope_of};
use crate::target_path::{TargetError, TargetPath};
use crate::verdict::InterceptorVerdict;

/// How often an approver is asked about one step, if tables are swapped meanwhile.
const ROUNDS: usize = 3;

/// What came of a step that the engine has decided about.
pub(super) struct Settled {
    pub(super) combined: Combined,
    pub(super) said: Vec<Said>,
    /// The context with all changes.
    pub(super) context: AgentContext,
    pub(super) resolved_by: Option<ResolvedBy>,
    pub(super) report: Report,
    /// Whether the action goes on, were it for the engine alone.
    pub(super) allowed: bool,
}

impl<D: Decide> Host<D> {
    /// Has the engine decide about a context, and asks the approver if it asks.
    pub(super) async fn decide(&self, context: &AgentContext) -> Result<Settled, String> {
        for _ in 0..ROUNDS {
            let mut settled = self.evaluate(context.clone()).await?;
            if settled.report.decision != Outcome::Ask || self.mode == EnforcementMode::EvaluateOnly
            {
                return Ok(settled);
            }
            let deny = settled.combined.verdict.clone();
            let consultation =
                self.approvals.consult(&settled.context, &deny, &self.identity).await;
            match consultation {
                Consultation::Nobody => return Ok(settled),
                Consultation::Refused(verdict) => {
                    settled.combined.verdict = united(verdict, &settled.said);
                    settled.resolved_by = Some(ResolvedBy::Rejection);
                    return Ok(settled);
                }
                // An approval is one of the table that asked.
                Consultation::Approved(_) if !self.decider.holds(&settled.report) => {}
                Consultation::Approved(verdict) => {
                    settled.resolved_by = Some(ResolvedBy::Approval);
                    return self.approved(settled, verdict).await;
                }
            }
        }
        Err("the table was swapped while the approver was asked, again and again".to_owned())
    }

    /// Lifts a deny. What the approver has changed is judged once more: what was judged is what runs.
    async fn approved(
        &self,
        mut settled: Settled,
        verdict: InterceptorVerdict,
    ) -> Result<Settled, String> {
        let Some(change) = verdict.transform.clone() else {
            settled.combined.verdict = united(verdict, &settled.said);
            settled.allowed = true;
            return Ok(settled);
        };
        let value = change.value.unwrap_or_default();
        let edited = TargetPath::parse(&change.path)
            .and_then(|path| settled.context.clone().transform(&path, value));
        let edited = match edited {
            Ok(edited) => edited,
            Err(error) => {
                settled.combined = refused_edit(error);
                return Ok(settled);
            }
        };
        let judged = self.evaluate(edited).await?;
        settled.context = judged.context;
        // The approver has seen what they wrote: another question about it is answered.
        if judged.allowed || judged.report.decision == Outcome::Ask {
            settled.combined.verdict = united(verdict, &settled.said);
            settled.allowed = true;
        } else {
            settled.combined = judged.combined;
        }
        Ok(settled)
    }

    /// Has the engine decide about a context.
    async fn evaluate(&self, context: AgentContext) -> Result<Settled, String> {
        let envelope = envelope_of(&context);
        let report = self.decider.decide(envelope.clone()).await;
        let report = report.map_err(|error| error.to_string())?;
        let said = said(&report, &self.names);
        let combined = combined(&report, &said, &self.names, self.profile, self.mode);
        let allowed = report.decision == Outcome::Allow;
        let context = if is_unchanged(&envelope, &report) {
            context
        } else {
            context_after(envelope, &report.final_fields).map_err(|error| error.to_string())?
        };
        Ok(Settled { combined, said, context, resolved_by: None, report, allowed })
    }
}

/// Whether no hook has changed the step.
fn is_unchanged(envelope: &Map<String, Value>, report: &Report) -> bool {
    report.final_fields.iter().all(|(name, value)| envelope.get(name) == Some(value))
}

/// The verdict about an approval whose change cannot be made.
fn refused_edit(error: TargetError) -> Combined {
    let verdict = InterceptorVerdict::reserved(Reserved::from(error), None);
    Combined { verdict, decided_by: None }
}
