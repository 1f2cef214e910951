// How far conversations were read, and what of that is still to be sent.
enum ReadStateSchema {
  static let sql = """
    -- Receipts (XEP-0184) that are still to be sent.
    CREATE TABLE receipt_due (
      -- The full address that asked for it.
      sender TEXT NOT NULL,
      -- The id of its message.
      id TEXT NOT NULL,
      PRIMARY KEY (sender, id)
    ) STRICT, WITHOUT ROWID;

    -- Markers and read positions, also those still to be sent. A row may exist before its conversation.
    CREATE TABLE read_state (
      -- The bare address.
      conversation TEXT NOT NULL PRIMARY KEY,
      -- The id of the newest unread message whose sender asks for a marker (XEP-0333); NULL: none does.
      markable_id TEXT,
      -- The id of the message that a marker is to be sent for; NULL: none.
      marker_due TEXT,
      -- The archive's id of the newest message that was read, here or in another client (XEP-0490); NULL: not known.
      displayed_id TEXT,
      -- Whether the server has displayed_id, for the account's other clients.
      is_published INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX read_state_due ON read_state (conversation)
      WHERE marker_due IS NOT NULL OR is_published = 0;
    """

  /// Conversations that the user marked as unread.
  static let keptUnread = """
    -- Whether the user marked the conversation as unread: the position of displayed_id does not make it read again.
    ALTER TABLE read_state ADD COLUMN kept_unread INTEGER NOT NULL DEFAULT 0;
    """
}
