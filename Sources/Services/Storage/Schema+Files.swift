// Uploads and downloads.
extension Schema {
  static let files = """
    -- Transfers, those that ended included.
    CREATE TABLE transfer (
      -- Grows with time, never reused.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      direction TEXT NOT NULL CHECK (direction IN ('upload', 'download')),
      -- The address of the conversation.
      conversation TEXT NOT NULL,
      -- Of an upload: the origin_id of the message that will offer the file.
      origin_id TEXT,
      -- Of a download: the id of the message that offers it.
      message INTEGER,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'paused', 'done', 'failed')),
      -- Why it failed: a key of the language files and its arguments, one in each line.
      failure TEXT,
      begun_at INTEGER NOT NULL,

      -- Where the file is, or will be, on this machine.
      path TEXT NOT NULL,
      name TEXT NOT NULL,
      media_type TEXT,
      byte_count INTEGER,
      -- The digests, as in message.file_sha256.
      sha256 TEXT,
      -- The URL; NULL: it has none yet.
      address TEXT,
      -- Of a download: further URLs, one in each line; NULL: none.
      other_addresses TEXT,
      -- Of an upload: the service that took it.
      service TEXT,
      -- Of an upload: the text of a message that follows the file; NULL: none.
      words TEXT,
      -- Of a download: the name of its partial file, unlike any other account's; NULL: it has not begun.
      part TEXT,
      -- Of a download: the version that the partial file is of (RFC 9110 §8.8.3), and in a second line its URL, where that is one
      -- of other_addresses.
      entity_tag TEXT,
      -- Of a download that began by itself: the most bytes that it may have; NULL: the user asked for it.
      size_limit INTEGER
    ) STRICT;
    -- A file with the same content is uploaded once.
    CREATE INDEX transfer_content ON transfer (sha256) WHERE direction = 'upload' AND state = 'done';
    CREATE INDEX transfer_message ON transfer (message) WHERE message IS NOT NULL;
    CREATE INDEX transfer_origin ON transfer (origin_id) WHERE origin_id IS NOT NULL;
    CREATE INDEX transfer_open ON transfer (state) WHERE state <> 'done';
    """
}
