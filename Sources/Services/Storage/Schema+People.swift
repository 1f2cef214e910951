// Contacts, the block list, profiles and cards, with pending changes of them.
extension Schema {
  static let contacts = """
    -- The roster (RFC 6121 §2).
    CREATE TABLE contact (
      -- The bare address.
      jid TEXT NOT NULL PRIMARY KEY,
      -- The name in the roster; NULL: none.
      name TEXT,
      subscription TEXT NOT NULL CHECK (subscription IN ('none', 'to', 'from', 'both')),
      -- Whether a request waits for an answer: ask='subscribe' (RFC 6121 §2.1.2.2).
      is_pending INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE contact_group (
      contact TEXT NOT NULL REFERENCES contact (jid) ON DELETE CASCADE,
      -- The index among the contact's groups, from 0.
      place INTEGER NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (contact, place)
    ) STRICT, WITHOUT ROWID;
    -- One row: how current the lists are.
    CREATE TABLE roster (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The roster's version (RFC 6121 §2.6); NULL: the server gave none.
      version TEXT,
      -- When roster and block list last agreed with the server; NULL: never.
      confirmed_at INTEGER,
      blocked_confirmed_at INTEGER
    ) STRICT;
    INSERT INTO roster (id) VALUES (1);

    -- The block list (XEP-0191): addresses of people, servers, resources.
    CREATE TABLE blocked (
      jid TEXT NOT NULL PRIMARY KEY
    ) STRICT, WITHOUT ROWID;

    -- Pending changes of contacts and of the block list.
    CREATE TABLE contact_change (
      -- Grows with time, never reused.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      jid TEXT NOT NULL,
      -- The part of the contact that changes, one change for each; the change, and its arguments.
      subject TEXT NOT NULL,
      wish TEXT NOT NULL,
      text TEXT,
      detail TEXT,
      -- Why the server refused it; NULL: it waits for a connection.
      refusal TEXT,
      UNIQUE (jid, subject)
    ) STRICT;
    """

  static let people = """
    -- Published nicknames and pictures (XEP-0163); one row for each address that was asked.
    CREATE TABLE profile (
      -- The bare address.
      jid TEXT NOT NULL PRIMARY KEY,
      -- XEP-0172; NULL: none.
      nickname TEXT,
      -- The SHA-1 of the picture (XEP-0084); NULL: there is none.
      avatar_id TEXT
    ) STRICT, WITHOUT ROWID;
    -- Pending changes of the user's own profile; one row or none.
    CREATE TABLE profile_wish (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- Who may read it; NULL: no change.
      visibility TEXT,
      -- The change of the picture; NULL: none.
      picture TEXT CHECK (picture IN ('show', 'hide')),
      -- Of the picture to show: its SHA-1, its bytes in Base64, and its metadata.
      picture_id TEXT,
      data TEXT,
      media_type TEXT,
      byte_count INTEGER,
      width INTEGER,
      height INTEGER
    ) STRICT;

    -- Cards (XEP-0292, XEP-0054) as last read; one row for each address that was asked.
    CREATE TABLE card (
      -- The bare address.
      jid TEXT NOT NULL PRIMARY KEY,
      read_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE card_text (
      jid TEXT NOT NULL REFERENCES card (jid) ON DELETE CASCADE,
      -- The name of a field of PersonCard.
      field TEXT NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (jid, field)
    ) STRICT, WITHOUT ROWID;
    -- Pending changes of the user's own card.
    CREATE TABLE card_change (
      field TEXT NOT NULL PRIMARY KEY,
      -- '': the field is removed.
      text TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
