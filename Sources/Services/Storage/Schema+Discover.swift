// Directories of rooms, the components of the server, and feeds.
extension Schema {
  static let directories = """
    -- Directories of public rooms (XEP-0045 §6.3, XEP-0433).
    CREATE TABLE room_directory (
      -- The address of the service.
      jid TEXT NOT NULL PRIMARY KEY,
      -- NULL: it gives none.
      name TEXT,
      kind TEXT NOT NULL CHECK (kind IN ('rooms', 'search')),
      -- Whether the user added it.
      is_added INTEGER NOT NULL,
      -- When its whole list was last read; NULL: never.
      read_at INTEGER
    ) STRICT, WITHOUT ROWID;

    -- The rooms in them, with the rooms' own descriptions.
    CREATE TABLE public_room (
      directory TEXT NOT NULL REFERENCES room_directory (jid) ON DELETE CASCADE,
      -- The bare address.
      jid TEXT NOT NULL,
      name TEXT NOT NULL,
      -- '': none.
      topic TEXT NOT NULL,
      -- The number of occupants; NULL: not known.
      people INTEGER,
      -- The language tag; NULL: not known.
      language TEXT,
      -- The room's properties, separated by spaces.
      traits TEXT NOT NULL,
      -- Whether the room itself was asked.
      is_described INTEGER NOT NULL,
      PRIMARY KEY (directory, jid)
    ) STRICT, WITHOUT ROWID;

    -- The components of the account's server (XEP-0030), as last read.
    CREATE TABLE server_part (
      -- The order; 0 is the server itself.
      place INTEGER PRIMARY KEY,
      jid TEXT NOT NULL,
      name TEXT,
      -- The answer to disco#info, as XML; NULL: there was none.
      discovery TEXT,
      read_at INTEGER NOT NULL
    ) STRICT;

    -- Invitations that the server made for the account (XEP-0401).
    CREATE TABLE own_invitation (
      -- The xmpp: URI to pass on.
      address TEXT NOT NULL PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('contact', 'account')),
      -- A web page for people without a client; NULL: there is none.
      page TEXT,
      -- NULL: not known.
      expires_at INTEGER
    ) STRICT, WITHOUT ROWID;
    """

  static let feeds = """
    -- The feeds that the user follows, their own included (XEP-0472).
    CREATE TABLE feed (
      -- The bare address of an account, or of a service.
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- NULL: it has none.
      title TEXT,
      -- When its posts were last fetched; NULL: never.
      read_at INTEGER,
      PRIMARY KEY (service, node)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE feed_post (
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- The item's id, which stays when the post is edited.
      item TEXT NOT NULL,
      -- The name in the post.
      author TEXT NOT NULL,
      -- '': none.
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      published_at INTEGER NOT NULL,
      -- Its web page; NULL: none.
      link TEXT,
      -- The node of its comments; both NULL: it takes none.
      comments_service TEXT,
      comments_node TEXT,
      is_read INTEGER NOT NULL,
      PRIMARY KEY (service, node, item),
      FOREIGN KEY (service, node) REFERENCES feed (service, node) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX feed_post_age ON feed_post (published_at);
    CREATE INDEX feed_post_unread ON feed_post (service, node, is_read) WHERE is_read = 0;

    -- Pending posts and comments.
    CREATE TABLE feed_draft (
      -- The node that it is published to.
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- The item's id, the same in each attempt.
      item TEXT NOT NULL,
      body TEXT NOT NULL,
      written_at INTEGER NOT NULL,
      is_comment INTEGER NOT NULL,
      -- Why the server refused it; NULL: it waits for a connection.
      refusal TEXT,
      PRIMARY KEY (service, node, item)
    ) STRICT, WITHOUT ROWID;
    """
}
