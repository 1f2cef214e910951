-- A database as schema 1 leaves it, with something in each table. Never changed: later schemas are tested against it.
PRAGMA application_id = 1315009619;
CREATE TABLE schema_migration (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO schema_migration VALUES (1, '1 baseline');

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

CREATE TABLE blocked (
  account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
  jid TEXT NOT NULL,
  PRIMARY KEY (account, jid)
) STRICT, WITHOUT ROWID;

CREATE TABLE kept_element (
  account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  element TEXT NOT NULL,
  PRIMARY KEY (account, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
  arrived REAL NOT NULL,
  stanza TEXT NOT NULL
) STRICT;
CREATE INDEX message_account ON message (account, id);

CREATE TABLE archive (
  id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  peer TEXT NOT NULL,
  resource TEXT,
  stanza TEXT NOT NULL
) STRICT;
CREATE INDEX archive_owner ON archive (owner, id);
CREATE INDEX archive_peer ON archive (owner, peer, id);

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

CREATE TABLE node (
  account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  PRIMARY KEY (account, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_item (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
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

CREATE TABLE token (
  hash BLOB PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
  family TEXT NOT NULL,
  expires REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX token_family ON token (family);

CREATE TABLE returning_token (
  account TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
  client TEXT NOT NULL,
  secret TEXT NOT NULL,
  expires REAL NOT NULL,
  PRIMARY KEY (account, client)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

INSERT INTO account (name, roster_version, is_greeted, last_seen) VALUES
  ('alice', 3, 1, 1700000000.5);
INSERT INTO scram_keys (account, mechanism, salt, iterations, stored_key, server_key) VALUES
  ('alice', 'SCRAM-SHA-256', x'01', 4096, x'02', x'03');
INSERT INTO roster_item (account, jid, name, groups, subscription, is_listed, request) VALUES
  ('alice', 'bob@localhost', 'Bob', '', 3, 1, NULL),
  ('alice', 'carol@localhost', NULL, '', 8, 0, '<presence xmlns=''jabber:client''><status>Hello</status></presence>');
INSERT INTO blocked (account, jid) VALUES
  ('alice', 'mallory@localhost');
INSERT INTO kept_element (account, kind, element) VALUES
  ('alice', 'vCard vcard-temp', '<vCard xmlns=''vcard-temp''/>');
INSERT INTO message (id, account, arrived, stanza) VALUES
  (5, 'alice', 1700000001.5, '<message xmlns=''jabber:client''><body>Hi</body></message>');
INSERT INTO archive (id, owner, peer, resource, stanza) VALUES
  (1700000001500000, 'alice@localhost', 'bob@localhost', 'natter', '<message xmlns=''jabber:client''><body>Hi</body></message>');
INSERT INTO room (name, secret, settings, title, is_public, subject, subject_nickname, subject_time) VALUES
  ('tea', x'04', '<x xmlns=''jabber:x:data'' type=''submit''/>', 'Tea', 1, 'Cups', 'alice', 1700000002.5);
INSERT INTO room_affiliation (room, jid, affiliation) VALUES
  ('tea', 'alice@localhost', 'owner');
INSERT INTO node (account, name, settings) VALUES
  ('alice', 'urn:xmpp:microblog:0', '<x xmlns=''jabber:x:data'' type=''submit''/>');
INSERT INTO node_item (number, account, node, id, publisher, payload) VALUES
  (2, 'alice', 'urn:xmpp:microblog:0', 'i1', 'alice@localhost', '<entry/>');
INSERT INTO node_member (account, node, jid) VALUES
  ('alice', 'urn:xmpp:microblog:0', 'bob@localhost');
INSERT INTO token (hash, kind, account, family, expires) VALUES
  (x'05', 'access', 'alice', 'f1', 1700000003.5);
INSERT INTO returning_token (account, client, secret, expires) VALUES
  ('alice', 'c1', 's1', 1700000004.5);
INSERT INTO setting (name, value) VALUES
  ('port', x'35323232');
