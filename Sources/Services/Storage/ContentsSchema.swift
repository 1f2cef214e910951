// Messages whose text is not what was said: encrypted ones, unknown ones, and calls.
enum ContentsSchema {
  static let sql = """
    -- What the message is where body is not what was said; NULL: it is.
    ALTER TABLE message ADD COLUMN content TEXT CHECK (content IN ('encrypted', 'unknown', 'call'));
    -- Of an encrypted one the namespace of the encryption, and behind a tab the sender's name for it; of an unknown one the
    -- namespace; of a call what became of it. NULL with content.
    ALTER TABLE message ADD COLUMN content_detail TEXT;
    -- Of an encrypted or unknown one a hash of what is in it: another one may have its id.
    ALTER TABLE message ADD COLUMN content_print TEXT;
    CREATE INDEX message_call ON message (origin_id) WHERE content = 'call';

    -- The stanzas of messages that could not be read, for a version that can.
    CREATE TABLE message_source (
      -- Grows with time: the oldest go first.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      message INTEGER NOT NULL UNIQUE REFERENCES message (id) ON DELETE CASCADE,
      stanza TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER message_source_gone AFTER UPDATE OF retraction ON message
      WHEN new.retraction IS NOT NULL BEGIN
      DELETE FROM message_source WHERE message = new.id;
    END;

    -- How calls ended (XEP-0353), also those that are not known yet.
    CREATE TABLE call_end (
      -- Grows with time: the oldest go first.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      call TEXT NOT NULL,
      -- The address that called; '': another client of the account has answered it.
      caller TEXT NOT NULL,
      ended TEXT NOT NULL CHECK (ended IN ('missed', 'answered', 'declined'))
    ) STRICT;
    CREATE UNIQUE INDEX call_end_call ON call_end (call, caller);
    """
}
