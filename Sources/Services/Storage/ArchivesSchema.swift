// The stored parts of archives.
enum ArchivesSchema {
  static let sql = """
    -- Ranges of archives (XEP-0313) of which every message is stored, both ends included. Between two ranges of an archive is a
    -- gap.
    CREATE TABLE archive_range (
      id INTEGER PRIMARY KEY,
      -- The owner of the archive: the bare address of the account or of a room.
      archive TEXT NOT NULL,
      -- The conversation that it is about; '': the whole archive.
      peer TEXT NOT NULL DEFAULT '',
      -- The archive's ids of the first and last message; '': the beginning of an archive that was empty.
      start_id TEXT NOT NULL,
      end_id TEXT NOT NULL,
      -- The positions of the first, and of the last or later.
      start_at INTEGER NOT NULL,
      end_at INTEGER NOT NULL,
      -- Whether the archive has nothing before it.
      reaches_beginning INTEGER NOT NULL DEFAULT 0,
      -- The archive's id of the last remote message in it, or of a local one where all are local; NULL: not known.
      anchor_id TEXT
    ) STRICT;
    CREATE INDEX archive_range_place ON archive_range (archive, peer, end_at);

    -- Copies of refused messages in archives: some servers archive a message before they refuse it, so a copy is no sign that
    -- a later attempt arrived.
    CREATE TABLE refused_copy (
      message INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
      -- The archive's id of the copy; NULL: any copy, until the archive is searched before the message is sent again.
      stanza_id TEXT,
      UNIQUE (message, stanza_id)
    ) STRICT;
    """
}
