//! What goes through several files.

mod echo;
mod network;
mod parser;
mod runtime;
mod settings;
