// Calendars and what is in them.
extension Schema {
  static let events = """
    -- Calendars of events (XEP-0471), the own one among them.
    CREATE TABLE calendar (
      -- Somebody's bare address, or that of a service.
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- When its events were last fetched; NULL: never.
      read_at INTEGER,
      -- 0: the person has left it.
      is_followed INTEGER NOT NULL,
      PRIMARY KEY (service, node)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE event (
      service TEXT NOT NULL,
      node TEXT NOT NULL,
      -- The item's id, which stays when the event is changed.
      item TEXT NOT NULL,
      name TEXT NOT NULL,
      starts_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      body TEXT NOT NULL,
      place TEXT NOT NULL,
      -- The room that it is for; NULL: none.
      room TEXT,
      takes_answers INTEGER NOT NULL,
      is_cancelled INTEGER NOT NULL,
      -- What was done here and is not told yet; NULL: nothing.
      change TEXT CHECK (change IN ('put', 'take')),
      -- Why that was refused; NULL: it was not.
      refusal TEXT,
      -- The own answer; NULL: none.
      answer TEXT CHECK (answer IN ('yes', 'maybe', 'no')),
      -- Whether it is not told yet.
      answer_waits INTEGER NOT NULL,
      PRIMARY KEY (service, node, item),
      FOREIGN KEY (service, node) REFERENCES calendar (service, node) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX event_start ON event (starts_at);

    -- Who answered what.
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
