-- What schema 3 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (3, '3 contents');
ALTER TABLE message ADD COLUMN content TEXT CHECK (content IN ('encrypted', 'unknown', 'call'));
ALTER TABLE message ADD COLUMN content_detail TEXT;
ALTER TABLE message ADD COLUMN content_print TEXT;
CREATE INDEX message_call ON message (origin_id) WHERE content = 'call';

CREATE TABLE message_source (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message INTEGER NOT NULL UNIQUE REFERENCES message (id) ON DELETE CASCADE,
  stanza TEXT NOT NULL
) STRICT;
CREATE TRIGGER message_source_gone AFTER UPDATE OF retraction ON message
  WHEN new.retraction IS NOT NULL BEGIN
  DELETE FROM message_source WHERE message = new.id;
END;

CREATE TABLE call_end (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  call TEXT NOT NULL,
  caller TEXT NOT NULL,
  ended TEXT NOT NULL CHECK (ended IN ('missed', 'answered', 'declined'))
) STRICT;
CREATE UNIQUE INDEX call_end_call ON call_end (call, caller);
INSERT INTO message_source (id, message, stanza) VALUES
  (1, 3, '<message/>');
INSERT INTO call_end (id, call, caller, ended) VALUES
  (1, 'c1', 'juliet@example.org', 'missed');
