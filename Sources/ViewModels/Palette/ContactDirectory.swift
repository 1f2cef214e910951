import FoundationEssentials
import XMPP

/// The contacts by name, ready to be searched by it and by address.
///
/// For tens of thousands that takes longer than somebody waits for a window: it is made aside, and kept.
nonisolated struct ContactDirectory: Sendable {
  /// Which state of what is known it was made of (`People.edition`).
  let edition: Int
  /// Everybody, in the order of the names.
  let jids: [JID]
  /// The texts of the palette's entries, in that order.
  let index: FuzzyIndex
  /// Where those are who are persons, and where those that are rooms.
  let (persons, rooms): ([Int], [Int])
  private let places: [JID: Int]

  /// - Parameter spelling: what makes names of emoji, where the person wants them.
  init(_ people: People, spelling: (@Sendable (String) -> String)?) {
    edition = people.edition
    jids = Self.order(of: people)
    index = FuzzyIndex(
      jids.lazy.map { jid in
        let name = people.name(of: jid)
        return "\(spelling?(name) ?? name)\(FuzzyIndex.divider)\(jid.shown)"
      })
    persons = jids.indices.filter { [jids] in !people.isRoom(jids[$0]) }
    rooms = jids.indices.filter { [jids] in people.isRoom(jids[$0]) }
    places = Dictionary(uniqueKeysWithValues: jids.enumerated().map { ($0.element, $0.offset) })
  }

  /// The contacts by name.
  static func order(of people: People) -> [JID] {
    people.contacts.keys.map { jid in
      (key: people.name(of: jid).lowercased(), address: jid.description, jid: jid)
    }.sorted { ($0.key, $0.address) < ($1.key, $1.address) }.map(\.jid)
  }

  /// The same, off the main actor.
  @concurrent static func made(
    of people: People, spelling: (@Sendable (String) -> String)?
  ) async -> ContactDirectory {
    ContactDirectory(people, spelling: spelling)
  }

  /// Where somebody stands; `nil` for whoever is no contact.
  func place(of jid: JID) -> Int? { places[jid] }
}

/// Keeps the directory of the contacts: made at once where they are few, and aside as soon as they are known where they are many.
final class ContactIndexBuilder {
  /// How many are put in order and made ready while somebody waits.
  static let atOnce = 500
  /// How long nobody has to change before it is made anew: a list comes in parts.
  static let delay = Duration.seconds(1)

  private let scheduler: Scheduler
  private let lifetime: Lifetime
  private let spelling: (@Sendable (String) -> String)?
  /// What was made last, of what was known then.
  private var directory: ContactDirectory?
  private var wanted = 0
  private var cancel: (() -> Void)?
  private var making: Task<Void, Never>?

  init(format: ItemFormat, scheduler: Scheduler, lifetime: Lifetime) {
    (self.scheduler, self.lifetime, spelling) = (scheduler, lifetime, format.spelling)
  }

  /// Has it be ready before it is asked for.
  /// - Parameter people: asked what is known when it is made.
  func prepare(_ edition: Int, count: Int, of people: @escaping () -> People?) {
    guard edition != wanted else { return }
    wanted = edition
    cancel?()
    cancel = nil
    guard count > Self.atOnce else { return }
    cancel = scheduler.after(Self.delay) { [weak self, lifetime] in
      lifetime.aside {
        guard let self, let people = people() else { return }
        _ = await self.made(of: people)
      }
    }
  }

  /// That of `people` where it is there or soon made; else the one before, `nil` for none.
  func ready(for people: People) -> ContactDirectory? {
    if directory?.edition != people.edition, people.contacts.count <= Self.atOnce {
      directory = ContactDirectory(people, spelling: spelling)
    }
    return directory
  }

  /// Whether what `ready` gives is of all that is known.
  func isReady(for people: People) -> Bool { directory?.edition == people.edition }

  /// That of `people` or of what came to be known since, made aside.
  func made(of people: People) async -> ContactDirectory {
    // What somebody else waits for may be the same.
    while let making { await making.value }
    if let directory, directory.edition >= people.edition { return directory }
    let work = Task { [spelling] in
      directory = await ContactDirectory.made(of: people, spelling: spelling)
      making = nil
    }
    making = work
    await work.value
    return directory ?? ContactDirectory(people, spelling: spelling)
  }
}
