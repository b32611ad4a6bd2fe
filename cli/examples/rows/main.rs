//! Prints what hookgate must do, row by row, with the tests that show it.
//!
//! ```sh
//! cargo run -p hookgate-cli --example rows                # all rows, and whether their tests are there
//! cargo run -p hookgate-cli --example rows -- E7 E9       # these
//! cargo run -p hookgate-cli --example rows -- --run       # runs the tests as well
//! cargo run -p hookgate-cli --example rows -- --json      # a JSON object a line, as when it is piped
//! ```
//!
//! It ends with 1 if a row has nothing that shows it and is not said to be open, if a test is not there, or if one
//! fails.

mod rows;
mod runner;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, TableStyle};
use serde_json::json;

use rows::{Row, problems, read, root};
use runner::Outcome;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match print(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("rows: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table; returns whether all is well.
fn print(args: &[String]) -> Result<bool, String> {
    let (options, ids): (Vec<&String>, Vec<&String>) =
        args.iter().partition(|arg| arg.starts_with("--"));
    if let Some(option) =
        options.iter().find(|option| !["--run", "--json"].contains(&option.as_str()))
    {
        return Err(format!("no option is `{option}`; there are --run and --json"));
    }
    let root = root();
    let all = read(&root)?;
    let problems = problems(&root, &all);
    if let Some(id) = ids.iter().find(|id| !all.iter().any(|row| row.id == id.as_str())) {
        return Err(format!("there is no row `{id}`"));
    }
    let chosen: Vec<&Row> =
        all.iter().filter(|row| ids.is_empty() || ids.iter().any(|id| row.id == **id)).collect();
    let results = match options.iter().any(|option| *option == "--run") {
        true => runner::run(&root, &chosen)?,
        false => BTreeMap::new(),
    };
    let is_json = options.iter().any(|option| *option == "--json") || !io::stdout().is_terminal();
    let text = if is_json { lines(&root, &chosen, &results) } else { table(&chosen, &results) };
    io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    for problem in &problems {
        eprintln!("rows: {problem}");
    }
    let failed: Vec<&str> = results
        .iter()
        .filter(|(_, outcome)| matches!(outcome, Outcome::Failed | Outcome::NotRun))
        .map(|(test, _)| test.as_str())
        .collect();
    for test in &failed {
        eprintln!("rows: {test}: {}", results.get(*test).map_or("", |outcome| outcome.name()));
    }
    Ok(problems.is_empty() && failed.is_empty())
}

fn lines(root: &Path, rows: &[&Row], results: &BTreeMap<String, Outcome>) -> String {
    let line = |row: &&Row| {
        let shown_by: Vec<_> = row
            .shown_by
            .iter()
            .map(|proof| {
                json!({
                    "proof": proof,
                    "there": rows::missing(root, proof).is_none(),
                    "result": results.get(proof).map(|outcome| outcome.name()),
                })
            })
            .collect();
        let row = json!({
            "id": row.id, "feature": row.feature, "shown_by": shown_by, "open": row.open,
        });
        format!("{row}\n")
    };
    rows.iter().map(line).collect()
}

fn table(rows: &[&Row], results: &BTreeMap<String, Outcome>) -> String {
    let mut table = Table::new();
    table
        .load_style(TableStyle::new())
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["row", "what", "shown by", "open"]);
    for row in rows {
        let proof = |proof: &String| match results.get(proof) {
            Some(outcome) => format!("{proof}: {}", outcome.name()),
            None => proof.clone(),
        };
        let shown_by: Vec<String> = row.shown_by.iter().map(proof).collect();
        let open = row.open.clone().unwrap_or_default();
        table.add_row([row.id.clone(), row.feature.clone(), shown_by.join("\n"), open]);
    }
    format!("{table}\n")
}
