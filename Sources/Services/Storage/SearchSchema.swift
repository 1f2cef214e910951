// The full-text index, and the order of messages by their times.
enum SearchSchema {
  /// The first index, a part of the baseline.
  static let baseline = """
    -- Full-text index; the text itself stays in message. SearchIndex adds new messages at the end of a transaction, so the
    -- triggers leave those alone that are not in it yet.
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
    """

  /// An index with the tokenizer `natter` for texts and the names of files. `SearchIndex` fills it
  /// in the background, and until then searches of a conversation read its messages.
  static let sql = """
    -- With the URL of a file its name goes, too.
    UPDATE message SET file_name = NULL WHERE file_address IS NULL AND file_name IS NOT NULL;
    CREATE TRIGGER message_file_name_gone AFTER UPDATE OF file_address ON message
      WHEN new.file_address IS NULL AND new.file_name IS NOT NULL BEGIN
      UPDATE message SET file_name = NULL WHERE id = new.id;
    END;

    DROP TRIGGER message_deleted;
    DROP TRIGGER message_rewritten;
    DROP TABLE message_text;
    -- Full-text index; the texts themselves stay in message. The triggers leave messages alone that
    -- are not in it yet.
    CREATE VIRTUAL TABLE message_text USING fts5 (
      body, file_name, content = 'message', content_rowid = 'id', tokenize = 'natter');
    -- One row: the state of the index.
    CREATE TABLE search_progress (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Messages up to this id are not in the index yet, which is filled newest first; 0: all are.
      missing_up_to INTEGER NOT NULL,
      -- Whether parts of the index may still hold texts that were deleted.
      needs_merge INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO search_progress (id, missing_up_to) SELECT 1, COALESCE(MAX(id), 0) FROM message;

    CREATE TRIGGER message_deleted AFTER DELETE ON message
      WHEN EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
      INSERT INTO message_text (message_text, rowid, body, file_name)
        VALUES ('delete', old.id, old.body, old.file_name);
      UPDATE search_progress SET needs_merge = 1
        WHERE needs_merge = 0 AND (old.body <> '' OR old.file_name IS NOT NULL);
    END;
    CREATE TRIGGER message_rewritten AFTER UPDATE OF body, file_name ON message
      WHEN (new.body <> old.body OR new.file_name IS NOT old.file_name)
        AND EXISTS (SELECT 1 FROM message_text_docsize WHERE id = old.id) BEGIN
      INSERT INTO message_text (message_text, rowid, body, file_name)
        VALUES ('delete', old.id, old.body, old.file_name);
      INSERT INTO message_text (rowid, body, file_name) VALUES (new.id, new.body, new.file_name);
    END;
    CREATE TRIGGER message_text_retracted AFTER UPDATE OF retraction ON message
      WHEN new.retraction IS NOT NULL AND old.retraction IS NULL BEGIN
      UPDATE search_progress SET needs_merge = 1 WHERE needs_merge = 0;
    END;

    -- Messages by their times, and the times of messages by their ids, without their rows.
    CREATE INDEX message_time ON message (sent_at) WHERE corrects IS NULL AND retraction IS NULL;
    CREATE INDEX message_place ON message (id, sent_at, conversation)
      WHERE corrects IS NULL AND retraction IS NULL;
    -- Messages with links, by their times.
    CREATE INDEX message_link ON message (sent_at)
      WHERE corrects IS NULL AND retraction IS NULL AND instr(body, '://') > 0;
    """
}
