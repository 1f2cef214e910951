// What Discover keeps.
extension Schema {
  static let publicRooms = """
    -- Places that list rooms for everybody (XEP-0045 §6.3, XEP-0433).
    CREATE TABLE room_directory (
      -- The address of the service.
      jid TEXT NOT NULL PRIMARY KEY,
      -- What it calls itself; NULL: nothing.
      name TEXT,
      kind TEXT NOT NULL CHECK (kind IN ('rooms', 'search')),
      -- Whether the person added it.
      is_added INTEGER NOT NULL,
      -- When its whole list was last read; NULL: never.
      read_at INTEGER
    ) STRICT, WITHOUT ROWID;

    -- What the directories listed, and what the rooms said of themselves.
    CREATE TABLE public_room (
      directory TEXT NOT NULL REFERENCES room_directory (jid) ON DELETE CASCADE,
      -- The bare address.
      jid TEXT NOT NULL,
      name TEXT NOT NULL,
      topic TEXT NOT NULL,
      -- How many are in it; NULL: not known.
      people INTEGER,
      -- The tag of the language that is spoken there; NULL: not known.
      language TEXT,
      -- What kind of room it is, word by word.
      traits TEXT NOT NULL,
      is_described INTEGER NOT NULL,
      PRIMARY KEY (directory, jid)
    ) STRICT, WITHOUT ROWID;
    """

  static let serverParts = """
    -- What the own server consists of (XEP-0030), as it was read last.
    CREATE TABLE server_part (
      -- The server itself has 0.
      place INTEGER PRIMARY KEY,
      jid TEXT NOT NULL,
      name TEXT,
      -- The answer to disco#info; NULL: there was none.
      discovery TEXT,
      read_at INTEGER NOT NULL
    ) STRICT;

    -- Invitations that the server made for the account (XEP-0401).
    CREATE TABLE own_invitation (
      -- The xmpp: address to give away.
      address TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('contact', 'account')),
      -- A page for people without a client; NULL: there is none.
      page TEXT,
      -- Until when it is good; NULL: not told.
      expires_at INTEGER
    ) STRICT, WITHOUT ROWID;
    """

  static let feeds = """
    -- The feeds that the person follows, his own among them (XEP-0472).
    CREATE TABLE feed (
      -- Somebody's bare address, or that of a service.
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- What it calls itself; NULL: nothing.
      title TEXT,
      -- When its posts were last fetched; NULL: never.
      read_at INTEGER,
      PRIMARY KEY (service, node)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE feed_post (
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- The item's id, which stays when the post is changed.
      item TEXT NOT NULL,
      author TEXT NOT NULL,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      published_at INTEGER NOT NULL,
      -- A page that has it; NULL: none.
      link TEXT,
      -- Where comments are; both NULL: it takes none.
      comments_service TEXT,
      comments_node TEXT,
      is_read INTEGER NOT NULL,
      PRIMARY KEY (service, node, item),
      FOREIGN KEY (service, node) REFERENCES feed (service, node) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX feed_post_age ON feed_post (published_at);
    """

  static let feedDrafts = """
    -- Posts and comments that were written here and are not in their feed yet.
    CREATE TABLE feed_draft (
      -- Where it goes.
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- Its item's id, the same at each attempt.
      item TEXT NOT NULL,
      body TEXT NOT NULL,
      written_at INTEGER NOT NULL,
      is_comment INTEGER NOT NULL,
      -- Why its server did not take it; NULL: it waits for a connection.
      refusal TEXT,
      PRIMARY KEY (service, node, item)
    ) STRICT, WITHOUT ROWID;
    """
}
