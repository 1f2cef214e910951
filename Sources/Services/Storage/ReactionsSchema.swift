// Reactions counted as they come, and changes of a message found without reading all of them.
enum ReactionsSchema {
  static let sql = """
    -- The reaction of each sender to a message, collected from the rows of message that have it as effect.
    CREATE TABLE reaction (
      message INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
      -- Whose: '' is the user, a tab and an occupant id (XEP-0421) an occupant, anything else an address.
      person TEXT NOT NULL,
      -- The address that sent it last.
      sender TEXT NOT NULL,
      -- With blanks between them; '': withdrawn.
      emoji TEXT NOT NULL,
      -- The position and the row of the sender's first reaction, by which senders are ordered, and of the last, which counts.
      first_at INTEGER NOT NULL,
      first_row INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      last_row INTEGER NOT NULL,
      PRIMARY KEY (message, person)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reaction_order ON reaction (message, first_at, first_row) WHERE emoji <> '';

    -- How many senders react to a message with each emoji.
    CREATE TABLE reaction_total (
      id INTEGER PRIMARY KEY,
      message INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
      -- Without variation selectors.
      emoji TEXT NOT NULL,
      -- As it was first sent.
      shown TEXT NOT NULL,
      people INTEGER NOT NULL,
      UNIQUE (message, emoji)
    ) STRICT;
    CREATE INDEX reaction_total_order ON reaction_total (message);

    -- The newest of the corrections or reactions of a message, and the newest messages that have one id.
    DROP INDEX message_corrects;
    CREATE INDEX message_corrects ON message (corrects, effect, sent_at) WHERE corrects IS NOT NULL;
    DROP INDEX message_origin_id;
    CREATE INDEX message_origin_id ON message (conversation, origin_id, effect)
      WHERE origin_id IS NOT NULL;
    """
}
