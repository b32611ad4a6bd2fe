//! Promise: the live page shows what is on, what was decided and what waits; it is for whoever has its URL alone, and a
//! person can answer a question there.

mod browser;
mod requests;
mod site;
