// The session with the server, and what the account keeps while the program runs.
extension Schema {
  static let session = """
    -- The session that can be resumed (XEP-0198 §5); one row or none.
    CREATE TABLE stream_session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The server's id of it.
      name TEXT NOT NULL,
      -- The full address that is bound to it.
      jid TEXT NOT NULL,
      -- The host and port that the server wants it resumed at; NULL: any.
      location TEXT,
      -- Stanzas received whose effect is committed, and stanzas sent, modulo 2^32.
      handled INTEGER NOT NULL,
      sent INTEGER NOT NULL
    ) STRICT;
    -- The last stanzas sent in it, without an acknowledgement.
    CREATE TABLE stream_stanza (
      -- Grows in the order of sending.
      id INTEGER PRIMARY KEY,
      stanza_id TEXT,
      -- The stanza, to send it again; NULL: it is only counted, or message has it.
      xml TEXT
    ) STRICT;

    -- Received stanzas that are no chat messages and change the account's state, as the server keeps them.
    CREATE TABLE command (
      -- Grows with time.
      row INTEGER PRIMARY KEY,
      -- The same on whatever way it arrives.
      id TEXT NOT NULL UNIQUE,
      -- One of AccountEvent.EventKind.
      kind TEXT NOT NULL,
      -- NULL: the account itself.
      sender TEXT,
      -- As XML; '' once it is settled.
      stanza TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      -- Whether it was applied or skipped.
      is_settled INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX command_pending ON command (is_settled) WHERE is_settled = 0;
    """
}
