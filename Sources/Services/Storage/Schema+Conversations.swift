// The list of conversations.
extension Schema {
  static let conversations = """
    CREATE TABLE conversation (
      id INTEGER PRIMARY KEY,
      -- The bare address of the contact or room; an occupant's full address for private messages (XEP-0045 §7.5).
      jid TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL CHECK (kind IN ('direct', 'room')),
      -- The user's name for it; NULL: the contact's name or the address.
      name TEXT,
      -- Unread messages.
      unread INTEGER NOT NULL DEFAULT 0 CHECK (unread >= 0),
      -- Unread messages that mention the user.
      mentions INTEGER NOT NULL DEFAULT 0 CHECK (mentions >= 0),
      -- The position of the first unread message, and its id. Both or neither.
      first_unread_at INTEGER,
      first_unread_id INTEGER,
      -- The position of the newest message; NULL: there is none.
      last_activity INTEGER,
      -- Text that was typed and not sent; '': none.
      draft TEXT NOT NULL DEFAULT '',
      -- Whether the user removed it from the list; the next message brings it back.
      is_hidden INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    -- Sent inputs, for the history of the input line.
    CREATE TABLE input_history (
      -- Grows with time.
      id INTEGER PRIMARY KEY,
      conversation INTEGER NOT NULL REFERENCES conversation (id),
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX input_history_page ON input_history (conversation, id);
    """
}
