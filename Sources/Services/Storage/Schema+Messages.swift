// Messages, and everything that changes a message.
extension Schema {
  static let messages = """
    -- One row for each message, and one for each stanza that changes another message.
    CREATE TABLE message (
      -- Never reused: events and positions hold it.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      conversation INTEGER NOT NULL REFERENCES conversation (id),
      -- The full address that sent it; in a room the occupant's.
      sender TEXT NOT NULL,
      -- The room's id of its sender (XEP-0421); NULL: not of a room, or the room gives none.
      occupant_id TEXT,
      is_outgoing INTEGER NOT NULL,
      -- The text now; '' in a row that has none of its own.
      body TEXT NOT NULL,
      -- The time that is shown; up to version 3 also the position in the conversation, together with id.
      sent_at INTEGER NOT NULL,
      -- Whether it came late (XEP-0203) or from an archive.
      is_delayed INTEGER NOT NULL DEFAULT 0,
      -- The sender's id (XEP-0359 §3); NULL: it gave none.
      origin_id TEXT,
      -- The archive's id (XEP-0359 §3); NULL: not known (yet).
      stanza_id TEXT,
      -- Of a local message: the id of the remote message right before it in the archive; negative: of the one right after it,
      -- where none before it is known; NULL: not known yet; 0: it is not local.
      follows INTEGER DEFAULT 0,

      -- The state of an outgoing message; NULL for incoming ones.
      delivery TEXT CHECK (delivery IN ('queued', 'sent', 'delivered', 'read', 'failed')),
      -- Why it failed, for the user; NULL unless delivery is 'failed'.
      failure TEXT,
      -- Whether the user has looked at it since it failed; 0 again once its state changes.
      is_failure_seen INTEGER NOT NULL DEFAULT 0,
      -- When it was queued, where that is not sent_at; NULL: at sent_at.
      queued_at INTEGER,
      -- When it was first written to a connection since it was queued; NULL: it was not, or it was refused.
      attempted_at INTEGER,

      -- The sender's id of the message that this row corrects or changes (XEP-0308, 0444, 0424); NULL: it is a message.
      replaces TEXT,
      -- The id of that message: this row is not shown itself. 0: it is not stored, or the sender may not change it. NULL: this row
      -- is a message.
      corrects INTEGER,
      -- The id of the last correction, whose text body has; NULL: there is none.
      edit INTEGER,
      -- The text as it was sent: of a corrected message and of its corrections, whose body is '' so that search does not find
      -- them. NULL: body has it.
      first_body TEXT,
      -- What the row does to the message in corrects, with first_body as argument; NULL: it is a message or a correction.
      effect TEXT CHECK (effect IN ('reaction', 'retraction', 'moderation')),
      -- Who retracted it: its text is gone. NULL: nobody.
      retraction TEXT CHECK (retraction IN ('author', 'moderator')),
      -- All reactions to it, collected from their rows: a line for each sender, with 1 for the user, the address and the emoji,
      -- separated by tabs. NULL: none.
      reactions TEXT,

      -- The message that it replies to (XEP-0461): its id, its author, its text. The first is NULL: it is no reply.
      reply_id TEXT,
      reply_author TEXT,
      reply_text TEXT,

      -- The address of the file that it offers; NULL, with all that follows: none.
      file_address TEXT,
      -- Further addresses of it, one in each line; NULL: none.
      file_other_addresses TEXT,
      -- The name that its sender gave it.
      file_name TEXT,
      -- The media type.
      file_type TEXT,
      -- Bytes, as its sender says.
      file_size INTEGER,
      -- Bytes that were received where the sender gave no size.
      file_found_size INTEGER,
      -- The digests in hexadecimal, with their names unless it is SHA-256 alone.
      file_sha256 TEXT,
      -- Of a picture, in pixels, as its sender says.
      file_width INTEGER,
      file_height INTEGER,
      CHECK ((delivery IS NULL) = (is_outgoing = 0))
    ) STRICT;

    -- Pages of a conversation; the row id is the last part of every index.
    CREATE INDEX message_page ON message (conversation, sent_at);
    -- A message that arrives on several ways is stored once.
    CREATE UNIQUE INDEX message_stanza_id ON message (conversation, stanza_id)
      WHERE stanza_id IS NOT NULL;
    CREATE INDEX message_origin_id ON message (conversation, origin_id, sender)
      WHERE origin_id IS NOT NULL;
    -- Acknowledgements and receipts have the origin-id alone.
    CREATE INDEX message_outgoing ON message (origin_id) WHERE is_outgoing = 1;
    -- The outbox.
    CREATE INDEX message_queued ON message (delivery) WHERE delivery = 'queued';
    -- Messages that their recipient may still read.
    CREATE INDEX message_to_be_read ON message (conversation, sent_at)
      WHERE delivery IN ('sent', 'delivered');
    -- Failures for the list of conversations.
    CREATE INDEX message_failed ON message (conversation)
      WHERE delivery = 'failed' AND is_failure_seen = 0;
    -- Corrections and effects, by their message and while they wait for it.
    CREATE INDEX message_corrects ON message (corrects) WHERE corrects IS NOT NULL;
    CREATE INDEX message_waiting ON message (conversation, replaces)
      WHERE replaces IS NOT NULL AND corrects IS NULL;
    CREATE INDEX message_effect_waiting ON message (conversation, replaces) WHERE corrects = 0;
    CREATE INDEX message_reply ON message (conversation, reply_id) WHERE reply_id IS NOT NULL;
    -- Local messages, by their neighbour in the archive and while they have none.
    CREATE INDEX message_follows ON message (follows) WHERE follows <> 0;
    CREATE INDEX message_unplaced ON message (conversation) WHERE follows IS NULL;
    -- Files of a conversation, and of all of them.
    CREATE INDEX message_file ON message (conversation, sent_at) WHERE file_address IS NOT NULL;
    CREATE INDEX message_file_time ON message (sent_at) WHERE file_address IS NOT NULL;

    -- A failure after a new attempt is a new one.
    CREATE TRIGGER message_tried_again AFTER UPDATE OF delivery ON message
      WHEN new.is_failure_seen = 1 AND new.delivery <> 'failed' BEGIN
      UPDATE message SET is_failure_seen = 0 WHERE id = new.id;
    END;
    -- The content of a message that was retracted while queued is kept until it was sent.
    CREATE TRIGGER message_taken_back AFTER UPDATE OF delivery ON message
      WHEN new.retraction IS NOT NULL AND new.delivery <> 'queued' BEGIN
      UPDATE message SET first_body = NULL, file_address = NULL, file_name = NULL, file_type = NULL,
        file_size = NULL, file_sha256 = NULL WHERE id = new.id;
    END;
    -- With the address of a file everything else about it goes.
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

    -- Small pictures that came with messages (XEP-0264).
    CREATE TABLE thumbnail (
      message INTEGER NOT NULL PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
      -- The bytes of a PNG or JPEG file.
      data BLOB NOT NULL
    ) STRICT;
    """
}
