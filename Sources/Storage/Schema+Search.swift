extension Schema {
  static let searchIndex = """
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
    """
}
