import NatterCore
import XMPP

/// The available clients of all contacts and peers, with the memory that they take.
struct KnownResources {
  private var known: [JID: ContactResources] = [:]
  /// The memory that they take, in bytes, approximately.
  private var weight = 0

  /// The most bytes that presences of people who are not contacts may fill. A stranger with a
  /// conversation can announce any number of clients with long texts, and so can thousands.
  private static let strangersBytes = 8 << 20

  /// Indicates whether only the presence of contacts is kept.
  var isFull: Bool { weight > Self.strangersBytes }
  var isEmpty: Bool { known.isEmpty }
  var addresses: some Collection<JID> { known.keys }

  func contains(_ jid: JID) -> Bool { known[jid] != nil }

  /// Returns the clients of the bare JID `jid`, best first.
  func resources(of jid: JID) -> [ResourcePresence] { known[jid]?.sorted ?? [] }

  mutating func take(_ presence: ResourcePresence, of jid: JID) {
    change(jid) { $0.take(presence) }
  }

  /// Removes a client, or all of them.
  mutating func remove(_ resource: String?, of jid: JID) {
    guard known[jid] != nil else { return }
    change(jid) {
      if let resource { $0.remove(resource) } else { $0 = ContactResources() }
    }
  }

  mutating func removeAll() { self = KnownResources() }

  private mutating func change(_ jid: JID, _ change: (inout ContactResources) -> Void) {
    // Removed first, so that it is changed without a copy.
    var resources = known.removeValue(forKey: jid) ?? ContactResources()
    weight -= resources.weight
    change(&resources)
    weight += resources.weight
    if !resources.isEmpty { known[jid] = resources }
  }
}
