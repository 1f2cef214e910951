// Pending changes of rooms with all others, and the state of protocols in columns of its own.
enum ProtocolStateSchema {
  static let sql = [bookmarks, rooms, suspects, archives].joined(separator: "\n")

  private static let bookmarks = """
    INSERT INTO pending_change (kind, subject, payload)
      SELECT 'bookmark', jid, json_object('room', jid) FROM room WHERE is_changed <> 0 ORDER BY jid;
    INSERT INTO pending_change (kind, subject, payload)
      SELECT 'notifications', jid, json_object('room', jid, 'setting', nullif(notification_wish, '')) FROM room
        WHERE notification_wish IS NOT NULL ORDER BY jid;
    """

  /// Columns that are dropped would leave their comments: the table is made anew. The setting has
  /// one address in each line.
  private static let rooms = """
    CREATE TABLE room_without_change (
      -- The bare address.
      jid TEXT NOT NULL PRIMARY KEY,
      -- The bookmark's name; NULL: none.
      name TEXT,
      -- The user's nick there; NULL: the account's name.
      nick TEXT,
      -- The room's password; NULL: none is known.
      password TEXT,
      -- Whether it is joined after signing in.
      autojoin INTEGER NOT NULL DEFAULT 0,
      -- Whether the server has a bookmark of it.
      is_published INTEGER NOT NULL DEFAULT 0,
      -- Whether the user was in it, or joining.
      is_wanted INTEGER NOT NULL DEFAULT 0,
      -- '': none.
      subject TEXT NOT NULL DEFAULT '',
      -- The owner's description of the room; '': none.
      about TEXT NOT NULL DEFAULT '',
      -- The SHA-1 of its picture (XEP-0486); NULL: none is known.
      picture_id TEXT,
      -- Whether it announces an archive and did not let it be read in the last visit.
      is_archive_refused INTEGER NOT NULL DEFAULT 0,
      -- Why the user is not in it although they did not leave, who did it, the reason given, and the room to join instead; all
      -- NULL: nothing of that kind happened.
      exit_cause TEXT,
      exit_actor TEXT,
      exit_reason TEXT,
      exit_alternative TEXT
    ) STRICT, WITHOUT ROWID;
    INSERT INTO room_without_change
      SELECT jid, name, nick, password, autojoin, is_published, is_wanted, subject, about, picture_id,
        instr(char(10) || coalesce((SELECT value FROM setting WHERE key = 'rooms.refusing'), '') || char(10),
          char(10) || jid || char(10)) > 0,
        exit_cause, exit_actor, exit_reason, exit_alternative FROM room;
    DELETE FROM setting WHERE key = 'rooms.refusing';
    DROP TABLE room;
    ALTER TABLE room_without_change RENAME TO room;
    """

  /// The setting has one origin-id in each line.
  private static let suspects = """
    -- Queued messages over one of which the server has ended a session.
    CREATE TABLE suspect_message (
      message INTEGER NOT NULL PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE
    ) STRICT;
    INSERT INTO suspect_message
      SELECT id FROM message WHERE delivery = 'queued' AND instr(
        (SELECT char(10) || value || char(10) FROM setting WHERE key = 'outbox.suspects'),
        char(10) || origin_id || char(10)) > 0;
    DELETE FROM setting WHERE key = 'outbox.suspects';
    """

  /// The settings have seconds since 1970: a time and the archive's id, or `all`; the time of the
  /// last message, and those of the first ones of sessions.
  private static let archives = """
    -- How far the account's archive was searched for correspondents that no list has; one row or none.
    CREATE TABLE archive_search (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The archive's id of the oldest message of the searched part; NULL: the search is complete.
      reached_id TEXT,
      -- When that was sent; NULL with the column before.
      reached_at INTEGER,
      CHECK ((reached_id IS NULL) = (reached_at IS NULL))
    ) STRICT;
    INSERT INTO archive_search (id) SELECT 1 FROM setting WHERE key = 'archive.searched' AND value = 'all';
    INSERT INTO archive_search
      SELECT 1, substr(value, instr(value, ' ') + 1), CAST(round(CAST(value AS REAL) * 1000000) AS INTEGER)
      FROM setting WHERE key = 'archive.searched' AND value GLOB '[0-9]* ?*'
        AND CAST(value AS REAL) < 8500000000;

    -- Offline messages that arrived before the account's archive was read: before those that a session began with, other
    -- clients may have received some.
    CREATE TABLE offline_delivery (
      -- message.sent_at of one of them.
      sent_at INTEGER NOT NULL,
      -- Whether a session began with it; 0: it is the last that arrived.
      is_border INTEGER NOT NULL,
      PRIMARY KEY (sent_at, is_border)
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO offline_delivery (sent_at, is_border)
      SELECT CAST(round(time.value * 1000000) AS INTEGER), time.key > 0
      FROM (SELECT '[' || replace(value, ' ', ',') || ']' AS list FROM setting WHERE key = 'archive.handed-over'),
        json_each(CASE WHEN json_valid(list) THEN list ELSE '[]' END) AS time
      WHERE time.type IN ('integer', 'real') AND time.value BETWEEN 0 AND 8500000000;
    DELETE FROM setting WHERE key IN ('archive.searched', 'archive.handed-over');
    """
}
