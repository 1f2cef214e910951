import SQLite

/// The tables of the server's database. Steps are only ever appended.
enum Schema {
  static let migrator = Migrator([
    Migration(
      "accounts, rosters, messages",
      sql: """
        CREATE TABLE account (
          name TEXT PRIMARY KEY NOT NULL,
          roster_version INTEGER NOT NULL DEFAULT 0,
          is_greeted INTEGER NOT NULL DEFAULT 0,
          last_seen REAL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE scram_keys (
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          mechanism TEXT NOT NULL,
          salt BLOB NOT NULL,
          iterations INTEGER NOT NULL,
          stored_key BLOB NOT NULL,
          server_key BLOB NOT NULL,
          PRIMARY KEY (account, mechanism)
        ) STRICT, WITHOUT ROWID;

        -- subscription bits: 1 to, 2 from, 4 pending out, 8 pending in
        CREATE TABLE roster_item (
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          jid TEXT NOT NULL,
          name TEXT,
          groups TEXT NOT NULL DEFAULT '',
          subscription INTEGER NOT NULL,
          is_listed INTEGER NOT NULL,
          request TEXT,
          PRIMARY KEY (account, jid)
        ) STRICT, WITHOUT ROWID;

        -- messages that no client of the account has confirmed yet; AUTOINCREMENT: an id never comes back
        CREATE TABLE message (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          arrived REAL NOT NULL,
          stanza TEXT NOT NULL
        ) STRICT;
        CREATE INDEX message_account ON message (account, id);

        -- vcard-temp and private storage: one XML element under its name and namespace
        CREATE TABLE kept_element (
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          kind TEXT NOT NULL,
          element TEXT NOT NULL,
          PRIMARY KEY (account, kind)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """),
    Migration(
      "archives",
      sql: """
        -- what was said, for each owner: an account's or a room's bare address
        CREATE TABLE archive (
          id INTEGER PRIMARY KEY, -- microseconds since 1970, one more where two meet
          owner TEXT NOT NULL,
          peer TEXT NOT NULL,     -- the other's bare address; the room's own in a room
          resource TEXT,          -- the other's resource; the nickname in a room
          stanza TEXT NOT NULL
        ) STRICT;
        CREATE INDEX archive_owner ON archive (owner, id);
        CREATE INDEX archive_peer ON archive (owner, peer, id);
        """),
    Migration(
      "rooms",
      sql: """
        -- settings: the submitted form, as XML
        CREATE TABLE room (
          name TEXT PRIMARY KEY NOT NULL,
          secret BLOB NOT NULL,
          settings TEXT NOT NULL,
          title TEXT NOT NULL,
          is_public INTEGER NOT NULL,
          subject TEXT,
          subject_nickname TEXT,
          subject_time REAL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE room_affiliation (
          room TEXT NOT NULL REFERENCES room (name) ON DELETE CASCADE,
          jid TEXT NOT NULL,
          affiliation TEXT NOT NULL,
          PRIMARY KEY (room, jid)
        ) STRICT, WITHOUT ROWID;
        """),
    Migration(
      "published items, blocked addresses",
      sql: """
        -- settings: the submitted form, as XML
        CREATE TABLE node (
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          name TEXT NOT NULL,
          settings TEXT NOT NULL,
          PRIMARY KEY (account, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE node_item (
          number INTEGER PRIMARY KEY AUTOINCREMENT, -- the newest is the highest
          account TEXT NOT NULL,
          node TEXT NOT NULL,
          id TEXT NOT NULL,
          publisher TEXT NOT NULL,
          payload TEXT NOT NULL,
          UNIQUE (account, node, id),
          FOREIGN KEY (account, node) REFERENCES node (account, name) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX node_item_order ON node_item (account, node, number);

        CREATE TABLE node_member (
          account TEXT NOT NULL,
          node TEXT NOT NULL,
          jid TEXT NOT NULL,
          PRIMARY KEY (account, node, jid),
          FOREIGN KEY (account, node) REFERENCES node (account, name) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE blocked (
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          jid TEXT NOT NULL,
          PRIMARY KEY (account, jid)
        ) STRICT, WITHOUT ROWID;
        """),
    Migration(
      "tokens",
      sql: """
        -- what stands for a password: hashes of access and refresh tokens; expires: seconds since 1970
        CREATE TABLE token (
          hash BLOB PRIMARY KEY NOT NULL,
          kind TEXT NOT NULL,
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          family TEXT NOT NULL,
          expires REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX token_family ON token (family);

        -- what clients come back with
        CREATE TABLE returning_token (
          account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
          client TEXT NOT NULL,
          secret TEXT NOT NULL,
          expires REAL NOT NULL,
          PRIMARY KEY (account, client)
        ) STRICT, WITHOUT ROWID;
        """),
  ])
}
