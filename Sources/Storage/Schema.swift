import SQLite

/// The schema of an account's database. A step that was released is never changed; new ones are appended.
package enum Schema {
  package static let migrator = Migrator([
    Migration("1 conversations and messages", sql: version1),
    Migration("2 archive ranges and attempts", sql: version2),
    Migration("3 commands", sql: commands),
    Migration("4 the session to resume, and when messages were queued", sql: session),
    Migration("5 read state", sql: readState),
    Migration("6 rooms", sql: rooms),
    Migration("7 members of rooms, invitations, changes to bookmarks", sql: roomPeople),
    Migration("8 what people publish, and who is blocked", sql: people),
    Migration("9 files", sql: files),
    Migration("10 cards", sql: cards),
    Migration("11 public rooms", sql: publicRooms),
    Migration("12 files by their time", sql: fileTimes),
    Migration("13 parts of the server, invitations", sql: serverParts),
    Migration("14 feeds", sql: feeds),
    Migration("15 what of a room is told", sql: notificationWishes),
    Migration("16 posts and comments that wait", sql: feedDrafts),
    Migration("17 events", sql: events),
    Migration("18 what is done to people and not told", sql: contactChanges),
    Migration("19 corrections and answers", sql: relations),
    Migration("20 reactions and retractions", sql: effects),
    Migration("21 messages are made searchable together", sql: searchIndex),
    Migration("22 what archives have of refused messages", sql: refusedCopies),
    Migration("23 words with files, parts of downloads, limits of unasked ones", sql: fileWords),
    Migration("24 what follows a range of an archive comes after", sql: rangeAnchors),
    Migration("25 what pictures look like, and the sizes of files", sql: pictures),
    Migration("26 failures that were looked at, posts that were not read", sql: attention),
    Migration("27 other places of files", sql: otherPlaces),
    Migration("28 what rooms say of themselves", sql: roomCards),
    Migration("29 what typed messages come after", sql: typedPlaces),
  ])

  /// Times are microseconds since 1970-01-01 UTC; addresses are prepared (RFC 7622); truth values are 0 and 1.
  private static let version1 = """
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
    """

  private static let version2 = """
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
    """

  private static let commands = """
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
    """

  private static let session = """
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
    """

  private static let readState = """
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
    """

  private static let rooms = """
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
    """

  private static let roomPeople = """
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
    """

  private static let people = """
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
    """

  private static let files = """
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
    """

  private static let cards = """
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
    """

  private static let fileTimes = """
    -- The list of all files, whatever conversation they are of.
    CREATE INDEX message_file_time ON message (sent_at) WHERE file_address IS NOT NULL;
    CREATE INDEX transfer_origin ON transfer (origin_id) WHERE origin_id IS NOT NULL;
    """

  private static let rangeAnchors = """
    -- The archive's id of the last message in it that was not typed here; NULL: nobody knows.
    ALTER TABLE archive_range ADD COLUMN anchor_id TEXT;
    """

  private static let notificationWishes = """
    -- What of the room is told, chosen where the server could not hear of it; '': as with other rooms; NULL: it knows.
    ALTER TABLE room ADD COLUMN notification_wish TEXT;
    """
}
