// The histories of other programs.
enum ImportSchema {
  static let sql = """
    -- The imports of histories of other programs that can be undone.
    CREATE TABLE import_batch (
      -- Never used again: the user names it.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      -- The name of the history's format.
      format TEXT NOT NULL,
      -- The file or folder.
      path TEXT NOT NULL,
      -- When it was made.
      at INTEGER NOT NULL,
      -- The messages that it added.
      rows INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    -- The import that added the message; NULL: none did, or the server's archive has brought it since.
    ALTER TABLE message ADD COLUMN import_batch INTEGER;
    CREATE INDEX message_import ON message (import_batch) WHERE import_batch IS NOT NULL;
    -- The import that created the conversation; NULL: none did.
    ALTER TABLE conversation ADD COLUMN import_batch INTEGER;
    """
}
