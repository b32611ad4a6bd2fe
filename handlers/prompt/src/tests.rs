//! Tests of promises that several files keep together.

mod echo;
mod network;
mod parser;
mod runtime;
mod settings;
