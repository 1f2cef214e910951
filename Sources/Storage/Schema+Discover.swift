// What Discover keeps.
extension Schema {
  static let publicRooms = """
    -- Places that list rooms for everybody (XEP-0045 §6.3, XEP-0433).
    CREATE TABLE room_directory (
      -- The address of the service.
      jid TEXT NOT NULL PRIMARY KEY,
      -- What it calls itself; NULL: nothing.
      name TEXT,
      kind TEXT NOT NULL CHECK (kind IN ('rooms', 'search')),
      -- Whether the person added it.
      is_added INTEGER NOT NULL,
      -- When its whole list was last read; NULL: never.
      read_at INTEGER
    ) STRICT, WITHOUT ROWID;

    -- What the directories listed, and what the rooms said of themselves.
    CREATE TABLE public_room (
      directory TEXT NOT NULL REFERENCES room_directory (jid) ON DELETE CASCADE,
      -- The bare address.
      jid TEXT NOT NULL,
      name TEXT NOT NULL,
      topic TEXT NOT NULL,
      -- How many are in it; NULL: not known.
      people INTEGER,
      -- The tag of the language that is spoken there; NULL: not known.
      language TEXT,
      -- What kind of room it is, word by word.
      traits TEXT NOT NULL,
      is_described INTEGER NOT NULL,
      PRIMARY KEY (directory, jid)
    ) STRICT, WITHOUT ROWID;
    """
}
