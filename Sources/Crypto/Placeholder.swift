// Filled by this module's first commit.
