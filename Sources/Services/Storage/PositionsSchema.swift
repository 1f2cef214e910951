// The order of a conversation, apart from the times at which its messages were sent.
enum PositionsSchema {
  static let sql = """
    -- The time that the message's position corresponds to, where that is not sent_at: clocks differ, and archives have their own
    -- order; NULL: it is sent_at.
    ALTER TABLE message ADD COLUMN placed_at INTEGER;
    -- The position in the conversation, together with id.
    ALTER TABLE message ADD COLUMN position INTEGER
      GENERATED ALWAYS AS (COALESCE(placed_at, sent_at)) VIRTUAL;
    -- The time of sending is stored once.
    CREATE TRIGGER message_sent_once BEFORE UPDATE OF sent_at ON message
      WHEN new.sent_at <> old.sent_at BEGIN
      SELECT RAISE(ABORT, 'the time of sending of a message cannot be changed');
    END;

    DROP INDEX message_page;
    CREATE INDEX message_page ON message (conversation, position);
    DROP INDEX message_to_be_read;
    CREATE INDEX message_to_be_read ON message (conversation, position)
      WHERE delivery IN ('sent', 'delivered');
    DROP INDEX message_corrects;
    CREATE INDEX message_corrects ON message (corrects, effect, position)
      WHERE corrects IS NOT NULL;
    DROP INDEX message_file;
    CREATE INDEX message_file ON message (conversation, position) WHERE file_address IS NOT NULL;
    DROP INDEX message_file_time;
    CREATE INDEX message_file_time ON message (position) WHERE file_address IS NOT NULL;
    -- Messages without any id, by their time alone.
    CREATE INDEX message_unnamed ON message (conversation, sent_at)
      WHERE origin_id IS NULL AND stanza_id IS NULL;
    """
}
