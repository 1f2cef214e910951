// What is done to contacts and to the block list, and what rooms tell of themselves.
extension Schema {
  static let contactChanges = """
    -- When the lists of people were last known to be as the server has them; NULL: never.
    ALTER TABLE roster ADD COLUMN confirmed_at INTEGER;
    ALTER TABLE roster ADD COLUMN blocked_confirmed_at INTEGER;

    -- What the person did to contacts and to the block list, and the server has not.
    CREATE TABLE contact_change (
      -- Grows with time, and is never used again.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      jid TEXT NOT NULL,
      -- What of him it is about; and what is wanted, with its arguments.
      subject TEXT NOT NULL,
      wish TEXT NOT NULL,
      text TEXT,
      detail TEXT,
      -- Why the server did not take it; NULL: it waits for a connection.
      refusal TEXT,
      UNIQUE (jid, subject)
    ) STRICT;

    -- What else of the own profile the server has not heard of; one row or none.
    CREATE TABLE profile_wish (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Who may read it; NULL: nothing is to be told of that.
      visibility TEXT,
      -- What is to be done about the picture; NULL: nothing.
      picture TEXT CHECK (picture IN ('show', 'hide')),
      -- Of the picture to show: its SHA-1, its bytes in Base64, and what is told of it.
      picture_id TEXT,
      data TEXT,
      media_type TEXT,
      byte_count INTEGER,
      width INTEGER,
      height INTEGER
    ) STRICT;
    """

  static let roomCards = """
    -- What its owner wrote about the room; '': nothing.
    ALTER TABLE room ADD COLUMN about TEXT NOT NULL DEFAULT '';
    -- The SHA-1 of its picture; NULL: it has none, as far as anybody knows.
    ALTER TABLE room ADD COLUMN picture_id TEXT;
    """
}
