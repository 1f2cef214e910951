// Values of the account that the program sets while it runs.
enum SettingsSchema {
  static let sql = """
    -- Settings of the account that change while the program runs.
    CREATE TABLE setting (
      key TEXT NOT NULL PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
