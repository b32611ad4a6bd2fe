//! Laws: what must hold for every input, compared with naive models and tried with random ones.

mod contributions;
mod edits;
mod envelope_roundtrip;
mod fast_path;
mod gates;
mod layers;
mod matcher;
mod numbers;
mod quarantine;
mod verdicts;
mod what_runs;
