-- A database as schema 2 leaves it, with something in each table. Never changed: later schemas are tested against it.
PRAGMA application_id = 1315009652;
CREATE TABLE schema_migration (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO schema_migration VALUES (1, '1 baseline');

CREATE TABLE conversation (
  id INTEGER PRIMARY KEY,
  jid TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('direct', 'room')),
  name TEXT,
  unread INTEGER NOT NULL DEFAULT 0 CHECK (unread >= 0),
  mentions INTEGER NOT NULL DEFAULT 0 CHECK (mentions >= 0),
  first_unread_at INTEGER,
  first_unread_id INTEGER,
  last_activity INTEGER,
  draft TEXT NOT NULL DEFAULT '',
  is_hidden INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE input_history (
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation (id),
  text TEXT NOT NULL
) STRICT;
CREATE INDEX input_history_page ON input_history (conversation, id);

CREATE TABLE receipt_due (
  sender TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (sender, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE read_state (
  conversation TEXT NOT NULL PRIMARY KEY,
  markable_id TEXT,
  marker_due TEXT,
  displayed_id TEXT,
  is_published INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE INDEX read_state_due ON read_state (conversation)
  WHERE marker_due IS NOT NULL OR is_published = 0;

CREATE TABLE message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation (id),
  sender TEXT NOT NULL,
  occupant_id TEXT,
  is_outgoing INTEGER NOT NULL,
  body TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  is_delayed INTEGER NOT NULL DEFAULT 0,
  origin_id TEXT,
  stanza_id TEXT,
  follows INTEGER DEFAULT 0,
  delivery TEXT CHECK (delivery IN ('queued', 'sent', 'delivered', 'read', 'failed')),
  failure TEXT,
  is_failure_seen INTEGER NOT NULL DEFAULT 0,
  queued_at INTEGER,
  attempted_at INTEGER,
  replaces TEXT,
  corrects INTEGER,
  edit INTEGER,
  first_body TEXT,
  effect TEXT CHECK (effect IN ('reaction', 'retraction', 'moderation')),
  retraction TEXT CHECK (retraction IN ('author', 'moderator')),
  reactions TEXT,
  reply_id TEXT,
  reply_author TEXT,
  reply_text TEXT,
  file_address TEXT,
  file_other_addresses TEXT,
  file_name TEXT,
  file_type TEXT,
  file_size INTEGER,
  file_found_size INTEGER,
  file_sha256 TEXT,
  file_width INTEGER,
  file_height INTEGER,
  CHECK ((delivery IS NULL) = (is_outgoing = 0))
) STRICT;
CREATE INDEX message_page ON message (conversation, sent_at);
CREATE UNIQUE INDEX message_stanza_id ON message (conversation, stanza_id)
  WHERE stanza_id IS NOT NULL;
CREATE INDEX message_origin_id ON message (conversation, origin_id, sender)
  WHERE origin_id IS NOT NULL;
CREATE INDEX message_outgoing ON message (origin_id) WHERE is_outgoing = 1;
CREATE INDEX message_queued ON message (delivery) WHERE delivery = 'queued';
CREATE INDEX message_to_be_read ON message (conversation, sent_at)
  WHERE delivery IN ('sent', 'delivered');
CREATE INDEX message_failed ON message (conversation)
  WHERE delivery = 'failed' AND is_failure_seen = 0;
CREATE INDEX message_corrects ON message (corrects) WHERE corrects IS NOT NULL;
CREATE INDEX message_waiting ON message (conversation, replaces)
  WHERE replaces IS NOT NULL AND corrects IS NULL;
CREATE INDEX message_effect_waiting ON message (conversation, replaces) WHERE corrects = 0;
CREATE INDEX message_reply ON message (conversation, reply_id) WHERE reply_id IS NOT NULL;
CREATE INDEX message_follows ON message (follows) WHERE follows <> 0;
CREATE INDEX message_unplaced ON message (conversation) WHERE follows IS NULL;
CREATE INDEX message_file ON message (conversation, sent_at) WHERE file_address IS NOT NULL;
CREATE INDEX message_file_time ON message (sent_at) WHERE file_address IS NOT NULL;
CREATE TRIGGER message_tried_again AFTER UPDATE OF delivery ON message
  WHEN new.is_failure_seen = 1 AND new.delivery <> 'failed' BEGIN
  UPDATE message SET is_failure_seen = 0 WHERE id = new.id;
END;
CREATE TRIGGER message_taken_back AFTER UPDATE OF delivery ON message
  WHEN new.retraction IS NOT NULL AND new.delivery <> 'queued' BEGIN
  UPDATE message SET first_body = NULL, file_address = NULL, file_name = NULL, file_type = NULL,
    file_size = NULL, file_sha256 = NULL WHERE id = new.id;
END;
CREATE TRIGGER message_file_gone AFTER UPDATE OF file_address ON message
  WHEN new.file_address IS NULL AND old.file_address IS NOT NULL BEGIN
  DELETE FROM thumbnail WHERE message = new.id;
  UPDATE message SET file_width = NULL, file_height = NULL, file_found_size = NULL
  WHERE id = new.id;
END;
CREATE TRIGGER message_file_gone_everywhere AFTER UPDATE OF file_address ON message
  WHEN new.file_address IS NULL AND new.file_other_addresses IS NOT NULL BEGIN
  UPDATE message SET file_other_addresses = NULL WHERE id = new.id;
END;

CREATE TABLE thumbnail (
  message INTEGER NOT NULL PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
  data BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE message_text USING fts5 (
  body, content = 'message', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER message_deleted AFTER DELETE ON message
  WHEN EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
  INSERT INTO message_text (message_text, rowid, body) VALUES ('delete', old.id, old.body);
END;
CREATE TRIGGER message_rewritten AFTER UPDATE OF body ON message
  WHEN EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
  INSERT INTO message_text (message_text, rowid, body) VALUES ('delete', old.id, old.body);
  INSERT INTO message_text (rowid, body) VALUES (new.id, new.body);
END;

CREATE TABLE archive_range (
  id INTEGER PRIMARY KEY,
  archive TEXT NOT NULL,
  peer TEXT NOT NULL DEFAULT '',
  start_id TEXT NOT NULL,
  end_id TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL,
  reaches_beginning INTEGER NOT NULL DEFAULT 0,
  anchor_id TEXT
) STRICT;
CREATE INDEX archive_range_place ON archive_range (archive, peer, end_at);

CREATE TABLE refused_copy (
  message INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  stanza_id TEXT,
  UNIQUE (message, stanza_id)
) STRICT;

CREATE TABLE room (
  jid TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  nick TEXT,
  password TEXT,
  autojoin INTEGER NOT NULL DEFAULT 0,
  is_published INTEGER NOT NULL DEFAULT 0,
  is_changed INTEGER NOT NULL DEFAULT 0,
  notification_wish TEXT,
  is_wanted INTEGER NOT NULL DEFAULT 0,
  subject TEXT NOT NULL DEFAULT '',
  about TEXT NOT NULL DEFAULT '',
  picture_id TEXT,
  exit_cause TEXT,
  exit_actor TEXT,
  exit_reason TEXT,
  exit_alternative TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE room_member (
  room TEXT NOT NULL,
  jid TEXT NOT NULL,
  affiliation TEXT NOT NULL CHECK (affiliation IN ('owner', 'admin', 'member')),
  nick TEXT,
  PRIMARY KEY (room, jid)
) STRICT, WITHOUT ROWID;

CREATE TABLE room_invitation (
  room TEXT NOT NULL PRIMARY KEY,
  inviter TEXT NOT NULL,
  reason TEXT,
  password TEXT,
  is_mediated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE contact (
  jid TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  subscription TEXT NOT NULL CHECK (subscription IN ('none', 'to', 'from', 'both')),
  is_pending INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE contact_group (
  contact TEXT NOT NULL REFERENCES contact (jid) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (contact, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE roster (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version TEXT,
  confirmed_at INTEGER,
  blocked_confirmed_at INTEGER
) STRICT;

CREATE TABLE blocked (
  jid TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE contact_change (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  jid TEXT NOT NULL,
  subject TEXT NOT NULL,
  wish TEXT NOT NULL,
  text TEXT,
  detail TEXT,
  refusal TEXT,
  UNIQUE (jid, subject)
) STRICT;

CREATE TABLE profile (
  jid TEXT NOT NULL PRIMARY KEY,
  nickname TEXT,
  avatar_id TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE profile_wish (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  visibility TEXT,
  picture TEXT CHECK (picture IN ('show', 'hide')),
  picture_id TEXT,
  data TEXT,
  media_type TEXT,
  byte_count INTEGER,
  width INTEGER,
  height INTEGER
) STRICT;

CREATE TABLE card (
  jid TEXT NOT NULL PRIMARY KEY,
  read_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE card_text (
  jid TEXT NOT NULL REFERENCES card (jid) ON DELETE CASCADE,
  field TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (jid, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE card_change (
  field TEXT NOT NULL PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE transfer (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  direction TEXT NOT NULL CHECK (direction IN ('upload', 'download')),
  conversation TEXT NOT NULL,
  origin_id TEXT,
  message INTEGER,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'paused', 'done', 'failed')),
  failure TEXT,
  begun_at INTEGER NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT,
  byte_count INTEGER,
  sha256 TEXT,
  address TEXT,
  other_addresses TEXT,
  service TEXT,
  words TEXT,
  part TEXT,
  entity_tag TEXT,
  size_limit INTEGER
) STRICT;
CREATE INDEX transfer_content ON transfer (sha256) WHERE direction = 'upload' AND state = 'done';
CREATE INDEX transfer_message ON transfer (message) WHERE message IS NOT NULL;
CREATE INDEX transfer_origin ON transfer (origin_id) WHERE origin_id IS NOT NULL;
CREATE INDEX transfer_open ON transfer (state) WHERE state <> 'done';

CREATE TABLE room_directory (
  jid TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('rooms', 'search')),
  is_added INTEGER NOT NULL,
  read_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE public_room (
  directory TEXT NOT NULL REFERENCES room_directory (jid) ON DELETE CASCADE,
  jid TEXT NOT NULL,
  name TEXT NOT NULL,
  topic TEXT NOT NULL,
  people INTEGER,
  language TEXT,
  traits TEXT NOT NULL,
  is_described INTEGER NOT NULL,
  PRIMARY KEY (directory, jid)
) STRICT, WITHOUT ROWID;

CREATE TABLE server_part (
  place INTEGER PRIMARY KEY,
  jid TEXT NOT NULL,
  name TEXT,
  discovery TEXT,
  read_at INTEGER NOT NULL
) STRICT;

CREATE TABLE own_invitation (
  address TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('contact', 'account')),
  page TEXT,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE feed (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  title TEXT,
  read_at INTEGER,
  PRIMARY KEY (service, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE feed_post (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  item TEXT NOT NULL,
  author TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  link TEXT,
  comments_service TEXT,
  comments_node TEXT,
  is_read INTEGER NOT NULL,
  PRIMARY KEY (service, node, item),
  FOREIGN KEY (service, node) REFERENCES feed (service, node) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_post_age ON feed_post (published_at);
CREATE INDEX feed_post_unread ON feed_post (service, node, is_read) WHERE is_read = 0;

CREATE TABLE feed_draft (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  item TEXT NOT NULL,
  body TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  is_comment INTEGER NOT NULL,
  refusal TEXT,
  PRIMARY KEY (service, node, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE calendar (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  read_at INTEGER,
  is_followed INTEGER NOT NULL,
  PRIMARY KEY (service, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  item TEXT NOT NULL,
  name TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  place TEXT NOT NULL,
  room TEXT,
  takes_answers INTEGER NOT NULL,
  is_cancelled INTEGER NOT NULL,
  change TEXT CHECK (change IN ('put', 'take')),
  refusal TEXT,
  answer TEXT CHECK (answer IN ('yes', 'maybe', 'no')),
  answer_waits INTEGER NOT NULL,
  PRIMARY KEY (service, node, item),
  FOREIGN KEY (service, node) REFERENCES calendar (service, node) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX event_start ON event (starts_at);

CREATE TABLE event_answer (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  item TEXT NOT NULL,
  jid TEXT NOT NULL,
  attendance TEXT NOT NULL CHECK (attendance IN ('yes', 'maybe', 'no')),
  PRIMARY KEY (service, node, item, jid),
  FOREIGN KEY (service, node, item) REFERENCES event (service, node, item) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE stream_session (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  jid TEXT NOT NULL,
  location TEXT,
  handled INTEGER NOT NULL,
  sent INTEGER NOT NULL
) STRICT;

CREATE TABLE stream_stanza (
  id INTEGER PRIMARY KEY,
  stanza_id TEXT,
  xml TEXT
) STRICT;

CREATE TABLE command (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  sender TEXT,
  stanza TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  is_settled INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX command_pending ON command (is_settled) WHERE is_settled = 0;

CREATE TABLE setting (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO conversation
  (id, jid, kind, name, unread, mentions, first_unread_at, first_unread_id, last_activity, draft, is_hidden) VALUES
  (1, 'juliet@example.org', 'direct', NULL, 1, 0, 1700000002000000, 3, 1700000003000000, 'half a sen', 0),
  (2, 'balcony@rooms.example.org', 'room', 'Balcony', 0, 0, NULL, NULL, NULL, '', 1);
INSERT INTO input_history (id, conversation, text) VALUES
  (1, 1, 'Here'),
  (2, 1, 'Lost');
INSERT INTO receipt_due (sender, id) VALUES
  ('juliet@example.org/phone', 'm-7');
INSERT INTO read_state (conversation, markable_id, displayed_id, is_published) VALUES
  ('juliet@example.org', 'm-5', 's1', 0);
INSERT INTO message
  (id, conversation, sender, is_outgoing, body, sent_at, is_delayed, origin_id, stanza_id, follows, delivery,
   failure, is_failure_seen, attempted_at, replaces, corrects, first_body, effect, reactions) VALUES
  (1, 1, 'juliet@example.org/phone', 0, 'Wherefore art thou?', 1700000001000000, 0, 'o1', 's1', 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL),
  (3, 1, 'juliet@example.org/phone', 0, 'Déjà vu', 1700000002000000, 1, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 1, 'romeo@example.org/natter', 1, 'Here', 1700000003000000, 0, 'o4', NULL, 0, 'queued', NULL, 0, 1700000003500000, NULL, NULL, NULL, NULL, NULL),
  (5, 1, 'romeo@example.org/natter', 1, 'Lost', 1700000002500000, 0, 'o5', NULL, 0, 'failed', 'too long', 0, NULL, NULL, NULL, NULL, NULL, '0	juliet@example.org	👍 ❤'),
  (6, 1, 'juliet@example.org/phone', 0, '', 1700000002600000, 0, 'o6', NULL, 0, NULL, NULL, 0, NULL, 'o5', 5, '👍 ❤', 'reaction', NULL),
  (7, 1, 'juliet@example.org/phone', 0, '', 1700000002700000, 0, 'o7', NULL, 0, NULL, NULL, 0, NULL, 'gone', 0, '', 'retraction', NULL);
INSERT INTO archive_range (id, archive, peer, start_id, end_id, start_at, end_at, reaches_beginning, anchor_id) VALUES
  (1, 'romeo@example.org', '', 's0', 's1', 1700000000000000, 1700000001000000, 1, 's1');
INSERT INTO refused_copy (message, stanza_id) VALUES
  (5, NULL),
  (5, 's5');
INSERT INTO room
  (jid, name, nick, autojoin, is_published, is_changed, is_wanted, subject, about, exit_cause, exit_actor) VALUES
  ('balcony@rooms.example.org', 'Balcony', 'romeo', 1, 0, 0, 0, 'Night', '', 'kicked', 'tybalt');
INSERT INTO room_member (room, jid, affiliation) VALUES
  ('balcony@rooms.example.org', 'juliet@example.org', 'owner');
INSERT INTO room_invitation (room, inviter, reason, password, is_mediated) VALUES
  ('tomb@rooms.example.org', 'juliet@example.org', 'come', 'x', 1);
INSERT INTO contact (jid, name, subscription, is_pending) VALUES
  ('juliet@example.org', 'Juliet', 'both', 0),
  ('nurse@example.org', NULL, 'none', 1);
INSERT INTO contact_group (contact, place, name) VALUES
  ('juliet@example.org', 0, 'Capulets'),
  ('juliet@example.org', 1, 'Friends');
INSERT INTO roster (id, version, confirmed_at, blocked_confirmed_at) VALUES
  (1, 'v7', 11, 12);
INSERT INTO blocked (jid) VALUES
  ('tybalt@example.org');
INSERT INTO contact_change (id, jid, subject, wish, text, refusal) VALUES
  (3, 'juliet@example.org', 'name', 'rename', 'Jule', NULL),
  (4, 'paris@example.org', 'entry', 'add', NULL, '{"arguments":{"text":"not in Verona"},"key":"stanza.undefined-condition"}');
INSERT INTO profile (jid, nickname) VALUES
  ('juliet@example.org', 'Jule');
INSERT INTO profile_wish (id, visibility, picture, picture_id, data, media_type, byte_count, height) VALUES
  (1, 'nobody', 'show', 'ab', 'AAAA', 'image/png', 3, 7);
INSERT INTO card (jid, read_at) VALUES
  ('juliet@example.org', 5);
INSERT INTO card_text (jid, field, text) VALUES
  ('juliet@example.org', 'city', 'Verona');
INSERT INTO transfer (id, direction, conversation, state, begun_at, path, name, byte_count, words) VALUES
  (1, 'upload', 'juliet@example.org', 'waiting', 5, '/tmp/rose.png', 'rose.png', 77, 'for you');
INSERT INTO room_directory (jid, name, kind, is_added, read_at) VALUES
  ('rooms.example.org', 'Rooms', 'rooms', 0, 7);
INSERT INTO public_room (directory, jid, name, topic, people, language, traits, is_described) VALUES
  ('rooms.example.org', 'balcony@rooms.example.org', 'Balcony', 'Roses', 4, 'en', 'archive moderated', 1);
INSERT INTO server_part (place, jid, name, read_at) VALUES
  (0, 'example.org', 'The server', 7);
INSERT INTO own_invitation (address, kind, expires_at) VALUES
  ('xmpp:romeo@example.org?roster;preauth=x', 'contact', 9);
INSERT INTO feed (service, node, read_at) VALUES
  ('juliet@example.org', 'urn:xmpp:microblog:0', 7);
INSERT INTO feed_post (service, node, item, author, title, body, published_at, is_read) VALUES
  ('juliet@example.org', 'urn:xmpp:microblog:0', 'i1', 'Juliet', 'Roses', 'By any other name', 8, 0);
INSERT INTO feed_draft (service, node, item, body, written_at, is_comment) VALUES
  ('romeo@example.org', 'urn:xmpp:microblog:0', 'd1', 'It waits', 9, 0);
INSERT INTO calendar (service, node, read_at, is_followed) VALUES
  ('juliet@example.org', 'urn:xmpp:calendar-events:0', 7, 1);
INSERT INTO event
  (service, node, item, name, starts_at, ends_at, body, place, takes_answers, is_cancelled, answer,
   answer_waits) VALUES
  ('juliet@example.org', 'urn:xmpp:calendar-events:0', 'ball', 'The ball', 8, 9, '', 'Verona', 1, 0, 'yes', 0);
INSERT INTO event_answer (service, node, item, jid, attendance) VALUES
  ('juliet@example.org', 'urn:xmpp:calendar-events:0', 'ball', 'romeo@example.org', 'yes');
INSERT INTO stream_session (id, name, jid, handled, sent) VALUES
  (1, 's-1', 'romeo@example.org/natter', 7, 2);
INSERT INTO stream_stanza (id, stanza_id) VALUES
  (1, 'o4');
INSERT INTO command (row, id, kind, sender, stanza, received_at, is_settled) VALUES
  (1, 'room-invitation/s7', 'room-invitation', 'balcony@rooms.example.org', '<message/>', 1700000000000000, 0);
INSERT INTO setting (key, value) VALUES
  ('guide.seen', '1');
UPDATE message SET file_address = 'https://example.org/vu.png', file_name = 'vu.png', file_type = 'image/png',
  file_size = 3, file_width = 1, file_height = 1 WHERE id = 3;
INSERT INTO thumbnail (message, data) VALUES
  (3, x'89504e47');
INSERT INTO message_text (rowid, body) SELECT id, body FROM message;
INSERT INTO card_change (field, text) VALUES
  ('city', 'Mantua');
INSERT INTO feed_draft (service, node, item, body, written_at, is_comment, refusal) VALUES
  ('juliet@example.org', 'urn:xmpp:microblog:0:comments/i1', 'd2', 'As sweet', 8, 1, '{"arguments":{"text":"no"},"key":"stanza.forbidden"}');
INSERT INTO calendar (service, node, is_followed) VALUES
  ('romeo@example.org', 'urn:xmpp:calendar-events:0', 1);
INSERT INTO event
  (service, node, item, name, starts_at, ends_at, body, place, takes_answers, is_cancelled, change, refusal, answer,
   answer_waits) VALUES
  ('juliet@example.org', 'urn:xmpp:calendar-events:0', 'feast', 'The feast', 9, 10, '', 'Verona', 1, 0, NULL, NULL, 'maybe', 1),
  ('romeo@example.org', 'urn:xmpp:calendar-events:0', 'duel', 'The duel', 10, 11, '', 'Verona', 0, 0, 'put',
   '{"arguments":{"text":"by order of the Prince"},"key":"stanza.forbidden"}', NULL, 0),
  ('romeo@example.org', 'urn:xmpp:calendar-events:0', 'exile', 'The exile', 11, 12, '', 'Mantua', 0, 0, 'take', NULL, NULL, 0);
INSERT INTO setting (key, value) VALUES
  ('follow.feed nurse@example.org' || char(9) || 'urn:xmpp:microblog:0', '1'),
  ('follow.calendar tybalt@example.org' || char(9) || 'urn:xmpp:calendar-events:0', '0'),
  ('follow.rooms rooms.verona.example' || char(9), '1'),
  ('presence.availability', 'away'),
  ('presence.status', 'tea'),
  ('presence.priority', '-3'),
  ('presence.request paris@example.org', '1700000000123'),
  ('presence.request benvolio@example.org', '1700000000122');

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
