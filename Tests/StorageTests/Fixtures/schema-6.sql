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
CREATE TABLE archive_search (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reached_id TEXT,
  reached_at INTEGER,
  CHECK ((reached_id IS NULL) = (reached_at IS NULL))
) STRICT;
INSERT INTO archive_search (id) SELECT 1 FROM setting WHERE key = 'archive.searched' AND value = 'all';
INSERT INTO archive_search
  SELECT 1, substr(value, instr(value, ' ') + 1), CAST(round(CAST(value AS REAL) * 1000000) AS INTEGER)
  FROM setting WHERE key = 'archive.searched' AND value GLOB '[0-9]* ?*'
    AND CAST(value AS REAL) < 8500000000;
CREATE TABLE offline_delivery (
  sent_at INTEGER NOT NULL,
  is_border INTEGER NOT NULL,
  PRIMARY KEY (sent_at, is_border)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO offline_delivery (sent_at, is_border)
  SELECT CAST(round(time.value * 1000000) AS INTEGER), time.key > 0
  FROM (SELECT '[' || replace(value, ' ', ',') || ']' AS list FROM setting WHERE key = 'archive.handed-over'),
    json_each(CASE WHEN json_valid(list) THEN list ELSE '[]' END) AS time
  WHERE time.type IN ('integer', 'real') AND time.value BETWEEN 0 AND 8500000000;
DELETE FROM setting WHERE key IN ('archive.searched', 'archive.handed-over');
INSERT INTO pending_change (kind, subject, payload, state, refusal) VALUES
  ('bookmark', 'balcony@rooms.example.org', '{"room":"balcony@rooms.example.org"}', 'refused', '{"arguments":{"text":"no"},"key":"stanza.forbidden"}'),
  ('notifications', 'balcony@rooms.example.org', '{"room":"balcony@rooms.example.org","setting":"on-mention"}', 'refused', '{"arguments":{"text":"no"},"key":"stanza.forbidden"}');
UPDATE room SET is_archive_refused = 1 WHERE jid = 'balcony@rooms.example.org';
INSERT INTO suspect_message (message) VALUES
  (4);
INSERT INTO archive_search (id, reached_id, reached_at) VALUES
  (1, 's0', 1699999999000000);
INSERT INTO offline_delivery (sent_at, is_border) VALUES
  (1700000002000000, 1),
  (1700000002000000, 0);
