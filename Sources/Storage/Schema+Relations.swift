extension Schema {
  static let relations = """
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
    """
}

extension Schema {
  static let effects = """
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
    """

  static let typedPlaces = """
    -- Of a message that was typed here: the row of what stands right before it in the archive, of what came from elsewhere into the
    -- same conversation; negative: of what stands right after it, where nothing before it is known; NULL: not known yet. 0: no
    -- matter, as of all that was not typed here.
    ALTER TABLE message ADD COLUMN follows INTEGER DEFAULT 0;
    CREATE INDEX message_follows ON message (follows) WHERE follows <> 0;
    CREATE INDEX message_unplaced ON message (conversation) WHERE follows IS NULL;
    """
}
