// Doubles and fixtures that several suites share.
