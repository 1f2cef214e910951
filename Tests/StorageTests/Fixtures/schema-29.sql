-- A database as schema 6 leaves it. For ever as it is: later schemas are tested against it.
CREATE TABLE schema_migration (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO schema_migration VALUES (1, '1 conversations and messages');

CREATE TABLE conversation (
  id INTEGER PRIMARY KEY,
  -- The bare address of the contact or room.
  jid TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('direct', 'room')),
  -- What the person calls it; NULL: the contact's name or the address.
  name TEXT,
  -- Messages that were counted and not seen.
  unread INTEGER NOT NULL DEFAULT 0 CHECK (unread >= 0),
  -- The place of the first of them: its sent_at and its id. Both or neither.
  first_unread_at INTEGER,
  first_unread_id INTEGER,
  -- sent_at of the newest message; NULL: there is none.
  last_activity INTEGER,
  -- What was typed and not sent.
  draft TEXT NOT NULL DEFAULT '',
  -- Whether the person took it out of the list; the next message brings it back.
  is_hidden INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE message (
  -- Never used again, for events and positions hold it.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation (id),
  -- The full address that sent it; in a room the occupant's.
  sender TEXT NOT NULL,
  is_outgoing INTEGER NOT NULL,
  body TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  -- The sender's id (XEP-0359 §3); NULL: it gave none.
  origin_id TEXT,
  -- The archive's id (XEP-0359 §3); NULL: not known (yet).
  stanza_id TEXT,
  -- What became of an outgoing message; NULL for incoming ones.
  delivery TEXT CHECK (delivery IN ('queued', 'sent', 'delivered', 'read', 'failed')),
  -- Why it failed, for a person; NULL unless delivery is 'failed'.
  failure TEXT,
  -- Whether it came late (XEP-0203).
  is_delayed INTEGER NOT NULL DEFAULT 0,
  CHECK ((delivery IS NULL) = (is_outgoing = 0))
) STRICT;

-- Paging; the row id is the last part of every index.
CREATE INDEX message_page ON message (conversation, sent_at);
-- The same message by several roads is stored once.
CREATE UNIQUE INDEX message_stanza_id ON message (conversation, stanza_id)
  WHERE stanza_id IS NOT NULL;
CREATE INDEX message_origin_id ON message (conversation, origin_id, sender)
  WHERE origin_id IS NOT NULL;
-- Acknowledgements and receipts name the origin-id alone.
CREATE INDEX message_outgoing ON message (origin_id) WHERE is_outgoing = 1;
-- The outbox: as large as what waits in it.
CREATE INDEX message_queued ON message (delivery) WHERE delivery = 'queued';

-- Full-text index; the text itself stays in message.
CREATE VIRTUAL TABLE message_text USING fts5 (
  body, content = 'message', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER message_inserted AFTER INSERT ON message BEGIN
  INSERT INTO message_text (rowid, body) VALUES (new.id, new.body);
END;
CREATE TRIGGER message_deleted AFTER DELETE ON message BEGIN
  INSERT INTO message_text (message_text, rowid, body) VALUES ('delete', old.id, old.body);
END;
CREATE TRIGGER message_rewritten AFTER UPDATE OF body ON message BEGIN
  INSERT INTO message_text (message_text, rowid, body) VALUES ('delete', old.id, old.body);
  INSERT INTO message_text (rowid, body) VALUES (new.id, new.body);
END;

CREATE TABLE input_history (
  -- Grows with time.
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation (id),
  text TEXT NOT NULL
) STRICT;
CREATE INDEX input_history_page ON input_history (conversation, id);

CREATE TABLE contact (
  jid TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  subscription TEXT NOT NULL CHECK (subscription IN ('none', 'to', 'from', 'both')),
  -- RFC 6121 §2.1.2.2, ask='subscribe'.
  is_pending INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE contact_group (
  contact TEXT NOT NULL REFERENCES contact (jid) ON DELETE CASCADE,
  -- The place among the contact's groups, from 0.
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (contact, place)
) STRICT, WITHOUT ROWID;
-- One row: the version of the roster above (RFC 6121 §2.6); NULL: the server gave none.
CREATE TABLE roster (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version TEXT
) STRICT;
INSERT INTO roster VALUES (1, NULL);

-- What belongs to the account and is set while the program runs.
CREATE TABLE setting (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO conversation VALUES
  (1, 'juliet@example.org', 'direct', NULL, 1, 1700000002000000, 3, 1700000003000000, 'half a sen', 0),
  (2, 'balcony@rooms.example.org', 'room', 'Balcony', 0, NULL, NULL, NULL, '', 1);
INSERT INTO message VALUES
  (1, 1, 'juliet@example.org/phone', 0, 'Wherefore art thou?', 1700000001000000, 'o1', 's1', NULL, NULL, 0),
  (3, 1, 'juliet@example.org/phone', 0, 'Déjà vu', 1700000002000000, NULL, NULL, NULL, NULL, 1),
  (4, 1, 'romeo@example.org/natter', 1, 'Here', 1700000003000000, 'o4', NULL, 'queued', NULL, 0),
  (5, 1, 'romeo@example.org/natter', 1, 'Lost', 1700000002500000, 'o5', NULL, 'failed', 'too long', 0);
INSERT INTO input_history VALUES (1, 1, 'Here'), (2, 1, 'Lost');
INSERT INTO contact VALUES ('juliet@example.org', 'Juliet', 'both', 0), ('nurse@example.org', NULL, 'none', 1);
INSERT INTO contact_group VALUES ('juliet@example.org', 0, 'Capulets'), ('juliet@example.org', 1, 'Friends');
UPDATE roster SET version = 'v7';
INSERT INTO setting VALUES ('guide.seen', '1');

INSERT INTO schema_migration VALUES (2, '2 archive ranges and attempts');
-- When a queued message was first written to a connection; NULL: it was not.
ALTER TABLE message ADD COLUMN attempted_at INTEGER;

-- The parts of archives (XEP-0313) of which every message is stored; both ends are included.
-- Between two ranges of one archive is a hole.
CREATE TABLE archive_range (
  id INTEGER PRIMARY KEY,
  -- Whose archive: the account's or a room's bare address.
  archive TEXT NOT NULL,
  -- The conversation that it is about; empty: all that the archive holds.
  peer TEXT NOT NULL DEFAULT '',
  -- The archive's ids of the first and last message; empty: the beginning of an archive that held nothing.
  start_id TEXT NOT NULL,
  end_id TEXT NOT NULL,
  -- Their sent_at.
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL,
  -- Whether nothing lies before it.
  reaches_beginning INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX archive_range_place ON archive_range (archive, peer, end_at);

UPDATE message SET attempted_at = 1700000003500000 WHERE id = 4;
INSERT INTO archive_range VALUES
  (1, 'romeo@example.org', '', 's0', 's1', 1700000000000000, 1700000001000000, 1);

INSERT INTO schema_migration VALUES (3, '3 commands');
-- What happened to the account and is no chat message (FLOWS.md 3), as the server keeps it.
CREATE TABLE command (
  -- Grows with time.
  row INTEGER PRIMARY KEY,
  -- The same by whatever road it comes.
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- Whom it is from; NULL: the own account.
  sender TEXT,
  -- The stanza that it came in; empty once it is settled.
  stanza TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  is_settled INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX command_pending ON command (is_settled) WHERE is_settled = 0;

INSERT INTO command VALUES
  (1, 'room-invitation/s7', 'room-invitation', 'balcony@rooms.example.org', '<message/>', 1700000000000000, 0);

INSERT INTO schema_migration VALUES (4, '4 the session to resume, and when messages were queued');
-- The session that can be resumed (XEP-0198 §5); one row or none.
CREATE TABLE stream_session (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- What the server calls it.
  name TEXT NOT NULL,
  -- The full address that is bound to it.
  jid TEXT NOT NULL,
  -- Where the server wants it resumed; NULL: anywhere.
  location TEXT,
  -- Stanzas of the server's whose effect is committed, and stanzas sent, modulo 2^32.
  handled INTEGER NOT NULL,
  sent INTEGER NOT NULL
) STRICT;
-- The last stanzas sent in it, which the server has not acknowledged.
CREATE TABLE stream_stanza (
  -- Grows in the order of sending.
  id INTEGER PRIMARY KEY,
  stanza_id TEXT,
  -- What is to be sent again; NULL: it is only counted, or stands in the table of messages.
  xml TEXT
) STRICT;

-- When a failed message was queued again; NULL: when it was typed.
ALTER TABLE message ADD COLUMN queued_at INTEGER;

INSERT INTO stream_session VALUES (1, 's-1', 'romeo@example.org/natter', NULL, 7, 2);
INSERT INTO stream_stanza VALUES (1, 'o4', NULL);

INSERT INTO schema_migration VALUES (5, '5 read state');
-- Receipts (XEP-0184) that are to be sent.
CREATE TABLE receipt_due (
  -- The full address that asks.
  sender TEXT NOT NULL,
  -- The id of its message.
  id TEXT NOT NULL,
  PRIMARY KEY (sender, id)
) STRICT, WITHOUT ROWID;

-- What is to be told of conversations that were read. A row may be there before its conversation.
CREATE TABLE read_state (
  -- The bare address.
  conversation TEXT NOT NULL PRIMARY KEY,
  -- The id of the newest unread message whose sender wants to know (XEP-0333); NULL: none does.
  markable_id TEXT,
  -- The id of the message that a marker is to be sent for; NULL: none.
  marker_due TEXT,
  -- The archive's id of the newest message that was read, here or elsewhere (XEP-0490); NULL: not known.
  displayed_id TEXT,
  -- Whether the account's other clients know that.
  is_published INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE INDEX read_state_due ON read_state (conversation)
  WHERE marker_due IS NOT NULL OR is_published = 0;

-- Messages that their recipient may still read.
CREATE INDEX message_to_be_read ON message (conversation, sent_at)
  WHERE delivery IN ('sent', 'delivered');

INSERT INTO receipt_due VALUES ('juliet@example.org/phone', 'm-7');
INSERT INTO read_state VALUES ('juliet@example.org', 'm-5', NULL, 's1', 0);

INSERT INTO schema_migration VALUES (6, '6 rooms');
-- Unread messages that speak to the person by name.
ALTER TABLE conversation ADD COLUMN mentions INTEGER NOT NULL DEFAULT 0 CHECK (mentions >= 0);

-- The rooms that the person keeps or was in (XEP-0045, XEP-0402).
CREATE TABLE room (
  -- The bare address.
  jid TEXT NOT NULL PRIMARY KEY,
  -- What the bookmark calls it; NULL: nothing.
  name TEXT,
  -- What the person is called there; NULL: the account's name.
  nick TEXT,
  -- What the room asks for at its door; NULL: nothing is known.
  password TEXT,
  -- Whether it is entered after signing in.
  autojoin INTEGER NOT NULL DEFAULT 0,
  -- Whether the server keeps a bookmark of it.
  is_published INTEGER NOT NULL DEFAULT 0,
  -- Whether the person was in it, or on the way in.
  is_wanted INTEGER NOT NULL DEFAULT 0,
  subject TEXT NOT NULL DEFAULT '',
  -- Why the person is outside, where it was not his own wish: all NULL or exit_cause set.
  exit_cause TEXT,
  exit_actor TEXT,
  exit_reason TEXT,
  exit_alternative TEXT
) STRICT, WITHOUT ROWID;

INSERT INTO room (jid, name, nick, autojoin, is_wanted, subject, exit_cause, exit_actor)
VALUES ('balcony@rooms.example.org', 'Balcony', 'romeo', 1, 0, 'Night', 'kicked', 'tybalt');

INSERT INTO schema_migration VALUES (7, '7 members of rooms, invitations, changes to bookmarks');
-- Whether the bookmark was changed here and the server has not heard of it.
ALTER TABLE room ADD COLUMN is_changed INTEGER NOT NULL DEFAULT 0;

-- Who belongs to a room, be he inside or not, as it was told last (XEP-0045 §9.5, §10.5, §10.8).
CREATE TABLE room_member (
  room TEXT NOT NULL,
  -- The bare address.
  jid TEXT NOT NULL,
  affiliation TEXT NOT NULL CHECK (affiliation IN ('owner', 'admin', 'member')),
  -- The nick that the room keeps for him; NULL: none.
  nick TEXT,
  PRIMARY KEY (room, jid)
) STRICT, WITHOUT ROWID;

-- Invitations (XEP-0045 §7.8, XEP-0249) that were not answered yet: one for each room.
CREATE TABLE room_invitation (
  room TEXT NOT NULL PRIMARY KEY,
  inviter TEXT NOT NULL,
  reason TEXT,
  -- What the room asks for at its door; NULL: it was not told.
  password TEXT,
  -- Whether the room passed it on, and can be told that it is declined.
  is_mediated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO room_member VALUES ('balcony@rooms.example.org', 'juliet@example.org', 'owner', NULL);
INSERT INTO room_invitation VALUES ('tomb@rooms.example.org', 'juliet@example.org', 'come', 'x', 1);

INSERT INTO schema_migration VALUES (8, '8 what people publish, and who is blocked');
-- What people publish of themselves (XEP-0163); one row for each who was asked.
CREATE TABLE profile (
  -- The bare address.
  jid TEXT NOT NULL PRIMARY KEY,
  -- What he calls himself (XEP-0172); NULL: nothing.
  nickname TEXT,
  -- The SHA-1 of his picture (XEP-0084); NULL: he has none.
  avatar_id TEXT
) STRICT, WITHOUT ROWID;

-- Whose messages the server throws away (XEP-0191): addresses of people, servers, resources.
CREATE TABLE blocked (
  jid TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

INSERT INTO profile VALUES ('juliet@example.org', 'Jule', NULL);
INSERT INTO blocked VALUES ('tybalt@example.org');

INSERT INTO schema_migration VALUES (9, '9 files');
-- The file that a message offers; all NULL: none.
ALTER TABLE message ADD COLUMN file_address TEXT;
-- As its sender calls it.
ALTER TABLE message ADD COLUMN file_name TEXT;
ALTER TABLE message ADD COLUMN file_type TEXT;
ALTER TABLE message ADD COLUMN file_size INTEGER;
ALTER TABLE message ADD COLUMN file_sha256 TEXT;
CREATE INDEX message_file ON message (conversation, sent_at) WHERE file_address IS NOT NULL;

-- Files on their way, and what became of them.
CREATE TABLE transfer (
  -- Grows with time, and is never used again.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  direction TEXT NOT NULL CHECK (direction IN ('upload', 'download')),
  -- The address of the conversation.
  conversation TEXT NOT NULL,
  -- Where the file is, or will be.
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT,
  byte_count INTEGER,
  sha256 TEXT,
  -- Where it is on the web; NULL: not there yet.
  address TEXT,
  -- Which service took it.
  service TEXT,
  -- The message that offers it, of a download; its origin-id, of an upload.
  message INTEGER,
  origin_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'paused', 'done', 'failed')),
  -- Why it failed: a key of the language files and its arguments, line by line.
  failure TEXT,
  entity_tag TEXT,
  begun_at INTEGER NOT NULL
) STRICT;
CREATE INDEX transfer_content ON transfer (sha256) WHERE direction = 'upload' AND state = 'done';
CREATE INDEX transfer_message ON transfer (message) WHERE message IS NOT NULL;
CREATE INDEX transfer_open ON transfer (state) WHERE state <> 'done';

INSERT INTO transfer (direction, conversation, path, name, byte_count, state, begun_at)
VALUES ('upload', 'juliet@example.org', '/tmp/rose.png', 'rose.png', 77, 'waiting', 5);

INSERT INTO schema_migration VALUES (10, '10 cards');
-- The cards of people (XEP-0292, XEP-0054) as they were read last; one row for each who was asked.
CREATE TABLE card (
  -- The bare address.
  jid TEXT NOT NULL PRIMARY KEY,
  read_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE card_text (
  jid TEXT NOT NULL REFERENCES card (jid) ON DELETE CASCADE,
  field TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (jid, field)
) STRICT, WITHOUT ROWID;

-- Changes of the account's own card that its server has not heard of; an empty text takes a field away.
CREATE TABLE card_change (
  field TEXT NOT NULL PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO card VALUES ('juliet@example.org', 5);
INSERT INTO card_text VALUES ('juliet@example.org', 'city', 'Verona');

INSERT INTO schema_migration VALUES (11, '11 public rooms');
-- Places that list rooms for everybody (XEP-0045 §6.3, XEP-0433).
CREATE TABLE room_directory (
  -- The address of the service.
  jid TEXT NOT NULL PRIMARY KEY,
  -- What it calls itself; NULL: nothing.
  name TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('rooms', 'search')),
  -- Whether the person added it.
  is_added INTEGER NOT NULL,
  -- When its whole list was last read; NULL: never.
  read_at INTEGER
) STRICT, WITHOUT ROWID;

-- What the directories listed, and what the rooms said of themselves.
CREATE TABLE public_room (
  directory TEXT NOT NULL REFERENCES room_directory (jid) ON DELETE CASCADE,
  -- The bare address.
  jid TEXT NOT NULL,
  name TEXT NOT NULL,
  topic TEXT NOT NULL,
  -- How many are in it; NULL: not known.
  people INTEGER,
  -- The tag of the language that is spoken there; NULL: not known.
  language TEXT,
  -- What kind of room it is, word by word.
  traits TEXT NOT NULL,
  is_described INTEGER NOT NULL,
  PRIMARY KEY (directory, jid)
) STRICT, WITHOUT ROWID;

INSERT INTO room_directory VALUES ('rooms.example.org', 'Rooms', 'rooms', 0, 7);
INSERT INTO public_room VALUES
  ('rooms.example.org', 'balcony@rooms.example.org', 'Balcony', 'Roses', 4, 'en', 'archive moderated', 1);

INSERT INTO schema_migration VALUES (12, '12 files by their time');
-- The list of all files, whatever conversation they are of.
CREATE INDEX message_file_time ON message (sent_at) WHERE file_address IS NOT NULL;
CREATE INDEX transfer_origin ON transfer (origin_id) WHERE origin_id IS NOT NULL;

INSERT INTO schema_migration VALUES (13, '13 parts of the server, invitations');
-- What the own server consists of (XEP-0030), as it was read last.
CREATE TABLE server_part (
  -- The server itself has 0.
  place INTEGER PRIMARY KEY,
  jid TEXT NOT NULL,
  name TEXT,
  -- The answer to disco#info; NULL: there was none.
  discovery TEXT,
  read_at INTEGER NOT NULL
) STRICT;

-- Invitations that the server made for the account (XEP-0401).
CREATE TABLE own_invitation (
  -- The xmpp: address to give away.
  address TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('contact', 'account')),
  -- A page for people without a client; NULL: there is none.
  page TEXT,
  -- Until when it is good; NULL: not told.
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO server_part VALUES (0, 'example.org', 'The server', NULL, 7);
INSERT INTO own_invitation VALUES ('xmpp:romeo@example.org?roster;preauth=x', 'contact', NULL, 9);

INSERT INTO schema_migration VALUES (14, '14 feeds');
-- The feeds that the person follows, his own among them (XEP-0472).
CREATE TABLE feed (
  -- Somebody's bare address, or that of a service.
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  -- What it calls itself; NULL: nothing.
  title TEXT,
  -- When its posts were last fetched; NULL: never.
  read_at INTEGER,
  PRIMARY KEY (service, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE feed_post (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  -- The item's id, which stays when the post is changed.
  item TEXT NOT NULL,
  author TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  -- A page that has it; NULL: none.
  link TEXT,
  -- Where comments are; both NULL: it takes none.
  comments_service TEXT,
  comments_node TEXT,
  is_read INTEGER NOT NULL,
  PRIMARY KEY (service, node, item),
  FOREIGN KEY (service, node) REFERENCES feed (service, node) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_post_age ON feed_post (published_at);

INSERT INTO feed VALUES ('juliet@example.org', 'urn:xmpp:microblog:0', NULL, 7);
INSERT INTO feed_post VALUES
  ('juliet@example.org', 'urn:xmpp:microblog:0', 'i1', 'Juliet', 'Roses', 'By any other name', 8,
    NULL, NULL, NULL, 0);

INSERT INTO schema_migration VALUES (15, '15 what of a room is told');
-- What of the room is told, chosen where the server could not hear of it; '': as with other rooms; NULL: it knows.
ALTER TABLE room ADD COLUMN notification_wish TEXT;

INSERT INTO schema_migration VALUES (16, '16 posts and comments that wait');
-- Posts and comments that were written here and are not in their feed yet.
CREATE TABLE feed_draft (
  -- Where it goes.
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  -- Its item's id, the same at each attempt.
  item TEXT NOT NULL,
  body TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  is_comment INTEGER NOT NULL,
  -- Why its server did not take it; NULL: it waits for a connection.
  refusal TEXT,
  PRIMARY KEY (service, node, item)
) STRICT, WITHOUT ROWID;

INSERT INTO feed_draft VALUES
  ('romeo@example.org', 'urn:xmpp:microblog:0', 'd1', 'It waits', 9, 0, NULL);

INSERT INTO schema_migration VALUES (17, '17 events');
-- Calendars of events (XEP-0471), the own one among them.
CREATE TABLE calendar (
  -- Somebody's bare address, or that of a service.
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  -- When its events were last fetched; NULL: never.
  read_at INTEGER,
  -- 0: the person has left it.
  is_followed INTEGER NOT NULL,
  PRIMARY KEY (service, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  -- The item's id, which stays when the event is changed.
  item TEXT NOT NULL,
  name TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  place TEXT NOT NULL,
  -- The room that it is for; NULL: none.
  room TEXT,
  takes_answers INTEGER NOT NULL,
  is_cancelled INTEGER NOT NULL,
  -- What was done here and is not told yet; NULL: nothing.
  change TEXT CHECK (change IN ('put', 'take')),
  -- Why that was refused; NULL: it was not.
  refusal TEXT,
  -- The own answer; NULL: none.
  answer TEXT CHECK (answer IN ('yes', 'maybe', 'no')),
  -- Whether it is not told yet.
  answer_waits INTEGER NOT NULL,
  PRIMARY KEY (service, node, item),
  FOREIGN KEY (service, node) REFERENCES calendar (service, node) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX event_start ON event (starts_at);

-- Who answered what.
CREATE TABLE event_answer (
  service TEXT NOT NULL,
  node TEXT NOT NULL,
  item TEXT NOT NULL,
  -- The bare address.
  jid TEXT NOT NULL,
  attendance TEXT NOT NULL CHECK (attendance IN ('yes', 'maybe', 'no')),
  PRIMARY KEY (service, node, item, jid),
  FOREIGN KEY (service, node, item) REFERENCES event (service, node, item) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO calendar VALUES ('juliet@example.org', 'urn:xmpp:calendar-events:0', 7, 1);
INSERT INTO event VALUES
  ('juliet@example.org', 'urn:xmpp:calendar-events:0', 'ball', 'The ball', 8, 9, '', 'Verona', NULL, 1,
    0, NULL, NULL, 'yes', 0);
INSERT INTO event_answer VALUES
  ('juliet@example.org', 'urn:xmpp:calendar-events:0', 'ball', 'romeo@example.org', 'yes');

INSERT INTO schema_migration VALUES (18, '18 what is done to people and not told');
-- When the lists of people were last known to be as the server has them; NULL: never.
ALTER TABLE roster ADD COLUMN confirmed_at INTEGER;
ALTER TABLE roster ADD COLUMN blocked_confirmed_at INTEGER;

-- What the person did to contacts and to the block list, and the server has not.
CREATE TABLE contact_change (
  -- Grows with time, and is never used again.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  jid TEXT NOT NULL,
  -- What of him it is about; and what is wanted, with its arguments.
  subject TEXT NOT NULL,
  wish TEXT NOT NULL,
  text TEXT,
  detail TEXT,
  -- Why the server did not take it; NULL: it waits for a connection.
  refusal TEXT,
  UNIQUE (jid, subject)
) STRICT;

-- What else of the own profile the server has not heard of; one row or none.
CREATE TABLE profile_wish (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Who may read it; NULL: nothing is to be told of that.
  visibility TEXT,
  -- What is to be done about the picture; NULL: nothing.
  picture TEXT CHECK (picture IN ('show', 'hide')),
  -- Of the picture to show: its SHA-1, its bytes in Base64, and what is told of it.
  picture_id TEXT,
  data TEXT,
  media_type TEXT,
  byte_count INTEGER,
  width INTEGER,
  height INTEGER
) STRICT;

UPDATE roster SET confirmed_at = 11, blocked_confirmed_at = 12;
INSERT INTO contact_change VALUES
  (3, 'juliet@example.org', 'name', 'rename', 'Jule', NULL, NULL),
  (4, 'paris@example.org', 'entry', 'add', NULL, NULL, 'not in Verona');
INSERT INTO profile_wish VALUES (1, 'nobody', 'show', 'ab', 'AAAA', 'image/png', 3, NULL, 7);

INSERT INTO schema_migration VALUES (19, '19 corrections and answers');
-- What the sender calls the message that this one takes the place of (XEP-0308); NULL: it stands for itself.
ALTER TABLE message ADD COLUMN replaces TEXT;
-- The message that it has taken the place of: it is not shown by itself. NULL: it is.
ALTER TABLE message ADD COLUMN corrects INTEGER;
-- The last message that has taken this one's place, whose words stand in body; NULL: none has.
ALTER TABLE message ADD COLUMN edit INTEGER;
-- What it was sent with: of one whose place another has taken, and of that other, which says nothing by itself and so is not
-- found either. NULL: what it says.
ALTER TABLE message ADD COLUMN first_body TEXT;
-- Who sent it, as the room knows him (XEP-0421); NULL: it is no room's, or the room does not tell.
ALTER TABLE message ADD COLUMN occupant_id TEXT;
-- What it answers (XEP-0461): what that is called, who wrote it, what it said. The first is NULL: nothing.
ALTER TABLE message ADD COLUMN reply_id TEXT;
ALTER TABLE message ADD COLUMN reply_author TEXT;
ALTER TABLE message ADD COLUMN reply_text TEXT;
CREATE INDEX message_corrects ON message (corrects) WHERE corrects IS NOT NULL;
CREATE INDEX message_waiting ON message (conversation, replaces)
  WHERE replaces IS NOT NULL AND corrects IS NULL;

INSERT INTO schema_migration VALUES (20, '20 reactions and retractions');
-- What the row does to the message in corrects, told by first_body; it says nothing by itself and is not shown. Where that
-- message is not here, or not to be changed by whoever wants to, corrects is 0. NULL: it is a message that says something.
ALTER TABLE message ADD COLUMN effect TEXT CHECK (effect IN ('reaction', 'retraction', 'moderation'));
-- Who took it back: nothing of what it said is left. NULL: nobody.
ALTER TABLE message ADD COLUMN retraction TEXT CHECK (retraction IN ('author', 'moderator'));
-- What people feel about it, as the rows tell that do so, for a page to be read without looking for them: a line for each of
-- them, with 1 for oneself, the address, and the emoji. NULL: nobody does.
ALTER TABLE message ADD COLUMN reactions TEXT;
CREATE INDEX message_effect_waiting ON message (conversation, replaces) WHERE corrects = 0;
CREATE INDEX message_reply ON message (conversation, reply_id) WHERE reply_id IS NOT NULL;
-- What was on its way when it was taken back is kept until it has arrived.
CREATE TRIGGER message_taken_back AFTER UPDATE OF delivery ON message
  WHEN new.retraction IS NOT NULL AND new.delivery <> 'queued' BEGIN
  UPDATE message SET first_body = NULL, file_address = NULL, file_name = NULL, file_type = NULL,
    file_size = NULL, file_sha256 = NULL WHERE id = new.id;
END;

INSERT INTO message (id, conversation, sender, is_outgoing, body, sent_at, origin_id, replaces, corrects, first_body, effect)
  VALUES (6, 1, 'juliet@example.org/phone', 0, '', 1700000002600000, 'o6', 'o5', 5, '👍 ❤', 'reaction'),
  (7, 1, 'juliet@example.org/phone', 0, '', 1700000002700000, 'o7', 'gone', 0, '', 'retraction');
UPDATE message SET reactions = '0	juliet@example.org	👍 ❤' WHERE id = 5;

INSERT INTO schema_migration VALUES (21, '21 messages are made searchable together');
-- Messages are taken up together, at the end of a transaction (SearchIndex): one that is not yet is not taken out either.
DROP TRIGGER message_inserted;
DROP TRIGGER message_deleted;
CREATE TRIGGER message_deleted AFTER DELETE ON message
  WHEN EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
  INSERT INTO message_text (message_text, rowid, body) VALUES ('delete', old.id, old.body);
END;
DROP TRIGGER message_rewritten;
CREATE TRIGGER message_rewritten AFTER UPDATE OF body ON message
  WHEN EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
  INSERT INTO message_text (message_text, rowid, body) VALUES ('delete', old.id, old.body);
  INSERT INTO message_text (rowid, body) VALUES (new.id, new.body);
END;

INSERT INTO schema_migration VALUES (22, '22 what archives have of refused messages');
-- What archives have of messages that were refused, and that tells nothing when those are sent again: some servers archive a
-- message before they refuse it (FACTS.md 5).
CREATE TABLE refused_copy (
  message INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
  -- The archive's id of the copy; NULL: any that is there, until the archive is looked through before it is sent again.
  stanza_id TEXT,
  UNIQUE (message, stanza_id)
) STRICT;

INSERT INTO refused_copy VALUES (5, NULL), (5, 's5');

INSERT INTO schema_migration VALUES (23, '23 words with files, parts of downloads, limits of unasked ones');
-- What is said in a message of its own after the file; NULL: nothing.
ALTER TABLE transfer ADD COLUMN words TEXT;
-- What the part of a download is called, unlike any other account's; NULL: by the number of its row, as it was before.
ALTER TABLE transfer ADD COLUMN part TEXT;
-- The bytes that may come of what nobody asked for; NULL: as many as of any other.
ALTER TABLE transfer ADD COLUMN size_limit INTEGER;

UPDATE transfer SET words = 'for you';

INSERT INTO schema_migration VALUES (24, '24 what follows a range of an archive comes after');
-- The archive's id of the last message in it that was not typed here; NULL: nobody knows.
ALTER TABLE archive_range ADD COLUMN anchor_id TEXT;

UPDATE archive_range SET anchor_id = 's1';

INSERT INTO schema_migration VALUES (25, '25 what pictures look like, and the sizes of files');
-- Of a picture, as its sender tells; in pixels.
ALTER TABLE message ADD COLUMN file_width INTEGER;
ALTER TABLE message ADD COLUMN file_height INTEGER;
-- The bytes that came where the sender told no number.
ALTER TABLE message ADD COLUMN file_found_size INTEGER;

-- The small pictures that came with messages (XEP-0264).
CREATE TABLE thumbnail (
  message INTEGER NOT NULL PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
  data BLOB NOT NULL
) STRICT;
-- A file that is offered no more is not shown either.
CREATE TRIGGER message_file_gone AFTER UPDATE OF file_address ON message
  WHEN new.file_address IS NULL AND old.file_address IS NOT NULL BEGIN
  DELETE FROM thumbnail WHERE message = new.id;
  UPDATE message SET file_width = NULL, file_height = NULL, file_found_size = NULL
  WHERE id = new.id;
END;

INSERT INTO schema_migration VALUES (26, '26 failures that were looked at, posts that were not read');
-- Whether the person has looked at it since it failed; what becomes of it after that is news.
ALTER TABLE message ADD COLUMN is_failure_seen INTEGER NOT NULL DEFAULT 0;
CREATE INDEX message_failed ON message (conversation)
  WHERE delivery = 'failed' AND is_failure_seen = 0;
CREATE TRIGGER message_tried_again AFTER UPDATE OF delivery ON message
  WHEN new.is_failure_seen = 1 AND new.delivery <> 'failed' BEGIN
  UPDATE message SET is_failure_seen = 0 WHERE id = new.id;
END;
CREATE INDEX feed_post_unread ON feed_post (service, node, is_read) WHERE is_read = 0;

INSERT INTO schema_migration VALUES (27, '27 other places of files');
-- Where else the file is, line by line; NULL: nowhere.
ALTER TABLE message ADD COLUMN file_other_addresses TEXT;
ALTER TABLE transfer ADD COLUMN other_addresses TEXT;
CREATE TRIGGER message_file_gone_everywhere AFTER UPDATE OF file_address ON message
  WHEN new.file_address IS NULL AND new.file_other_addresses IS NOT NULL BEGIN
  UPDATE message SET file_other_addresses = NULL WHERE id = new.id;
END;

INSERT INTO schema_migration VALUES (28, '28 what rooms say of themselves');
-- What its owner wrote about the room; '': nothing.
ALTER TABLE room ADD COLUMN about TEXT NOT NULL DEFAULT '';
-- The SHA-1 of its picture; NULL: it has none, as far as anybody knows.
ALTER TABLE room ADD COLUMN picture_id TEXT;

INSERT INTO schema_migration VALUES (29, '29 what typed messages come after');
-- Of a message that was typed here: the row of what stands right before it in the archive, of what came from elsewhere into the
-- same conversation; negative: of what stands right after it, where nothing before it is known; NULL: not known yet. 0: no
-- matter, as of all that was not typed here.
ALTER TABLE message ADD COLUMN follows INTEGER DEFAULT 0;
CREATE INDEX message_follows ON message (follows) WHERE follows <> 0;
CREATE INDEX message_unplaced ON message (conversation) WHERE follows IS NULL;
