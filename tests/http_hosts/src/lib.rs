//! Nothing: the test is the program.
