//! What goes through several files.

mod echo;
mod parser;
mod settings;
