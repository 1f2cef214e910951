import Diagnostics
import NatterCore
import XMPP

/// Keeps the block list in step with the server's (XEP-0191).
package actor BlockListKeeper: SessionConsuming, SyncCommandHandling {
  private let account: JID
  private let store: any BlockListStoring
  private let log: Log
  private var channel: (any StanzaChannel)?

  package static let namespace = "urn:xmpp:blocking"

  package nonisolated var kinds: Set<SyncCommand.Kind> { [.blockList] }

  package init(account: JID, store: any BlockListStoring, log: Log) {
    self.account = account.bare
    self.store = store
    self.log = log
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    do {
      let answer = try await channel.request(
        Element(
          "iq", Namespace.client, ["type": "get"], [Element("blocklist", Self.namespace)]))
      guard let list = answer.first("blocklist", Self.namespace) else { return }
      try await store.replaceBlocked(Set(Self.addresses(in: list)))
    } catch is StanzaError {
      log.info("the server blocks nobody for its people")
    } catch {
      // The next session asks again.
      log.warning("the block list could not be read: \(error)")
    }
  }

  package func sessionEnded() { channel = nil }

  /// Takes a change that another client made, or this one.
  package func apply(_ command: SyncCommand) async throws {
    let push = IQ(command.stanza)
    var blocked = try await store.blocked()
    if let block = push.element.first("block", Self.namespace) {
      blocked.formUnion(Self.addresses(in: block))
    } else if let unblock = push.element.first("unblock", Self.namespace) {
      let addresses = Self.addresses(in: unblock)
      // Without an address it is all of them (XEP-0191 §3.5).
      blocked = addresses.isEmpty ? [] : blocked.subtracting(addresses)
    }
    try await store.replaceBlocked(blocked)
    // Who asks learns nothing when the connection breaks now.
    try? await channel?.send(push.resultReply())
  }

  private static func addresses(in list: Element) -> [JID] {
    list.all("item", namespace).compactMap { $0["jid"].flatMap { JID(parsing: $0) } }
  }
}
