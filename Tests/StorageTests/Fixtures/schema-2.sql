-- What schema 2 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (2, '2 reactions counted as they come');
-- The reaction of each sender to a message, collected from the rows of message that have it as effect.
CREATE TABLE reaction (
  message INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  -- Whose: '' is the user, a tab and an occupant id (XEP-0421) an occupant, anything else an address.
  person TEXT NOT NULL,
  -- The address that sent it last.
  sender TEXT NOT NULL,
  -- With blanks between them; '': withdrawn.
  emoji TEXT NOT NULL,
  -- The time and the row of the sender's first reaction, by which senders are ordered, and of the last, which counts.
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
INSERT INTO reaction (message, person, sender, emoji, first_at, first_row, last_at, last_row) VALUES
  (5, 'juliet@example.org', 'juliet@example.org', '👍 ❤', 1700000002600000, 6, 1700000002600000, 6);
INSERT INTO reaction_total (id, message, emoji, shown, people) VALUES
  (1, 5, '👍', '👍', 1), (2, 5, '❤', '❤', 1);
