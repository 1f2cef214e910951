// Filled by this module's first tests.
