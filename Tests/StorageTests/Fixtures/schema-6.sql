-- What schema 6 adds to the files before it, with something in each table. Never changed: later schemas are tested against it.
INSERT INTO schema_migration VALUES (6, '6 protocol state');
INSERT INTO pending_change (kind, subject, payload)
  SELECT 'bookmark', jid, json_object('room', jid) FROM room WHERE is_changed <> 0 ORDER BY jid;
INSERT INTO pending_change (kind, subject, payload)
  SELECT 'notifications', jid, json_object('room', jid, 'setting', nullif(notification_wish, '')) FROM room
    WHERE notification_wish IS NOT NULL ORDER BY jid;
CREATE TABLE room_without_change (
  jid TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  nick TEXT,
  password TEXT,
  autojoin INTEGER NOT NULL DEFAULT 0,
  is_published INTEGER NOT NULL DEFAULT 0,
  is_wanted INTEGER NOT NULL DEFAULT 0,
  subject TEXT NOT NULL DEFAULT '',
  about TEXT NOT NULL DEFAULT '',
  picture_id TEXT,
  is_archive_refused INTEGER NOT NULL DEFAULT 0,
  exit_cause TEXT,
  exit_actor TEXT,
  exit_reason TEXT,
  exit_alternative TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO room_without_change
  SELECT jid, name, nick, password, autojoin, is_published, is_wanted, subject, about, picture_id,
    instr(char(10) || coalesce((SELECT value FROM setting WHERE key = 'rooms.refusing'), '') || char(10),
      char(10) || jid || char(10)) > 0,
    exit_cause, exit_actor, exit_reason, exit_alternative FROM room;
DELETE FROM setting WHERE key = 'rooms.refusing';
DROP TABLE room;
ALTER TABLE room_without_change RENAME TO room;
CREATE TABLE suspect_message (
  message INTEGER NOT NULL PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE
) STRICT;
INSERT INTO suspect_message
  SELECT id FROM message WHERE delivery = 'queued' AND instr(
    (SELECT char(10) || value || char(10) FROM setting WHERE key = 'outbox.suspects'),
    char(10) || origin_id || char(10)) > 0;
DELETE FROM setting WHERE key = 'outbox.suspects';
INSERT INTO pending_change (kind, subject, payload, state, refusal) VALUES
  ('bookmark', 'balcony@rooms.example.org', '{"room":"balcony@rooms.example.org"}', 'refused', '{"arguments":{"text":"no"},"key":"stanza.forbidden"}'),
  ('notifications', 'balcony@rooms.example.org', '{"room":"balcony@rooms.example.org","setting":"on-mention"}', 'refused', '{"arguments":{"text":"no"},"key":"stanza.forbidden"}');
UPDATE room SET is_archive_refused = 1 WHERE jid = 'balcony@rooms.example.org';
INSERT INTO suspect_message (message) VALUES
  (4);
