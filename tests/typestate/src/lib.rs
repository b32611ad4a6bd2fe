//! Nothing: this package only has a test. It stands apart because the programs in `cases/` are built
//! with what their package depends on, and that should be the engine alone.
