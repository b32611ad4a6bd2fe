//! Nothing: this package only has a test. It is a package of its own because the programs in `cases/` are built
//! with what their package depends on, and that should be the engine alone.
