//! Reads every command of a file and says how long it takes and which programs are not those of its labels.
//!
//! `cargo run --release -p hookgate-effects --example shell_corpus -- FILE`

use std::hint::black_box;
use std::time::Instant;

use hookgate_effects::{Origin, Place, Run, Surroundings, shell};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which file?")?;
    let rows: Vec<serde_json::Value> = std::fs::read_to_string(file)?
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let around = Surroundings {
        cwd: Some("/home/test/project".to_owned()),
        home: Some("/home/test".to_owned()),
    };
    let (mut equal, mut complete, mut claimed, mut incomplete, mut lost) = (0, 0, 0, 0, 0);
    for row in &rows {
        let command = row["command"].as_str().unwrap_or_default();
        let reading = shell::read(command, &around);
        let programs: Vec<String> = reading
            .runs
            .iter()
            .filter(|run| run.origin == Origin::Text && run.place == Place::Local)
            .filter_map(Run::name)
            .collect();
        if row["complete"] == true {
            complete += 1;
            if serde_json::json!(programs) == row["programs"] {
                equal += 1;
            } else {
                println!("differs: {command:?}\n  label {}\n  read  {programs:?}", row["programs"]);
            }
            if !reading.complete {
                lost += 1;
                if std::env::args().any(|word| word == "-v") {
                    println!(
                        "unclear: {command:?} {:?}",
                        reading.unclear.iter().map(|unclear| &unclear.why).collect::<Vec<_>>()
                    );
                }
            }
        } else {
            incomplete += 1;
            if reading.complete {
                claimed += 1;
                println!("called complete: {command:?} {programs:?} {}", row["note"]);
            }
        }
    }
    println!(
        "{equal} of {complete} equal; {claimed} of {incomplete} wrongly complete; {lost} complete ones not known as such"
    );
    let mut times = Vec::new();
    for row in &rows {
        let command = row["command"].as_str().unwrap_or_default();
        let start = Instant::now();
        for _ in 0..20 {
            black_box(shell::read(black_box(command), &around));
        }
        times.push((start.elapsed() / 20, command));
    }
    times.sort();
    for (time, command) in times.iter().rev().take(5) {
        println!(
            "{time:?} for {} bytes: {}",
            command.len(),
            command.chars().take(100).collect::<String>()
        );
    }
    let mean = times.iter().map(|(time, _)| *time).sum::<std::time::Duration>()
        / u32::try_from(times.len())?;
    println!("mean {mean:?}, median {:?}", times.get(times.len() / 2).map(|(time, _)| time));
    Ok(())
}
