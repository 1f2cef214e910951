import FoundationEssentials
import NatterCore
import XMPP

/// Keeps how the people who run the account's server can be reached (XEP-0157), for the day when somebody cannot sign in: then
/// the server says nothing any more.
package actor SupportContacts: SessionConsuming {
  private enum Key {
    static let addresses = "server.contacts"
    static let readAt = "server.contacts-read"
  }

  private let domain: String
  private let memory: any PreferenceStoring
  private let now: @Sendable () -> Date
  /// How long an answer is good, in seconds: a week. Such addresses rarely change.
  static let lifetime = 7 * 86_400.0
  private static let limit = 8

  package init(
    account: JID, memory: any PreferenceStoring, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    domain = account.domain
    self.memory = memory
    self.now = now
  }

  /// What the server said last; empty: nothing, or it was never asked.
  package func addresses() async -> [String] {
    // Who cannot read it here has more to worry about than this.
    let values = try? await memory.values()
    return (values?[Key.addresses] ?? "").split(separator: "\n").map(String.init)
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    do {
      let readAt = try await memory.values()[Key.readAt].flatMap { Double($0) }
      let time = now().timeIntervalSince1970
      // A clock that went back makes it a matter of asking once more.
      if let readAt, (0..<Self.lifetime).contains(time - readAt) { return }
      let found = try await AccountRegistration.supportAddresses(at: domain, over: channel)
        .map { $0.filter { !$0.isNewline } }.prefix(Self.limit)
      try await memory.setValue(found.joined(separator: "\n"), for: Key.addresses)
      try await memory.setValue(String(time), for: Key.readAt)
    } catch {
      // It is asked again with the next session.
    }
  }
}
