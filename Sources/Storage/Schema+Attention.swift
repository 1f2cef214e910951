// What the list of conversations and feeds tells.
extension Schema {
  static let attention = """
    -- Whether the person has looked at it since it failed; what becomes of it after that is news.
    ALTER TABLE message ADD COLUMN is_failure_seen INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX message_failed ON message (conversation)
      WHERE delivery = 'failed' AND is_failure_seen = 0;
    CREATE TRIGGER message_tried_again AFTER UPDATE OF delivery ON message
      WHEN new.is_failure_seen = 1 AND new.delivery <> 'failed' BEGIN
      UPDATE message SET is_failure_seen = 0 WHERE id = new.id;
    END;
    CREATE INDEX feed_post_unread ON feed_post (service, node, is_read) WHERE is_read = 0;
    -- It was kept here what the table of messages tells.
    DELETE FROM setting WHERE key = 'sidebar.failures';
    """
}
