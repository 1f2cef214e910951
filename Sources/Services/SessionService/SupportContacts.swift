import FoundationEssentials
import NatterCore
import XMPP

/// The stored contact addresses of the operators of the account's server (XEP-0157), for a user who
/// cannot sign in: then the server does not provide them any more.
package actor SupportContacts: SessionConsuming {
  private enum Key {
    static let addresses = "server.contacts"
    static let readAt = "server.contacts-read"
  }

  private let domain: String
  private let memory: any PreferenceStoring
  private let now: @Sendable () -> Date
  /// The lifetime of an answer, in seconds: a week. Such addresses rarely change.
  static let lifetime = 7 * 86_400.0
  private static let limit = 8

  package init(
    account: JID, memory: any PreferenceStoring, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    domain = account.domain
    self.memory = memory
    self.now = now
  }

  /// Returns the addresses of the last answer; empty: there are none, or the server was never
  /// asked.
  package func addresses() async -> [String] {
    // A failure to read the settings is reported elsewhere, and shows as no addresses here.
    let values = try? await memory.values()
    return (values?[Key.addresses] ?? "").split(separator: "\n").map(String.init)
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    do {
      let readAt = try await memory.values()[Key.readAt].flatMap { Double($0) }
      let time = now().timeIntervalSince1970
      // If the clock went back, the server is asked once more.
      if let readAt, (0..<Self.lifetime).contains(time - readAt) { return }
      let found = try await AccountRegistration.supportAddresses(at: domain, over: channel)
        .map { $0.filter { !$0.isNewline } }.prefix(Self.limit)
      try await memory.setValue(found.joined(separator: "\n"), for: Key.addresses)
      try await memory.setValue(String(time), for: Key.readAt)
    } catch {
      // The next session asks again.
    }
  }
}
