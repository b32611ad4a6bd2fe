//! defect.
