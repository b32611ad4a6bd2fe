//! The report as one page that needs nothing else: no script, no font, no network.

use std::fmt::Write as _;

use crate::evaluate::case::Case;
use crate::evaluate::figures::{self, Figures};
use crate::evaluate::gates::Gate;
use crate::evaluate::label::Label;
use crate::evaluate::session::Session;
use crate::evaluate::subject::Trial;
use crate::evaluate::{printed, svg};
use crate::text::one_line;

const STYLE: &str = include_str!("page.css");

/// How much of a reason is shown.
const REASON: usize = 200;

/// A step with all that is known about it.
pub(crate) struct Step<'a> {
    pub(crate) case: &'a Case,
    pub(crate) note: &'a str,
    pub(crate) label: Label,
    pub(crate) trials: &'a [Trial],
}

/// The page.
pub(crate) fn page(
    figures: &Figures,
    gates: &[Gate],
    steps: &[Step<'_>],
    session: &Session,
) -> String {
    let heading = escaped(&printed::heading(figures));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{heading}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{heading}</h1>\n\
         <p>Positive is what keeps a step from simply running: deny, halt and ask. \
         A failure counts as what the posture of the hook makes of it.</p>\n"
    );
    // Writing to a string does not fail.
    let _ = write_body(&mut out, figures, gates, steps, session);
    out.push_str("</body>\n</html>\n");
    out
}

fn write_body(
    out: &mut String,
    figures: &Figures,
    gates: &[Gate],
    steps: &[Step<'_>],
    session: &Session,
) -> std::fmt::Result {
    out.push_str("<table id=\"figures\">\n");
    for (name, value, meaning) in printed::rows(figures) {
        writeln!(
            out,
            "<tr><th>{name}</th><td class=\"value\">{}</td><td class=\"dim\">{meaning}</td></tr>",
            escaped(&value)
        )?;
    }
    out.push_str("</table>\n");
    if !gates.is_empty() {
        out.push_str("<h2>Bounds</h2>\n<table id=\"gates\">\n");
        for gate in gates {
            let word = if gate.holds { "holds" } else { "fails" };
            writeln!(
                out,
                "<tr><td class=\"{word}\">{word}</td><td>--{} {}</td><td>found {}</td></tr>",
                gate.gate,
                gate.bound,
                printed::number(gate.found)
            )?;
        }
        out.push_str("</table>\n");
    }
    writeln!(
        out,
        "<h2>Plots</h2>\n<div class=\"plots\">\n\
         <figure><h2>Label and outcome</h2>{}</figure>\n\
         <figure><h2>Agreement beyond chance</h2>{}<h2>Latency</h2>{}</figure>\n</div>",
        svg::confusion(figures),
        svg::kappa(figures),
        svg::latency(&figures::latencies(session))
    )?;
    misjudged(out, steps)
}

fn misjudged(out: &mut String, steps: &[Step<'_>]) -> std::fmt::Result {
    let wrong: Vec<_> = steps.iter().filter(|step| wrong(step).is_some()).collect();
    writeln!(out, "<h2>Misjudged: {} of {}</h2>", wrong.len(), steps.len())?;
    if wrong.is_empty() {
        return Ok(());
    }
    out.push_str(
        "<table id=\"misjudged\">\n<tr><th>label</th><th>came to</th><th>step</th>\
         <th>the label's reason</th><th>the judge's reason</th></tr>\n",
    );
    for step in wrong {
        let outcomes: Vec<_> = Label::ALL
            .into_iter()
            .filter_map(|label| {
                let came = |trial: &&Trial| Label::from(trial.outcome) == label;
                match step.trials.iter().filter(came).count() {
                    0 => None,
                    times if times == step.trials.len() => Some(label.name().to_owned()),
                    times => Some(format!("{} {times} ×", label.name())),
                }
            })
            .collect();
        let said = self::wrong(step).map_or_else(String::new, |trial| {
            let failure = trial.entry.failure.map(|class| format!("failed: {class}"));
            failure.or_else(|| trial.entry.reason.clone()).unwrap_or_default()
        });
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td class=\"dim\">{}</td>\
             <td class=\"dim\">{}</td></tr>",
            step.label.name(),
            outcomes.join(", "),
            escaped(&step.case.shown()),
            escaped(step.note),
            escaped(&one_line(&said, REASON))
        )?;
    }
    out.push_str("</table>\n");
    Ok(())
}

/// The first trial that came to something other than the label.
fn wrong<'a>(step: &Step<'a>) -> Option<&'a Trial> {
    step.trials.iter().find(|trial| Label::from(trial.outcome) != step.label)
}

/// Text that cannot become markup: it comes from models.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_step_cannot_become_markup() {
        let text = super::escaped("</td><script>alert('1')</script>&\"");
        assert!(!text.contains(['<', '>', '"', '\'']), "{text}");
    }
}
