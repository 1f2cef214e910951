import SQLite

/// The schema of the built-in server's database: a baseline, made in one go, and the steps since.
///
/// A step that was released is never changed; new ones are appended to the list. The tests keep a
/// file of each version (`Tests/LocalServerTests/Fixtures`) and bring it to the newest.
enum Schema {
  /// `NatS` in ASCII. Files of development builds, made before the baseline, have none.
  static let applicationID: Int32 = 0x4e61_7453

  static let migrator = Migrator(
    [Migration("1 baseline", sql: baseline.joined(separator: "\n"))],
    applicationID: applicationID)

  /// The first step, by subject.
  private static let baseline = [accounts, messages, archives, rooms, nodes, tokens, settings]

  private static let accounts = """
    CREATE TABLE account (
      -- The local part of its address.
      name TEXT PRIMARY KEY NOT NULL,
      -- RFC 6121 §2.6; grows with each change.
      roster_version INTEGER NOT NULL DEFAULT 0,
      -- Whether the guide has written to it.
      is_greeted INTEGER NOT NULL DEFAULT 0,
      -- When its last client left, in seconds since 1970; NULL: none has yet.
      last_seen REAL
    ) STRICT, WITHOUT ROWID;

    -- Keys of passwords (RFC 5802 §3), one row for each SCRAM mechanism.
    CREATE TABLE scram_keys (
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      mechanism TEXT NOT NULL,
      salt BLOB NOT NULL,
      iterations INTEGER NOT NULL,
      stored_key BLOB NOT NULL,
      server_key BLOB NOT NULL,
      PRIMARY KEY (account, mechanism)
    ) STRICT, WITHOUT ROWID;

    -- Rosters (RFC 6121 §2), and subscription requests of others.
    CREATE TABLE roster_item (
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      jid TEXT NOT NULL,
      name TEXT,
      groups TEXT NOT NULL DEFAULT '',
      -- Bits: 1 to, 2 from, 4 pending out, 8 pending in.
      subscription INTEGER NOT NULL,
      -- Whether clients see it in the roster; 0: only a request.
      is_listed INTEGER NOT NULL,
      -- The stanza of the request, as XML; NULL: none.
      request TEXT,
      PRIMARY KEY (account, jid)
    ) STRICT, WITHOUT ROWID;

    -- Block lists (XEP-0191).
    CREATE TABLE blocked (
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      jid TEXT NOT NULL,
      PRIMARY KEY (account, jid)
    ) STRICT, WITHOUT ROWID;

    -- Cards (XEP-0054) and private storage (XEP-0049): one element for each name and namespace.
    CREATE TABLE kept_element (
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      -- The element's name and namespace.
      kind TEXT NOT NULL,
      -- As XML.
      element TEXT NOT NULL,
      PRIMARY KEY (account, kind)
    ) STRICT, WITHOUT ROWID;
    """

  private static let messages = """
    -- Messages that no client of the account has acknowledged yet.
    CREATE TABLE message (
      -- Never reused.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      -- Seconds since 1970.
      arrived REAL NOT NULL,
      -- As XML.
      stanza TEXT NOT NULL
    ) STRICT;
    CREATE INDEX message_account ON message (account, id);
    """

  private static let archives = """
    -- The archives (XEP-0313) of accounts and rooms.
    CREATE TABLE archive (
      -- Microseconds since 1970, increased by one while another message has them.
      id INTEGER PRIMARY KEY,
      -- The bare address of the account or room.
      owner TEXT NOT NULL,
      -- The bare address of the other side; in a room the room's own.
      peer TEXT NOT NULL,
      -- The resource of the other side; in a room the nick. NULL: none.
      resource TEXT,
      -- As XML.
      stanza TEXT NOT NULL
    ) STRICT;
    CREATE INDEX archive_owner ON archive (owner, id);
    CREATE INDEX archive_peer ON archive (owner, peer, id);
    """

  private static let rooms = """
    CREATE TABLE room (
      -- The local part of its address.
      name TEXT PRIMARY KEY NOT NULL,
      -- The key of its occupant ids (XEP-0421).
      secret BLOB NOT NULL,
      -- The submitted form, as XML.
      settings TEXT NOT NULL,
      -- From the settings, for the list of rooms.
      title TEXT NOT NULL,
      is_public INTEGER NOT NULL,
      -- The subject, the nick that set it, and when, in seconds since 1970; all NULL: none was set.
      subject TEXT,
      subject_nickname TEXT,
      subject_time REAL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE room_affiliation (
      room TEXT NOT NULL REFERENCES room (name) ON DELETE CASCADE,
      -- The bare address.
      jid TEXT NOT NULL,
      affiliation TEXT NOT NULL,
      PRIMARY KEY (room, jid)
    ) STRICT, WITHOUT ROWID;
    """

  private static let nodes = """
    -- Nodes of accounts (XEP-0163).
    CREATE TABLE node (
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      name TEXT NOT NULL,
      -- The submitted form, as XML.
      settings TEXT NOT NULL,
      PRIMARY KEY (account, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE node_item (
      -- The order; the newest has the highest.
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL,
      node TEXT NOT NULL,
      id TEXT NOT NULL,
      -- The address that published it.
      publisher TEXT NOT NULL,
      -- As XML.
      payload TEXT NOT NULL,
      UNIQUE (account, node, id),
      FOREIGN KEY (account, node) REFERENCES node (account, name) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX node_item_order ON node_item (account, node, number);

    -- Addresses that a node of the access model "whitelist" is open to.
    CREATE TABLE node_member (
      account TEXT NOT NULL,
      node TEXT NOT NULL,
      jid TEXT NOT NULL,
      PRIMARY KEY (account, node, jid),
      FOREIGN KEY (account, node) REFERENCES node (account, name) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """

  private static let tokens = """
    -- Access and refresh tokens (RFC 6749 §1.4, §1.5).
    CREATE TABLE token (
      -- The token itself is not stored.
      hash BLOB PRIMARY KEY NOT NULL,
      kind TEXT NOT NULL,
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      -- The same for all tokens of one sign-in, which are revoked together.
      family TEXT NOT NULL,
      -- Seconds since 1970.
      expires REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX token_family ON token (family);

    -- Tokens that a client signs in again with (XEP-0484).
    CREATE TABLE returning_token (
      account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
      -- The client's id of itself.
      client TEXT NOT NULL,
      secret TEXT NOT NULL,
      -- Seconds since 1970.
      expires REAL NOT NULL,
      PRIMARY KEY (account, client)
    ) STRICT, WITHOUT ROWID;
    """

  private static let settings = """
    -- Ports and keys of the server.
    CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    """
}
