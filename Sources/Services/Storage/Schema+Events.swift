// Calendars and their events.
extension Schema {
  static let events = """
    -- Calendars of events (XEP-0471), the user's own included.
    CREATE TABLE calendar (
      -- The bare address of an account, or of a service.
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- When its events were last fetched; NULL: never.
      read_at INTEGER,
      -- 0: the user no longer follows it.
      is_followed INTEGER NOT NULL,
      PRIMARY KEY (service, node)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE event (
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
      -- The pending change; NULL: none.
      change TEXT CHECK (change IN ('put', 'take')),
      -- Why that was refused; NULL: it was not.
      refusal TEXT,
      -- The user's answer; NULL: none.
      answer TEXT CHECK (answer IN ('yes', 'maybe', 'no')),
      -- Whether the answer is pending.
      answer_waits INTEGER NOT NULL,
      PRIMARY KEY (service, node, item),
      FOREIGN KEY (service, node) REFERENCES calendar (service, node) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX event_start ON event (starts_at);

    -- Answers to events.
    CREATE TABLE event_answer (
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      item TEXT NOT NULL,
      -- The bare address.
      jid TEXT NOT NULL,
      attendance TEXT NOT NULL CHECK (attendance IN ('yes', 'maybe', 'no')),
      PRIMARY KEY (service, node, item, jid),
      FOREIGN KEY (service, node, item) REFERENCES event (service, node, item) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """
}
