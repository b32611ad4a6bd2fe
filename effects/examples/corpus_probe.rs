//! Scratch.
use hookgate_effects::patterns::{Deed, Folders, HostPatterns, PathPatterns, RunPatterns, Truth};
use hookgate_effects::{Effects, Surroundings, programs::effects_of, shell};
use std::io::BufRead;
fn main() {
    let policy: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap())
            .unwrap();
    let list = |key: &str| {
        policy[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let runs: Vec<_> = list("runs")
        .iter()
        .map(|text| {
            let mut p = RunPatterns::default();
            for t in text.split(" ;; ") {
                p.add(t).unwrap_or_else(|e| panic!("{t}: {e}"));
            }
            (text.clone(), p)
        })
        .collect();
    let mut net = RunPatterns::default();
    net.add_table(&hookgate_effects::patterns::RunTable {
        code_from: vec![hookgate_effects::CodeFrom::Network, hookgate_effects::CodeFrom::Decoded],
        ..Default::default()
    })
    .unwrap();
    let paths = |key: &str| PathPatterns::parse(&list(key)).unwrap();
    let (reads, writes, deletes) = (paths("reads"), paths("writes"), paths("deletes"));
    let outside = PathPatterns::outside(&["$cwd", "$tmp"]).unwrap();
    let hosts = HostPatterns::parse(&list("connects")).unwrap();
    let folders = Folders {
        home: Some("/home/test".into()),
        cwd: Some("/home/test/work".into()),
        project: Some("/home/test/work".into()),
        config: None,
        tmp: vec!["/tmp".into()],
    };
    let around = Surroundings { cwd: folders.cwd.clone(), home: folders.home.clone() };
    let rows: Vec<serde_json::Value> = std::io::stdin()
        .lock()
        .lines()
        .map(|l| serde_json::from_str(&l.unwrap()).unwrap())
        .collect();
    if std::env::args().nth(2).is_some() {
        let commands: Vec<&str> = rows.iter().map(|r| r["command"].as_str().unwrap()).collect();
        for _ in 0..3 {
            let t = std::time::Instant::now();
            let readings: Vec<_> = commands.iter().map(|c| shell::read(c, &around)).collect();
            let a = t.elapsed();
            let t = std::time::Instant::now();
            for reading in &readings {
                let mut e = Effects::default();
                for (i, r) in reading.runs.iter().enumerate() {
                    effects_of(r, i, &around, &mut e);
                }
                std::hint::black_box(&e);
            }
            eprintln!(
                "read {:?} effects {:?} per command",
                a / commands.len() as u32,
                t.elapsed() / commands.len() as u32
            );
        }
        return;
    }
    for row in rows {
        let reading = shell::read(row["command"].as_str().unwrap(), &around);
        let mut e = Effects { runs: reading.runs, unclear: reading.unclear, ..Effects::default() };
        for i in 0..e.runs.len() {
            let run = e.runs[i].clone();
            effects_of(&run, i, &around, &mut e);
        }
        for loose in &reading.redirects {
            let run = hookgate_effects::Run {
                cwd: loose.cwd.clone(),
                place: loose.place,
                redirects: vec![loose.redirect.clone()],
                ..Default::default()
            };
            effects_of(&run, usize::MAX, &around, &mut e);
        }
        let mut all: Vec<(String, Truth)> =
            runs.iter().map(|(t, p)| (t.clone(), p.find(&e).truth)).collect();
        all.push(("code".into(), net.find(&e).truth));
        all.push(("reads".into(), reads.find(&e, Deed::Read, &folders).truth));
        all.push(("writes".into(), writes.find(&e, Deed::Write, &folders).truth));
        all.push(("deletes".into(), deletes.find(&e, Deed::Delete, &folders).truth));
        all.push(("del-outside".into(), outside.find(&e, Deed::Delete, &folders).truth));
        all.push(("connects".into(), hosts.find(&e).truth));
        let best = all.iter().map(|(_, t)| *t).max().unwrap();
        let by: Vec<&String> = all
            .iter()
            .filter(|(_, t)| *t == best && best != Truth::False)
            .map(|(n, _)| n)
            .take(2)
            .collect();
        println!(
            "{}",
            serde_json::json!({"id": row["id"], "t": format!("{best:?}"), "by": by, "category": row["category"], "dangerous": row["dangerous"], "command": row["command"], "why": e.unclear.first().map(|u| u.why.clone())})
        );
    }
}
