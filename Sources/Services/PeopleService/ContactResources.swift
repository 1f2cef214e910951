import NatterCore
import XMPP

/// The available clients of one contact, best first.
///
/// A contact's server may announce any number of clients, more than a user has use for. Above the
/// limit, the client with the lowest priority is dropped, and among equal priorities the one whose
/// presence is oldest.
struct ContactResources {
  /// The maximum number of clients that are kept of one contact.
  static let limit = 32

  private var known: [String: (presence: ResourcePresence, heard: Int)] = [:]
  private var count = 0
  /// The memory that they take, in bytes, approximately.
  private(set) var weight = 0

  var isEmpty: Bool { known.isEmpty }

  mutating func take(_ presence: ResourcePresence) {
    count += 1
    remove(presence.resource)
    known[presence.resource] = (presence, count)
    weight += presence.weight
    guard known.count > Self.limit else { return }
    let least = known.min {
      ($0.value.presence.priority, $0.value.heard) < ($1.value.presence.priority, $1.value.heard)
    }
    if let least { remove(least.key) }
  }

  mutating func remove(_ resource: String) {
    weight -= known.removeValue(forKey: resource)?.presence.weight ?? 0
  }

  /// The kept clients in the order of RFC 6121 §8.5.2: highest priority, then the most available.
  var sorted: [ResourcePresence] {
    known.values.map(\.presence).sorted { a, b in
      (a.priority, a.availability.rank, b.resource) > (b.priority, b.availability.rank, a.resource)
    }
  }
}

extension Availability {
  /// The rank of reachability, for choosing among resources; higher is more available.
  var rank: Int {
    switch self {
    case .offline: 0
    case .extendedAway: 1
    case .away: 2
    case .busy: 3
    case .online: 4
    case .chatty: 5
    }
  }
}

extension ResourcePresence {
  /// The memory that it takes, in bytes, approximately.
  fileprivate var weight: Int { 256 + resource.utf8.count + (status?.utf8.count ?? 0) }
}
