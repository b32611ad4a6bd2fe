//! What the runtime around the agent does.

payload! {
    /// The limit of iterations is reached.
    #[derive(Eq)]
    struct MaxIterations {
        /// The limit.
        max_iterations: u64,
    }
}

payload! {
    /// The user is told something.
    #[derive(Eq)]
    struct Notification {
        /// How grave it is: info, warning, error.
        optional level: String,
        /// The text.
        message: String,
        /// A heading.
        optional title: String,
        /// What it is about.
        optional notification_type: String,
    }
}

payload! {
    /// A configuration is about to change.
    #[derive(Eq)]
    struct ConfigChange {
        /// Which one: user, project, policy, …
        source: String,
        /// Its file.
        optional file_path: String,
    }
}

payload! {
    /// A work tree is about to be created.
    #[derive(Eq)]
    struct WorktreeCreate {
        /// Where.
        path: String,
        /// On which branch.
        optional branch: String,
        /// Of which repository.
        optional source_dir: String,
    }
}
