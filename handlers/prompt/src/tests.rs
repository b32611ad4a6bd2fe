//! What goes through several files.

mod echo;
mod network;
mod parser;
mod settings;
