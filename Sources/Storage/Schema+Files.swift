// What is known of files beside what their senders tell in words.
extension Schema {
  static let pictures = """
    -- Of a picture, as its sender tells; in pixels.
    ALTER TABLE message ADD COLUMN file_width INTEGER;
    ALTER TABLE message ADD COLUMN file_height INTEGER;
    -- The bytes that came where the sender told no number.
    ALTER TABLE message ADD COLUMN file_found_size INTEGER;

    -- The small pictures that came with messages (XEP-0264).
    CREATE TABLE thumbnail (
      message INTEGER NOT NULL PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
      data BLOB NOT NULL
    ) STRICT;
    -- A file that is offered no more is not shown either.
    CREATE TRIGGER message_file_gone AFTER UPDATE OF file_address ON message
      WHEN new.file_address IS NULL AND old.file_address IS NOT NULL BEGIN
      DELETE FROM thumbnail WHERE message = new.id;
      UPDATE message SET file_width = NULL, file_height = NULL, file_found_size = NULL
      WHERE id = new.id;
    END;
    """
}
