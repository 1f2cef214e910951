import FoundationEssentials
import XMPP

/// The contacts by name, indexed by name and address.
///
/// For tens of thousands, indexing takes longer than a window should take to open: it runs off the
/// main actor, and the result is kept.
nonisolated struct ContactDirectory: Sendable {
  /// The version of the people data that it was made from (`People.edition`).
  let edition: Int
  /// All contacts, ordered by name.
  let jids: [JID]
  /// The texts of the palette's entries, in that order.
  let index: FuzzyIndex
  /// The indices of the contacts that are persons, and of those that are rooms.
  let (persons, rooms): ([Int], [Int])
  private let indices: [JID: Int]

  /// - Parameter spelling: replaces emoji by their names, if the user has enabled that.
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
    indices = Dictionary(uniqueKeysWithValues: jids.enumerated().map { ($0.element, $0.offset) })
  }

  /// Returns the contacts ordered by name.
  static func order(of people: People) -> [JID] {
    people.contacts.keys.map { jid in
      (key: people.name(of: jid).lowercased(), address: jid.description, jid: jid)
    }.sorted { ($0.key, $0.address) < ($1.key, $1.address) }.map(\.jid)
  }

  /// Makes a directory off the main actor.
  @concurrent static func made(
    of people: People, spelling: (@Sendable (String) -> String)?
  ) async -> ContactDirectory {
    ContactDirectory(people, spelling: spelling)
  }

  /// Returns the index of a contact; `nil` if it is not a contact.
  func row(of jid: JID) -> Int? { indices[jid] }
}

/// Keeps the directory of contacts up to date: a small one is made on demand, a large one off the
/// main actor as soon as the contacts are known.
final class ContactIndexBuilder {
  /// The highest number of contacts that are indexed synchronously.
  static let atOnce = 500
  /// The time without changes before it is remade: a roster arrives in parts.
  static let delay = Duration.seconds(1)

  private let scheduler: Scheduler
  private let lifetime: Lifetime
  private let spelling: (@Sendable (String) -> String)?
  /// The last directory, from the data at that time.
  private var directory: ContactDirectory?
  private var wanted = 0
  private var cancel: (() -> Void)?
  private var making: Task<Void, Never>?

  init(format: ItemFormat, scheduler: Scheduler, lifetime: Lifetime) {
    (self.scheduler, self.lifetime, spelling) = (scheduler, lifetime, format.spelling)
  }

  /// Makes the directory ahead of its first use.
  /// - Parameter people: returns the current data when the work starts.
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

  /// Returns the directory of `people` if it exists or is small; else the previous one, `nil` for
  /// none.
  func ready(for people: People) -> ContactDirectory? {
    if directory?.edition != people.edition, people.contacts.count <= Self.atOnce {
      directory = ContactDirectory(people, spelling: spelling)
    }
    return directory
  }

  /// Returns true if the directory that `ready` returns is up to date.
  func isReady(for people: People) -> Bool { directory?.edition == people.edition }

  /// Makes the directory of `people` or of newer data, off the main actor.
  func made(of people: People) async -> ContactDirectory {
    // Another caller may wait for the same directory.
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
