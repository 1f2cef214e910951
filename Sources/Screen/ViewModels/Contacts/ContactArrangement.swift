import NatterCore
import Text
import XMPP

/// The contacts by group and in order, with their rows. A filter selects from it: thousands of rows
/// are made when a contact changes, and not for each key.
nonisolated struct ContactArrangement {
  struct Group {
    /// The heading; empty for contacts without a group.
    let name: String
    /// The normalized name, equal for groups whose names differ only in case and white space.
    let key: String
    /// The indices of its contacts in `people`, parallel to their rows.
    let ranks: [Int]
    let rows: [ContactItem]
  }

  let groups: [Group]
  /// All contacts, each once.
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
    var ranks: [String: [Int]] = [:]
    var names: [String: String] = [:]
    for (rank, person) in sorted.enumerated() {
      for key in Self.keys(of: person.contact) { ranks[key, default: []].append(rank) }
      for name in person.contact.groups {
        let key = Self.key(of: name)
        // The heading does not depend on the order of the contacts.
        names[key] = min(names[key] ?? name.trimmed, name.trimmed)
      }
    }
    groups = ranks.keys.sorted { ($0.isEmpty ? 1 : 0, $0) < ($1.isEmpty ? 1 : 0, $1) }.map { key in
      let own = ranks[key] ?? []
      let name = key.isEmpty ? "" : names[key] ?? key
      return Group(
        name: name, key: key, ranks: own, rows: own.map { row(sorted[$0].contact, name) })
    }
  }

  /// Returns the normalized name of a group: an invisible name means no group.
  static func key(of group: String) -> String {
    guard group.isVisible else { return "" }
    // Headings are in capitals, where "ß" and "SS" are the same.
    return group.split(whereSeparator: \.isWhitespace).joined(separator: " ").uppercased()
      .lowercased()
  }

  /// Returns the keys of the contact's groups, each once.
  static func keys(of contact: Contact) -> [String] {
    var seen: Set<String> = []
    let keys = contact.groups.map(key(of:)).filter { seen.insert($0).inserted }
    // An empty name beside others is meaningless.
    let named = keys.filter { !$0.isEmpty }
    return named.isEmpty ? [""] : named
  }

  /// Returns the sort rank: available contacts come first.
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
  /// Returns the rows of the results.
  /// - Parameter found: by index; `nil`: all rows.
  nonisolated func rows(_ found: [Bool]?) -> [ContactItem] {
    guard let found else { return rows }
    var some: [ContactItem] = []
    for (index, rank) in ranks.enumerated() where found[rank] { some.append(rows[index]) }
    return some
  }
}
