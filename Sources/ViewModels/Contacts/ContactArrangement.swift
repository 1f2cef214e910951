import NatterCore
import XMPP

/// The people of the roster by group and in order, with what their rows say. A filter picks from it: thousands of rows are
/// made when somebody changes, and not for each letter.
nonisolated struct ContactArrangement {
  struct Group {
    /// Empty for those in no group.
    let name: String
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
    for (place, person) in sorted.enumerated() {
      for group in person.contact.groups.isEmpty ? [""] : person.contact.groups {
        places[group, default: []].append(place)
      }
    }
    groups = places.keys.sorted {
      ($0.isEmpty ? 1 : 0, $0.lowercased()) < ($1.isEmpty ? 1 : 0, $1.lowercased())
    }.map { name in
      let own = places[name] ?? []
      return Group(name: name, places: own, rows: own.map { row(sorted[$0].contact, name) })
    }
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
