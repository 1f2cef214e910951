import SQLite
import XML
import XMPP

/// The persistent part of rooms: settings, subject and affiliations, without occupants. Valid
/// within one transaction.
struct RoomStore {
  let database: DatabaseConnection

  /// - Parameter jid: the room's bare address.
  func room(_ jid: JID) throws -> Room? {
    let room = try database.firstRow(
      """
      SELECT secret, settings, subject, subject_nickname, subject_time FROM room WHERE name = ?
      """, jid.local
    ) { row in
      var room = Room(jid, secret: row.bytes(0))
      let form = XMLColumn.parse(row.string(1)).flatMap { XEP0004DataForm($0) }
      // Applying the form cannot fail: it was made from valid settings.
      if let form { _ = room.settings.apply(form) }
      if let text = row.optionalString(2) {
        room.subject = RoomSubject(text: text, nickname: row.string(3), time: row.double(4))
      }
      return room
    }
    guard var room else { return nil }
    let rows = try database.rows(
      "SELECT jid, affiliation FROM room_affiliation WHERE room = ?", jid.local
    ) { ($0.string(0), $0.string(1)) }
    for (text, name) in rows {
      guard let jid = Address.parse(text), let affiliation = Affiliation(rawValue: name) else {
        continue
      }
      room.affiliations[jid] = affiliation
    }
    return room
  }

  func count() throws -> Int {
    try database.firstRow("SELECT count(*) FROM room") { $0.int(0) } ?? 0
  }

  /// Returns the public rooms, sorted by name.
  func publicRooms() throws -> [(name: String, title: String)] {
    try database.rows("SELECT name, title FROM room WHERE is_public ORDER BY name") {
      (name: $0.string(0), title: $0.string(1))
    }
  }

  /// Adds a room, or updates its settings.
  func put(_ room: Room) throws {
    let settings = XMLWriter().string(room.settings.form(.submit).element)
    try database.run(
      """
      INSERT INTO room (name, secret, settings, title, is_public) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET settings = excluded.settings, title = excluded.title,
        is_public = excluded.is_public
      """, room.name, room.secret, settings, room.settings.name, room.settings.isPublic)
  }

  func setSubject(_ subject: RoomSubject, of name: String) throws {
    try database.run(
      "UPDATE room SET subject = ?, subject_nickname = ?, subject_time = ? WHERE name = ?",
      subject.text, subject.nickname, subject.time, name)
  }

  func setAffiliation(_ affiliation: Affiliation, of jid: JID, in name: String) throws {
    if affiliation == .none {
      try database.run(
        "DELETE FROM room_affiliation WHERE room = ? AND jid = ?", name, jid.description)
    } else {
      try database.run(
        "INSERT OR REPLACE INTO room_affiliation VALUES (?, ?, ?)", name, jid.description,
        affiliation.rawValue)
    }
  }

  /// Removes the affiliations of a deleted account, because the next account with its name belongs
  /// to another user.
  func removeAffiliations(of jid: JID) throws {
    try database.run("DELETE FROM room_affiliation WHERE jid = ?", jid.description)
  }

  func remove(_ name: String) throws {
    try database.run("DELETE FROM room WHERE name = ?", name)
  }
}
