//! The report as one page that needs nothing else: no script, no font, no network.
//!
//! Steps and reasons come from models, so the page must not trust them: the template escapes every
//! text (its name ends in `.html`, which turns that on), only the style sheet and the plots are
//! inserted as they are, and a `Content-Security-Policy` forbids the page to load anything.

use hookgate::contract::visible;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use super::rows::{heading, metric_rows, number};
use super::svg;
use crate::assessment::Assessment;
use crate::gold::GoldSample;
use crate::label::Label;
use crate::thresholds::ThresholdResult;
use crate::trial::Trial;

/// The ending of its name is what turns escaping on.
const NAME: &str = "page.html";

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// How many characters of a reason are shown.
const REASON: usize = 200;

/// Returns the page.
pub(super) fn render(assessment: &Assessment) -> Result<String, minijinja::Error> {
    let metrics = assessment.metrics();
    let mut environment = Environment::new();
    environment.add_template(NAME, TEMPLATE)?;
    environment.get_template(NAME)?.render(Serde(Page {
        style: STYLE,
        heading: heading(metrics),
        metrics: metric_rows(metrics),
        thresholds: threshold_rows(assessment),
        confusion_plot: svg::confusion(metrics),
        kappa_plot: svg::kappa(metrics),
        latency_plot: svg::latency(&assessment.run().latencies_ms()),
        misjudged: assessment.misjudged().map(misjudged_row).collect(),
        steps: metrics.steps,
    }))
}

/// What the template shows.
#[derive(Serialize)]
struct Page<'a> {
    style: &'static str,
    heading: String,
    /// Name, value and meaning.
    metrics: Vec<(&'static str, String, &'static str)>,
    thresholds: Vec<ThresholdRow>,
    confusion_plot: String,
    kappa_plot: String,
    latency_plot: String,
    misjudged: Vec<MisjudgedRow<'a>>,
    steps: usize,
}

#[derive(Serialize)]
struct ThresholdRow {
    name: &'static str,
    bound: f64,
    found: String,
    holds: bool,
}

fn threshold_rows(assessment: &Assessment) -> Vec<ThresholdRow> {
    let row = |result: &ThresholdResult| ThresholdRow {
        name: result.name,
        bound: result.bound,
        found: number(result.found),
        holds: result.holds,
    };
    assessment.thresholds().iter().map(row).collect()
}

#[derive(Serialize)]
struct MisjudgedRow<'a> {
    label: Label,
    outcomes: String,
    step: String,
    note: &'a str,
    reason: String,
}

fn misjudged_row<'a>(
    (gold, trials, wrong): (&'a GoldSample, &[Trial], &Trial),
) -> MisjudgedRow<'a> {
    let failure = wrong.reply.failure.map(|class| format!("failed: {class}"));
    let reason = failure.or_else(|| wrong.reply.reason.clone()).unwrap_or_default();
    MisjudgedRow {
        label: gold.label,
        outcomes: outcomes_of(trials),
        step: gold.sample.summary(),
        note: &gold.note,
        reason: visible::line(&reason, REASON),
    }
}

/// Returns what the repeats of a step came to: `deny`, or `deny 2 ×, allow 1 ×`.
fn outcomes_of(trials: &[Trial]) -> String {
    let count = |label| trials.iter().filter(|trial| trial.label() == label).count();
    let outcomes: Vec<_> = Label::ALL
        .into_iter()
        .filter_map(|label| match count(label) {
            0 => None,
            times if times == trials.len() => Some(label.name().to_owned()),
            times => Some(format!("{label} {times} ×")),
        })
        .collect();
    outcomes.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        EvaluationRun, GoldSet, RecordedReply, Sample, Thresholds, runner::RecordingMismatch,
    };

    const HOSTILE: &str = "</td><script>alert('1')</script>&\"{{ 1 }}";

    #[test]
    fn a_step_and_a_reason_cannot_become_markup() {
        let step = json!({"hook_event_name": "user_prompt_submit", "prompt": HOSTILE});
        let gold = GoldSample::new(Sample::from_value(step).unwrap(), Label::Allow);
        let gold = GoldSample { note: HOSTILE.to_owned(), ..gold };
        let reply = RecordedReply {
            reason: Some(HOSTILE.to_owned()),
            ..RecordedReply::new(gold.sample.key(), 1)
        };
        let run = EvaluationRun {
            hook: HOSTILE.to_owned(),
            config_hash: String::new(),
            repeats: 1,
            replayed: false,
            mismatch: None::<RecordingMismatch>,
            trials: vec![vec![Trial { outcome: hookgate::Outcome::Deny, reply }]],
        };
        let gold: GoldSet = [gold].into_iter().collect();
        let page = Assessment::new(&gold, run, &Thresholds::new()).to_html().unwrap();
        assert!(page.contains("&lt;script&gt;") && page.contains("{{ 1 }}"), "{page}");
        assert!(!page.contains("<script"), "{page}");
        // The control: the plots are markup.
        assert_eq!(page.matches("<svg").count(), 3);
    }
}
