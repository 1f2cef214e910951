-- What schema 10 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (10, '10 threads');
-- The id of the thread that it belongs to (XEP-0201), as its sender gave it; NULL: none.
ALTER TABLE message ADD COLUMN thread_id TEXT;
-- The id of the thread that this one came from; NULL: none, as far as is known.
ALTER TABLE message ADD COLUMN thread_parent TEXT;
-- The messages of a thread.
CREATE INDEX message_thread ON message (conversation, thread_id, position)
  WHERE thread_id IS NOT NULL;
UPDATE message SET thread_id = 'e0ffe42b28561960', thread_parent = '9bf7e1a3' WHERE id = 1;
