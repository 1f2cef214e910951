-- What schema 7 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (7, '7 search');
UPDATE message SET file_name = NULL WHERE file_address IS NULL AND file_name IS NOT NULL;
CREATE TRIGGER message_file_name_gone AFTER UPDATE OF file_address ON message
  WHEN new.file_address IS NULL AND new.file_name IS NOT NULL BEGIN
  UPDATE message SET file_name = NULL WHERE id = new.id;
END;
DROP TRIGGER message_deleted;
DROP TRIGGER message_rewritten;
DROP TABLE message_text;
CREATE VIRTUAL TABLE message_text USING fts5 (
  body, file_name, content = 'message', content_rowid = 'id', tokenize = 'natter');
CREATE TABLE search_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  missing_up_to INTEGER NOT NULL,
  needs_merge INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO search_progress (id, missing_up_to) SELECT 1, COALESCE(MAX(id), 0) FROM message;
CREATE TRIGGER message_deleted AFTER DELETE ON message
  WHEN EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
  INSERT INTO message_text (message_text, rowid, body, file_name)
    VALUES ('delete', old.id, old.body, old.file_name);
  UPDATE search_progress SET needs_merge = 1
    WHERE needs_merge = 0 AND (old.body <> '' OR old.file_name IS NOT NULL);
END;
CREATE TRIGGER message_rewritten AFTER UPDATE OF body, file_name ON message
  WHEN (new.body <> old.body OR new.file_name IS NOT old.file_name)
    AND EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
  INSERT INTO message_text (message_text, rowid, body, file_name)
    VALUES ('delete', old.id, old.body, old.file_name);
  INSERT INTO message_text (rowid, body, file_name) VALUES (new.id, new.body, new.file_name);
END;
CREATE TRIGGER message_text_retracted AFTER UPDATE OF retraction ON message
  WHEN new.retraction IS NOT NULL AND old.retraction IS NULL BEGIN
  UPDATE search_progress SET needs_merge = 1 WHERE needs_merge = 0;
END;
CREATE INDEX message_time ON message (sent_at) WHERE corrects IS NULL AND retraction IS NULL;
CREATE INDEX message_place ON message (id, sent_at, conversation)
  WHERE corrects IS NULL AND retraction IS NULL;
CREATE INDEX message_link ON message (sent_at)
  WHERE corrects IS NULL AND retraction IS NULL AND instr(body, '://') > 0;
INSERT INTO message_text (rowid, body, file_name)
  SELECT id, body, file_name FROM message WHERE id > 3 ORDER BY id;
UPDATE search_progress SET missing_up_to = 3, needs_merge = 1;
