import NatterCore
import Text
import XMPP

/// One row of the list of occupants, its text final.
nonisolated package struct MemberItem: Identifiable, Hashable, Sendable {
  /// The subject of a row: a role, or an occupant by nick.
  package enum ID: Hashable, Sendable {
    case heading(Occupant.Role)
    case person(String)
  }

  package let id: ID
  package var name = ""
  /// The glyph of the availability.
  package var glyph = ""
  package var availability: Availability?
  /// A letter for the occupant's affiliation; empty for most.
  package var mark = ""
  /// The meaning of the two glyphs as text, for screen readers, which get no glyphs.
  package var detail = ""
  /// The hue of the name, in degrees (XEP-0392).
  package var hue = 0.0
  package var isOwn = false
  package var isSelected = false
}

/// The occupants of the open room (XEP-0045 §5): moderators first, then by name.
///
/// Sized for two thousand occupants: a burst of changes costs one sort, at the next drawing.
package final class MembersViewModel {
  package let invalidation = Invalidation()
  /// The open room; `nil` if the conversation is not a room.
  package private(set) var room: JID?
  package private(set) var selection: String?
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      if isFocused, selection == nil { selection = order.first }
      refresh()
    }
  }

  private let format: ItemFormat
  private var people: [JID: [String: Occupant]] = [:]
  private var ownNicks: [JID: String] = [:]
  private var sorted: [Occupant]?
  private let ownNames: OwnNames

  package init(format: ItemFormat) { (self.format, ownNames) = (format, OwnNames(format)) }

  package func handle(_ event: DomainEvent) {
    switch event {
    case .occupantsChanged(let changes):
      if changes.isReset { people[changes.room] = [:] }
      for nick in changes.removed { people[changes.room]?[nick] = nil }
      for occupant in changes.changed {
        people[changes.room, default: [:]][occupant.nick] = occupant
      }
      if changes.room == room { refresh() }
    case .roomsChanged(let rooms):
      for changed in rooms {
        ownNicks[changed.jid] = changed.nick
        if changed.jid == room { refresh() }
      }
    default: break
    }
  }

  /// Replaces the occupants of `room`.
  package func load(_ occupants: [Occupant], of room: JID) {
    people[room] = Dictionary(
      occupants.map { ($0.nick, $0) }, uniquingKeysWith: { _, last in last })
    if room == self.room { refresh() }
  }

  /// Shows the occupants of a room; `nil` for none.
  package func show(_ room: JID?) {
    guard room != self.room else { return }
    self.room = room
    selection = nil
    refresh()
  }

  /// The number of occupants.
  package var count: Int { room.flatMap { people[$0]?.count } ?? 0 }

  package var title: String { format.localizer.plural("header.people", count) }

  /// The nicks, in list order.
  package var nicks: [String] { occupants.map(\.nick) }

  private var order: [String] { nicks }

  /// Returns the nicks in a room, unordered.
  func nicks(of room: JID) -> [String] { people[room].map { Array($0.keys) } ?? [] }

  /// Returns what the room publishes about an occupant.
  func occupant(_ jid: JID) -> Occupant? { jid.resource.flatMap { people[jid.bare]?[$0] } }

  /// The rows from the top.
  package var items: [MemberItem] {
    let own = room.flatMap { ownNicks[$0] }
    let names = ownNames.inRoom(as: own)
    var items: [MemberItem] = []
    var role: Occupant.Role?
    for occupant in occupants {
      if occupant.role != role {
        role = occupant.role
        var heading = MemberItem(id: .heading(occupant.role))
        heading.name = format.localizer("members.\(occupant.role.rawValue)")
        items.append(heading)
      }
      var item = MemberItem(id: .person(occupant.nick))
      item.name = format.shown(
        occupant.nick == own
          ? People.nick(occupant.nick)
          : names.shown(occupant.nick, at: occupant.jid ?? room ?? format.account))
      item.availability = occupant.availability
      item.hue = NameHue.of(nick: occupant.nick)
      item.isOwn = occupant.nick == own
      if item.isOwn { item.name = format.localizer("members.you", ["name": item.name]) }
      item.isSelected = occupant.nick == selection
      let mark =
        switch occupant.affiliation {
        case .owner: "*"
        case .admin: "+"
        case .member, .none, .outcast: ""
        }
      if format.glyphs.isLinear {
        let presence = format.presence(occupant.availability)
        let affiliation = format.localizer("affiliation.\(occupant.affiliation.rawValue)")
        item.detail = mark.isEmpty ? presence : format.localizer.list([presence, affiliation])
      } else {
        (item.glyph, item.mark) = (format.glyphs.presence(occupant.availability), mark)
      }
      items.append(item)
    }
    return items
  }

  /// Moves the selection by `step`; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let order = order
    guard !order.isEmpty else { return }
    let index = selection.flatMap { order.firstIndex(of: $0) } ?? (step > 0 ? -1 : order.count)
    selection =
      order[
        step == .min
          ? 0 : step == .max ? order.count - 1 : min(order.count - 1, max(0, index + step))]
    invalidation.raise()
  }

  package func select(_ nick: String) {
    selection = nick
    invalidation.raise()
  }

  private var occupants: [Occupant] {
    if let sorted { return sorted }
    guard let room, let here = people[room] else { return [] }
    let ranks = Dictionary(
      uniqueKeysWithValues: Occupant.Role.allCases.enumerated().map { ($0.element, $0.offset) })
    let keyed = here.values.map {
      (rank: ranks[$0.role] ?? 9, key: $0.nick.lowercased(), occupant: $0)
    }
    // Nicks that differ only in case have a fixed order too.
    let result = keyed.sorted {
      ($0.rank, $0.key, $0.occupant.nick) < ($1.rank, $1.key, $1.occupant.nick)
    }.map(\.occupant)
    sorted = result
    return result
  }

  private func refresh() {
    sorted = nil
    if let room, let selection, people[room]?[selection] == nil { self.selection = nil }
    invalidation.raise()
  }
}
