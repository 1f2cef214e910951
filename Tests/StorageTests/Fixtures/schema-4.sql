-- What schema 4 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (4, '4 positions');
ALTER TABLE message ADD COLUMN placed_at INTEGER;
ALTER TABLE message ADD COLUMN position INTEGER
  GENERATED ALWAYS AS (COALESCE(placed_at, sent_at)) VIRTUAL;
CREATE TRIGGER message_sent_once BEFORE UPDATE OF sent_at ON message
  WHEN new.sent_at <> old.sent_at BEGIN
  SELECT RAISE(ABORT, 'the time of sending of a message cannot be changed');
END;
DROP INDEX message_page;
CREATE INDEX message_page ON message (conversation, position);
DROP INDEX message_to_be_read;
CREATE INDEX message_to_be_read ON message (conversation, position)
  WHERE delivery IN ('sent', 'delivered');
DROP INDEX message_corrects;
CREATE INDEX message_corrects ON message (corrects, effect, position)
  WHERE corrects IS NOT NULL;
DROP INDEX message_file;
CREATE INDEX message_file ON message (conversation, position) WHERE file_address IS NOT NULL;
DROP INDEX message_file_time;
CREATE INDEX message_file_time ON message (position) WHERE file_address IS NOT NULL;
CREATE INDEX message_unnamed ON message (conversation, sent_at)
  WHERE origin_id IS NULL AND stanza_id IS NULL;
