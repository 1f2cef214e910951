import Diagnostics
import NatterCore
import XMPP

/// What is to be followed, or not any more, once there is a connection: of each source the last wish holds.
struct FollowWishes: Sendable {
  struct Wish: Hashable, Sendable {
    let service: JID
    /// Empty where the service itself is the source.
    let node: String
    /// `false`: it is to be left.
    let follows: Bool
  }

  let memory: any PreferenceStoring
  /// Of which kind the sources are; a word.
  let kind: String

  private var prefix: String { "follow.\(kind) " }

  func all() async throws -> [Wish] {
    try await memory.values().compactMap { key, value in
      guard key.hasPrefix(prefix) else { return nil }
      let parts = key.dropFirst(prefix.count).split(
        separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      guard let service = JID(parsing: String(parts[0])) else { return nil }
      return Wish(
        service: service, node: parts.count > 1 ? String(parts[1]) : "", follows: value == "1")
    }.sorted { ($0.service.description, $0.node) < ($1.service.description, $1.node) }
  }

  func keep(_ wish: Wish) async throws {
    try await memory.setValue(wish.follows ? "1" : "0", for: key(wish.service, wish.node))
  }

  func drop(_ service: JID, _ node: String = "") async throws {
    try await memory.setValue(nil, for: key(service, node))
  }

  private func key(_ service: JID, _ node: String) -> String { "\(prefix)\(service)\t\(node)" }

  /// Does what waits; what is refused is said and forgotten.
  /// - Parameter begin: begins to follow.
  /// - Returns: whether there was something.
  func tell(
    over channel: any StanzaChannel, as account: JID, hub: EventHub, log: Log,
    _ begin: (Wish) async throws -> Void
  ) async -> Bool {
    var hasTold = false
    do {
      for wish in try await all() {
        hasTold = true
        do {
          if wish.follows {
            try await begin(wish)
          } else if !wish.node.isEmpty {
            _ = try await channel.request(
              XEP0060.subscription(false, to: wish.node, at: wish.service, as: account))
          }
        } catch let error as StanzaError where error.kind == .wait {
          log.info("what is to be followed has to wait: \(error.condition.rawValue)")
          continue
        } catch let error as StanzaError {
          // Where there was no subscription there is none to end.
          if wish.follows { hub.publish(.notice(NatterError(answering: error).notice)) }
        } catch let error as NatterError where error.kind == .refused {
          hub.publish(.notice(error.notice))
        }
        try await drop(wish.service, wish.node)
      }
    } catch {
      // It stays where it is, for the next session.
      log.warning("what is to be followed could not be told: \(error)")
    }
    return hasTold
  }
}
