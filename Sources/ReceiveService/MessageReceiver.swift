import Diagnostics
import Foundation
import NatterCore
import XMPP

/// Turns incoming `<message/>` stanzas into stored messages and announces the new ones (FLOWS.md 5).
///
/// All that one read of the connection brought is decoded, stored in one transaction and announced as one event.
/// The connection's owner awaits `receive`, so a message is acknowledged to the server only once it is committed.
package actor MessageReceiver: SessionConsuming {
  private let account: JID
  private let store: any MessageStoring
  private let hub: EventHub
  private let now: @Sendable () -> Date
  private let log: Log
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - account: the bare address of one's own account.
  ///   - store: where messages are kept.
  ///   - hub: where new messages are announced.
  ///   - now: the clock, for stanzas without a delay element (XEP-0203 §3).
  package init(
    account: JID, store: any MessageStoring, hub: EventHub, log: Log,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.sleep = sleep
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
    self.now = now
  }

  package func receive(_ stanzas: [Stanza]) async {
    let arrival = now()
    let messages = stanzas.compactMap { stanza -> IncomingMessage? in
      guard case .message(let message) = stanza else { return nil }
      return IncomingMessage(message, to: account, receivedAt: arrival)
    }
    guard !messages.isEmpty else { return }
    while !Task.isCancelled {
      do {
        let stored = try await store.insert(messages) { $0.direction == .incoming }
        if !stored.messages.isEmpty { hub.publish(.messagesStored(stored.messages)) }
        if !stored.conversations.isEmpty { hub.publish(.conversationsChanged(stored.conversations)) }
        return
      } catch {
        // Not to be dropped: the server would be told that it is handled. The person is told, and it is tried again.
        log.error("storing \(messages.count) messages failed: \(error)")
        hub.publish(.notice(NatterError(telling: error, orElse: .storage, key: "error.storage.write").notice))
        do { try await sleep(.seconds(2)) } catch { return }
      }
    }
  }
}

extension IncomingMessage {
  /// The chat message in `stanza`, or `nil` if it carries no text or is not a conversation's (RFC 6121 §5.2.2).
  init?(_ stanza: MessageStanza, to account: JID, receivedAt arrival: Date) {
    guard stanza.kind == .chat || stanza.kind == .normal, let body = stanza.body, !body.isEmpty
    else { return nil }
    // A message without `from` is from the own account (RFC 6120 §8.1.2.1).
    let sender = stanza.from ?? account
    let delay = stanza.delay
    // A stamp in the future would keep the message at the bottom for ever.
    let sentAt = min(delay ?? arrival, arrival)
    self.init(
      conversation: sender.bare, sender: sender, body: body, sentAt: sentAt,
      originID: stanza.originID ?? stanza.id, stanzaID: stanza.stanzaID(by: account),
      isDelayed: delay != nil)
  }
}
