// What is known of files beside what their senders tell in words.
extension Schema {
  static let fileWords = """
    -- What is said in a message of its own after the file; NULL: nothing.
    ALTER TABLE transfer ADD COLUMN words TEXT;
    -- What the part of a download is called, unlike any other account's; NULL: by the number of its row, as it was before.
    ALTER TABLE transfer ADD COLUMN part TEXT;
    -- The bytes that may come of what nobody asked for; NULL: as many as of any other.
    ALTER TABLE transfer ADD COLUMN size_limit INTEGER;
    """

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

  static let otherPlaces = """
    -- Where else the file is, line by line; NULL: nowhere.
    ALTER TABLE message ADD COLUMN file_other_addresses TEXT;
    ALTER TABLE transfer ADD COLUMN other_addresses TEXT;
    CREATE TRIGGER message_file_gone_everywhere AFTER UPDATE OF file_address ON message
      WHEN new.file_address IS NULL AND new.file_other_addresses IS NOT NULL BEGIN
      UPDATE message SET file_other_addresses = NULL WHERE id = new.id;
    END;
    """
}
