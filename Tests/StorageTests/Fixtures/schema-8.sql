-- What schema 8 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (8, '8 conversations marked as unread');
-- Whether the user marked the conversation as unread: the position of displayed_id does not make it read again.
ALTER TABLE read_state ADD COLUMN kept_unread INTEGER NOT NULL DEFAULT 0;
UPDATE read_state SET kept_unread = 1;
