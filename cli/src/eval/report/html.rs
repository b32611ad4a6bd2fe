//! The report as one page that needs nothing else: no font, no network.
//!
//! Steps and reasons come from models, so the page must not trust them: the template escapes every
//! text (its name ends in `.html`, which turns that on), only the style sheet, the script and the plots are
//! inserted as they are, and a `Content-Security-Policy` forbids the page to load anything, or to run
//! another script than this one, which sorts and filters the cases. Without scripts all of them are shown.

use data_encoding::BASE64;
use hmac_sha256::Hash;
use hookgate::contract::visible;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use super::rows::{heading, metric_rows, millis, number, verdict};
use super::{REASON, svg};
use crate::eval::assessment::Assessment;
use crate::eval::gold::GoldSample;
use crate::eval::label::Label;
use crate::eval::thresholds::ThresholdResult;
use crate::eval::trial::Trial;

/// The ending of its name is what turns escaping on.
const NAME: &str = "page.html";

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns the page.
pub(super) fn render(assessment: &Assessment) -> Result<String, minijinja::Error> {
    let metrics = assessment.metrics();
    let mut environment = Environment::new();
    environment.add_template(NAME, TEMPLATE)?;
    let run = assessment.run();
    let (state, verdict) = verdict(assessment.thresholds());
    let mut cases: Vec<Case<'_>> =
        assessment.steps().enumerate().filter_map(|(index, step)| case(index, step)).collect();
    // What has to be looked at comes first.
    cases.sort_by_key(|case| case.is_right);
    environment.get_template(NAME)?.render(Serde(Page {
        style: STYLE,
        script: SCRIPT,
        script_hash: BASE64.encode(&Hash::hash(SCRIPT.as_bytes())),
        heading: heading(metrics),
        state,
        verdict,
        made: made(assessment),
        rule: visible::in_place(&run.rule).into_owned(),
        metrics: metric_rows(metrics),
        thresholds: threshold_rows(assessment),
        confusion_plot: svg::confusion(metrics),
        kappa_plot: svg::kappa(metrics),
        latency_plot: svg::latency(&run.latencies_ms()),
        misjudged: cases.iter().filter(|case| !case.is_right).count(),
        cases,
        steps: metrics.steps,
    }))
}

/// Returns when, of what and by whom the figures were made.
fn made(assessment: &Assessment) -> Vec<(&'static str, String)> {
    let run = assessment.run();
    let models: Vec<_> = assessment.metrics().models.iter().map(String::as_str).collect();
    let replies = if run.replayed { "from a recording" } else { "of this run" };
    let rows = [
        ("date", assessment.date().to_owned()),
        ("hook", run.hook.clone()),
        ("config", run.config_hash.clone()),
        ("model", models.join(", ")),
        ("replies", replies.to_owned()),
    ];
    rows.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// What the template shows.
#[derive(Serialize)]
struct Page<'a> {
    style: &'static str,
    script: &'static str,
    script_hash: String,
    heading: String,
    /// `holds`, `fails`, or `open` without bounds.
    state: &'static str,
    verdict: String,
    made: Vec<(&'static str, String)>,
    rule: String,
    /// Name, value and meaning.
    metrics: Vec<(&'static str, String, &'static str)>,
    thresholds: Vec<ThresholdRow>,
    confusion_plot: String,
    kappa_plot: String,
    latency_plot: String,
    misjudged: usize,
    cases: Vec<Case<'a>>,
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

/// A labelled step, and what it came to.
#[derive(Serialize)]
struct Case<'a> {
    /// From 1, in the order of the gold set.
    number: usize,
    is_right: bool,
    is_stopped: bool,
    has_failed: bool,
    label: Label,
    outcomes: String,
    step: String,
    note: &'a str,
    reason: String,
    /// The time of the slowest repeat, to sort by, and as a person reads it.
    latency_us: u64,
    latency: String,
}

/// Returns a case; that of the first repeat that was wrong, if there is one.
fn case<'a>(index: usize, (gold, trials): (&'a GoldSample, &[Trial])) -> Option<Case<'a>> {
    let wrong = trials.iter().find(|trial| trial.label() != gold.label);
    let shown = wrong.or(trials.first())?;
    let failure = shown.reply.failure.map(|class| format!("failed: {class}"));
    let reason = failure.or_else(|| shown.reply.reason.clone()).unwrap_or_default();
    let latency_us = trials.iter().map(|trial| trial.reply.latency_us).max().unwrap_or_default();
    Some(Case {
        number: index + 1,
        is_right: wrong.is_none(),
        is_stopped: shown.label().stops(),
        has_failed: trials.iter().any(|trial| trial.reply.failure.is_some()),
        label: gold.label,
        outcomes: outcomes_of(trials),
        step: gold.sample.summary(),
        note: &gold.note,
        reason: visible::line(&reason, REASON),
        latency_us,
        latency: millis(Some(latency_us as f64 / 1000.0)),
    })
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
    use crate::eval::{
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
            rule: HOSTILE.to_owned(),
            repeats: 1,
            replayed: false,
            mismatch: None::<RecordingMismatch>,
            trials: vec![vec![Trial { outcome: hookgate::Outcome::Deny, reply }]],
        };
        let gold: GoldSet = [gold].into_iter().collect();
        let page = Assessment::new(&gold, run, &Thresholds::new()).to_html().unwrap();
        assert!(page.contains("&lt;script&gt;") && page.contains("{{ 1 }}"), "{page}");
        assert_eq!(page.matches("<script").count(), 1, "our own");
        // The control: the plots are markup.
        assert_eq!(page.matches("<svg").count(), 3);
    }
}
