// The list of conversations, and how far each was read.
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

  static let readState = """
    -- Receipts (XEP-0184) that are still to be sent.
    CREATE TABLE receipt_due (
      -- The full address that asked for it.
      sender TEXT NOT NULL,
      -- The id of its message.
      id TEXT NOT NULL,
      PRIMARY KEY (sender, id)
    ) STRICT, WITHOUT ROWID;

    -- Markers and read positions, also those still to be sent. A row may exist before its conversation.
    CREATE TABLE read_state (
      -- The bare address.
      conversation TEXT NOT NULL PRIMARY KEY,
      -- The id of the newest unread message whose sender asks for a marker (XEP-0333); NULL: none does.
      markable_id TEXT,
      -- The id of the message that a marker is to be sent for; NULL: none.
      marker_due TEXT,
      -- The archive's id of the newest message that was read, here or in another client (XEP-0490); NULL: not known.
      displayed_id TEXT,
      -- Whether the server has displayed_id, for the account's other clients.
      is_published INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX read_state_due ON read_state (conversation)
      WHERE marker_due IS NOT NULL OR is_published = 0;
    """
}
