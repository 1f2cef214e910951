import CSQLite

extension DatabaseConnection {
  /// The longest row of another program's database that is read, in bytes: SQLite has all of it in
  /// memory, and may have rows of a gigabyte. Beyond it, a query fails with `isTooLong`.
  package static let foreignRowLimit: Int32 = 8 << 20

  /// Opens a database of another program for reading. It is not trusted: neither its schema nor the
  /// structure of its file.
  ///
  /// - Parameter isCopy: `false`: the original file, read as one that does not change: no lock is
  ///   taken and no file is created, so a log beside it is not read. `true`: a private copy; its
  ///   log is read, or rolled back, and its files can be removed once this returns.
  /// - Throws: `SQLiteError`; `.damaged` for a file that is no database.
  package static func openForeign(
    _ path: String, isCopy: Bool
  ) throws(SQLiteError) -> DatabaseConnection {
    let connection =
      isCopy
      ? try DatabaseConnection(path: path, flags: SQLITE_OPEN_READWRITE)
      : try DatabaseConnection(
        path: DatabaseOpening.unchanging(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, foreignRowLimit)
    natter_sqlite_set_option(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    natter_sqlite_set_option(connection.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    natter_sqlite_set_option(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    // In exclusive mode, the index of the log is in memory instead of a third file. The query reads
    // the schema, and with it the log.
    try connection.runScript(
      """
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA query_only = ON;
      PRAGMA cell_size_check = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -8192;
      SELECT count(*) FROM sqlite_master;
      """)
    connection.isReading = true
    return connection
  }
}

extension SQLiteError {
  /// Indicates that a row or a value is longer than the connection's limit.
  package var isTooLong: Bool { code == SQLITE_TOOBIG }
}
