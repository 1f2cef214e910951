import Diagnostics
import NatterCore
import XMPP

/// Tells contacts that their messages arrived, where they ask for it (XEP-0184).
///
/// Only those who may see this account's presence get a receipt: to a stranger it would tell that somebody is there (§8).
/// What is to be sent is in the database until it was: receipts wait until the archive was caught up with, and neither
/// that nor an end of the program loses one.
package actor ReceiptSender: SessionConsuming {
  private let account: JID
  private let store: any ReadStateStoring
  private let roster: any RosterStoring
  private let log: Log
  private let isOn: Bool
  /// Set once the session is caught up.
  private var channel: (any StanzaChannel)?
  private var isSending = false
  private var mustSendAgain = false

  /// - Parameter isOn: whether the person wants receipts to be sent at all.
  package init(
    account: JID, store: any ReadStateStoring, roster: any RosterStoring, log: Log,
    isOn: Bool = true
  ) {
    self.account = account.bare
    self.store = store
    self.roster = roster
    self.log = log
    self.isOn = isOn
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    await send()
  }

  package func sessionResumed() async { await send() }
  package func sessionEnded() async { channel = nil }

  package func receive(_ stanzas: [Stanza]) async {
    await take(
      stanzas.compactMap { stanza in
        guard case .message(let message) = stanza else { return nil }
        return message
      }, answersRequests: true)
    await send()
  }

  private func take(_ messages: [MessageStanza], answersRequests: Bool) async {
    guard isOn else { return }
    do {
      if answersRequests { try await store.addReceipts(messages.compactMap(request)) }
      try await store.removeReceipts(messages.compactMap(answeredElsewhere))
    } catch {
      // Then the sender does not learn that it arrived; it did.
      log.error("recording receipts failed: \(error)")
    }
  }

  private func request(_ message: MessageStanza) -> ReceiptRequest? {
    guard message.requestsReceipt, message.kind != .error, message.kind != .groupchat,
      let id = message.id, let from = message.from, from.bare != account
    else { return nil }
    return ReceiptRequest(sender: from, id: id)
  }

  /// The receipt that another client of the account has sent: seen as a copy, or in the archive.
  private func answeredElsewhere(_ message: MessageStanza) -> ReceiptRequest? {
    let carbon = XEP0280Carbon(message, of: account)
    guard carbon?.direction != .received else { return nil }
    let sent = carbon?.message ?? message
    guard sent.from?.bare == account, let id = sent.receiptID, let to = sent.to else { return nil }
    return ReceiptRequest(sender: to, id: id)
  }

  /// Sends what is due, one after the other.
  private func send() async {
    mustSendAgain = true
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while mustSendAgain {
      mustSendAgain = false
      guard isOn, channel != nil else { return }
      do {
        try await sendDue()
      } catch {
        // The connection is going down, or the disk is full: they stay due.
        log.info("receipts are held back: \(error)")
        return
      }
    }
  }

  private func sendDue() async throws {
    let due = try await store.receiptsDue()
    guard !due.isEmpty, let channel else { return }
    let trusted = try await roster.trusted()
    var done: [ReceiptRequest] = []
    do {
      for request in due {
        if trusted.contains(request.sender.bare) {
          try await channel.send(
            Element(
              "message", Namespace.client, ["to": request.sender.description, "type": "chat"],
              [Element("received", Namespace.receipts, ["id": request.id]), XEP0334Hints.store]))
        }
        done.append(request)
      }
    } catch {
      // Those before it went out, and are not to go twice.
      try await store.removeReceipts(done)
      throw error
    }
    try await store.removeReceipts(done)
  }
}

extension ReceiptSender: ArchiveFollowing {
  package func archived(_ messages: [MessageStanza], areNews: Bool) async {}

  package func archiving(_ messages: [MessageStanza], areNews: Bool) async {
    // What is only history was answered in its time, by whoever was there.
    await take(messages, answersRequests: areNews)
  }
}

extension RosterStoring {
  /// Who may see this account's presence, and so whether somebody is there (RFC 6121 §2.1.2.5).
  func trusted() async throws -> Set<JID> {
    Set(
      try await contacts().filter { $0.subscription == .from || $0.subscription == .both }
        .map(\.jid.bare))
  }
}
