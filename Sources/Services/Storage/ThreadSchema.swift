// The threads of messages.
enum ThreadSchema {
  static let sql = """
    -- The id of the thread that it belongs to (XEP-0201), as its sender gave it; NULL: none.
    ALTER TABLE message ADD COLUMN thread_id TEXT;
    -- The id of the thread that this one came from; NULL: none, as far as is known.
    ALTER TABLE message ADD COLUMN thread_parent TEXT;
    -- The messages of a thread.
    CREATE INDEX message_thread ON message (conversation, thread_id, position)
      WHERE thread_id IS NOT NULL;
    """
}
