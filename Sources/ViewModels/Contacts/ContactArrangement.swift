import NatterCore
import XMPP

/// The people of the roster by group and in order, with what their rows say. A filter picks from it: thousands of rows are
/// made when somebody changes, and not for each letter.
nonisolated struct ContactArrangement {
  struct Group {
    /// What its heading says; empty for those in no group.
    let name: String
    /// The same for groups whose names differ in nothing but case and blanks.
    let key: String
    /// The places of its people in `people`, beside their rows.
    let places: [Int]
    let rows: [ContactItem]
  }

  let groups: [Group]
  /// Everybody once.
  let people: [JID]

  init(_ known: People, sortsByName: Bool, row: (Contact, String) -> ContactItem) {
    let sorted = known.contacts.values.map { contact in
      (
        contact: contact,
        rank: sortsByName ? 0 : Self.rank(known.availability(of: contact.jid)),
        key: known.name(of: contact.jid).lowercased()
      )
    }.sorted { ($0.rank, $0.key) < ($1.rank, $1.key) }
    people = sorted.map(\.contact.jid.bare)
    var places: [String: [Int]] = [:]
    var names: [String: String] = [:]
    for (place, person) in sorted.enumerated() {
      for key in Self.keys(of: person.contact) { places[key, default: []].append(place) }
      for name in person.contact.groups {
        let key = Self.key(of: name)
        // Whatever the order they come in, the heading is the same.
        names[key] = min(names[key] ?? name.trimmed, name.trimmed)
      }
    }
    groups = places.keys.sorted { ($0.isEmpty ? 1 : 0, $0) < ($1.isEmpty ? 1 : 0, $1) }.map { key in
      let own = places[key] ?? []
      let name = key.isEmpty ? "" : names[key] ?? key
      return Group(
        name: name, key: key, places: own, rows: own.map { row(sorted[$0].contact, name) })
    }
  }

  /// What a group is told from others by: a name that shows nothing is that of no group.
  static func key(of group: String) -> String {
    guard group.isVisible else { return "" }
    return group.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }

  /// The keys of the groups that a contact is in, each once.
  static func keys(of contact: Contact) -> [String] {
    var seen: Set<String> = []
    let keys = contact.groups.map(key(of:)).filter { seen.insert($0).inserted }
    // A blank one beside others says nothing.
    let named = keys.filter { !$0.isEmpty }
    return named.isEmpty ? [""] : named
  }

  /// Those who can be spoken to come first.
  private static func rank(_ availability: Availability) -> Int {
    switch availability {
    case .chatty, .online: 0
    case .away: 1
    case .busy: 2
    case .extendedAway: 3
    case .offline: 4
    }
  }
}

extension ContactArrangement.Group {
  /// The rows of those who were found.
  /// - Parameter found: by place; `nil`: everybody is.
  nonisolated func rows(_ found: [Bool]?) -> [ContactItem] {
    guard let found else { return rows }
    var some: [ContactItem] = []
    for (index, place) in places.enumerated() where found[place] { some.append(rows[index]) }
    return some
  }
}
