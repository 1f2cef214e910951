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
