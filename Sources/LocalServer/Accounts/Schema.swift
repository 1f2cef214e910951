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
        """)
  ])
}
