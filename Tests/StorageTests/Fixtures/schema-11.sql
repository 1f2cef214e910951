-- What schema 11 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (11, '11 senders');
-- The name of the script, or of the other program, that sent it for the user; NULL: the user
-- wrote it, or it is not known.
ALTER TABLE message ADD COLUMN sent_by TEXT;
