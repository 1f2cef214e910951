// All pending changes in one table.
enum PendingChangesSchema {
  static let sql = [table, contacts, profile, follows, presence, posts, events]
    .joined(separator: "\n")

  private static let table = """
    -- Changes that the user made and that the server has not accepted yet.
    CREATE TABLE pending_change (
      -- Grows with time, never reused.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      -- One of PendingChangeKind.
      kind TEXT NOT NULL CHECK (kind IN ('contact', 'card', 'visibility', 'picture', 'presence', 'follow', 'post', 'event', 'answer', 'bookmark', 'notifications')),
      -- What it changes, one change for each: names and addresses, separated by U+001F; '': there is only one of the kind.
      subject TEXT NOT NULL,
      -- The change, as a JSON object.
      payload TEXT NOT NULL,
      -- Whether it waits for a connection, or the server refused it.
      state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'refused')),
      -- Why the server refused it; NULL: it waits.
      refusal TEXT,
      UNIQUE (kind, subject),
      CHECK ((state = 'refused') = (refusal IS NOT NULL))
    ) STRICT;
    """

  /// The first line of the text of an added contact is its name, the others are its message. Groups
  /// have one line each: in their JSON a line end becomes the border of two strings, once
  /// backslashes are spelled so that none precedes an `n`.
  private static let contacts = #"""
    INSERT INTO pending_change (kind, subject, payload, state, refusal)
      SELECT 'contact', jid || char(31) || subject,
        CASE wish
          WHEN 'add' THEN json_object('jid', jid, 'operation', wish,
            'name', nullif(CASE instr(text, char(10)) WHEN 0 THEN text ELSE substr(text, 1, instr(text, char(10)) - 1) END, ''),
            'message', nullif(CASE instr(text, char(10)) WHEN 0 THEN '' ELSE substr(text, instr(text, char(10)) + 1) END, ''),
            'invitation', detail)
          WHEN 'rename' THEN json_object('jid', jid, 'operation', wish, 'name', text)
          WHEN 'regroup' THEN json_object('jid', jid, 'operation', wish, 'groups', json(
            CASE coalesce(text, '') WHEN '' THEN '[]'
            ELSE '[' || replace(replace(json_quote(text), '\\', '\u005c'), '\n', '","') || ']' END))
          WHEN 'block' THEN json_object('jid', jid, 'operation', wish, 'reason', detail, 'report', text)
          ELSE json_object('jid', jid, 'operation', wish)
        END,
        CASE WHEN refusal IS NULL THEN 'waiting' ELSE 'refused' END, refusal
      FROM contact_change ORDER BY id;
    DROP TABLE contact_change;
    """#

  private static let profile = """
    INSERT INTO pending_change (kind, subject, payload)
      SELECT 'card', field, json_object('field', field, 'text', text) FROM card_change
        ORDER BY field;
    INSERT INTO pending_change (kind, subject, payload)
      SELECT 'visibility', '', json_object('visibility', visibility) FROM profile_wish
        WHERE visibility IS NOT NULL;
    INSERT INTO pending_change (kind, subject, payload)
      SELECT 'picture', '', CASE picture WHEN 'hide' THEN '{}' ELSE json_object('picture', json_object(
        'id', coalesce(picture_id, ''), 'base64', coalesce(data, ''), 'mediaType', coalesce(media_type, ''),
        'byteCount', coalesce(byte_count, 0), 'width', width, 'height', height)) END
      FROM profile_wish WHERE picture IS NOT NULL;
    DROP TABLE card_change;
    DROP TABLE profile_wish;
    """

  /// The key of a request has the kind of the source, a space, the service, a tab and the node.
  private static let follows = """
    INSERT OR IGNORE INTO pending_change (kind, subject, payload)
      SELECT 'follow', source || char(31) || service || char(31) || node,
        json_object('source', source, 'service', service, 'node', node,
          'follows', json(CASE value WHEN '1' THEN 'true' ELSE 'false' END))
      FROM (
        SELECT value, source, CASE tab WHEN 0 THEN rest ELSE substr(rest, 1, tab - 1) END AS service,
          CASE tab WHEN 0 THEN '' ELSE substr(rest, tab + 1) END AS node
        FROM (
          SELECT value, substr(key, 8, instr(key, ' ') - 8) AS source,
            substr(key, instr(key, ' ') + 1) AS rest,
            instr(substr(key, instr(key, ' ') + 1), char(9)) AS tab
          FROM setting WHERE substr(key, 1, 7) = 'follow.'))
      WHERE source IN ('feed', 'calendar', 'rooms') ORDER BY source, service, node;
    DELETE FROM setting WHERE substr(key, 1, 7) = 'follow.'
      AND substr(key, 8, instr(key, ' ') - 8) IN ('feed', 'calendar', 'rooms');
    """

  private static let presence = """
    INSERT INTO pending_change (kind, subject, payload)
      SELECT 'presence', '', json_object(
        'availability', CASE WHEN availability IN ('extendedAway', 'away', 'busy', 'chatty') THEN availability ELSE 'online' END,
        'status', status,
        'priority', CASE WHEN priority BETWEEN -128 AND 127 THEN priority ELSE 0 END)
      FROM (SELECT
        (SELECT value FROM setting WHERE key = 'presence.availability') AS availability,
        (SELECT value FROM setting WHERE key = 'presence.status') AS status,
        CAST((SELECT value FROM setting WHERE key = 'presence.priority') AS INTEGER) AS priority)
      WHERE coalesce(availability, status, priority) IS NOT NULL;

    -- Requests to see the user's presence that have no answer yet.
    CREATE TABLE subscription_request (
      -- The bare address that asks.
      jid TEXT NOT NULL PRIMARY KEY,
      -- When it asked.
      asked_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- The key has the address, the value milliseconds; what is no time is the oldest.
    INSERT INTO subscription_request (jid, asked_at)
      SELECT substr(key, 18), CASE WHEN CAST(value AS INTEGER) BETWEEN 0 AND 9000000000000
        THEN CAST(value AS INTEGER) * 1000 ELSE 0 END FROM setting
        WHERE substr(key, 1, 17) = 'presence.request ';
    DELETE FROM setting WHERE substr(key, 1, 17) = 'presence.request '
      OR key IN ('presence.availability', 'presence.status', 'presence.priority');
    """

  private static let posts = """
    INSERT INTO pending_change (kind, subject, payload, state, refusal)
      SELECT 'post', service || char(31) || node || char(31) || item,
        json_object('service', service, 'node', node, 'item', item, 'text', body, 'written', written_at,
          'isComment', json(CASE is_comment WHEN 0 THEN 'false' ELSE 'true' END)),
        CASE WHEN refusal IS NULL THEN 'waiting' ELSE 'refused' END, refusal
      FROM feed_draft ORDER BY written_at, item;
    DROP TABLE feed_draft;
    """

  /// Columns that are dropped would leave their comments: the table of events is made anew.
  private static let events = """
    INSERT INTO pending_change (kind, subject, payload, state, refusal)
      SELECT 'event', service || char(31) || node || char(31) || item,
        json_object('service', service, 'node', node, 'item', item, 'change', change),
        CASE WHEN refusal IS NULL THEN 'waiting' ELSE 'refused' END, refusal
      FROM event WHERE change IS NOT NULL ORDER BY starts_at, service, node, item;
    INSERT INTO pending_change (kind, subject, payload)
      SELECT 'answer', service || char(31) || node || char(31) || item,
        json_object('service', service, 'node', node, 'item', item)
      FROM event WHERE answer_waits <> 0 ORDER BY starts_at, service, node, item;
    CREATE TABLE event_without_change (
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- The item's id, which stays when the event is edited.
      item TEXT NOT NULL,
      name TEXT NOT NULL,
      starts_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      body TEXT NOT NULL,
      -- The location; '': not given.
      place TEXT NOT NULL,
      -- The room that it belongs to; NULL: none.
      room TEXT,
      -- Whether it asks for answers.
      takes_answers INTEGER NOT NULL,
      is_cancelled INTEGER NOT NULL,
      -- The user's answer; NULL: none.
      answer TEXT CHECK (answer IN ('yes', 'maybe', 'no')),
      PRIMARY KEY (service, node, item),
      FOREIGN KEY (service, node) REFERENCES calendar (service, node) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    INSERT INTO event_without_change
      SELECT service, node, item, name, starts_at, ends_at, body, place, room, takes_answers, is_cancelled, answer
      FROM event;
    DROP TABLE event;
    ALTER TABLE event_without_change RENAME TO event;
    CREATE INDEX event_start ON event (starts_at);
    -- With an event its pending changes go.
    CREATE TRIGGER event_gone AFTER DELETE ON event BEGIN
      DELETE FROM pending_change WHERE kind IN ('event', 'answer')
        AND subject = old.service || char(31) || old.node || char(31) || old.item;
    END;
    """
}
