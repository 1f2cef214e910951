import Diagnostics
import NatterCore
import XML
import XMPP

/// The sender of receipts to contacts who request them for their messages (XEP-0184).
///
/// Only contacts who may see this account's presence get a receipt: to a stranger it would reveal
/// that the user is there (§8). Due receipts are in the database until the server has them: they
/// wait until the archive is caught up with, and neither that nor an end of the connection or the
/// program loses any.
package actor ReceiptSender: SessionConsuming {
  private let account: JID
  private let store: any ReadStateStoring
  private let roster: any RosterStoring
  private let log: Log
  private let isOn: Bool
  private let storage: RetryingWrite
  private var session = ReceiptSession()
  /// The receipts that are being stored, with their counts: the task that stores them also sends
  /// them.
  private var storing: [ReceiptRequest: Int] = [:]
  /// `true` if a receipt is stored and not sent yet.
  private var isDue = false
  private var isSending = false
  private var mustSendAgain = false

  /// - Parameters:
  ///   - hub: where the user is notified that something could not be stored.
  ///   - isOn: `true` if the user wants receipts to be sent at all.
  package init(
    account: JID, store: any ReadStateStoring, roster: any RosterStoring, hub: EventHub, log: Log,
    isOn: Bool = true,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    storage = RetryingWrite(hub: hub, sleep: sleep) { log.error($0) }
    self.account = account.bare
    self.store = store
    self.roster = roster
    self.log = log
    self.isOn = isOn
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.session.channel = channel
    await send()
  }

  package func sessionResumed() async {
    session.waiting = nil
    await send()
  }

  package func sessionEnded() async { session.end() }

  package func sessionTakenUp(underWay ids: [String]) async {
    session.takenOver.formUnion(Self.stanzaIDs.own(among: ids))
  }

  package func serverAcknowledged(_ ids: [String]) async {
    let reported = Self.stanzaIDs.own(among: ids)
    guard !reported.isEmpty else { return }
    var requests = reported.compactMap { session.underWay[$0] }
    do {
      // Those of an earlier run of the program are known by their ids only.
      let others = reported.filter { session.underWay[$0] == nil }
      if !others.isEmpty {
        requests += try await store.receiptsDue().filter {
          others.contains(Self.stanzaID(of: $0))
        }
      }
      try await store.removeReceipts(requests)
      for id in reported { session.underWay[id] = nil }
      session.takenOver.subtract(reported)
    } catch {
      // They are sent again in the next session.
      log.warning("receipts that were sent could not be forgotten: \(error)")
    }
  }

  package func receive(_ stanzas: [Stanza]) async {
    // In a cancelled task, the messages may not be stored: they are not acknowledged to the server,
    // and request their receipts again when they arrive again.
    await take(
      stanzas.compactMap { stanza in
        guard case .message(let message) = stanza else { return nil }
        return message
      }, answersRequests: !Task.isCancelled)
    if isDue { await send() }
  }

  private func take(_ messages: [MessageStanza], answersRequests: Bool) async {
    guard isOn else { return }
    let asked = answersRequests ? messages.compactMap(request) : []
    let answered = messages.compactMap(answeredElsewhere)
    guard !asked.isEmpty || !answered.isEmpty else { return }
    for request in asked { storing[request, default: 0] += 1 }
    let stored: Void? = await storage.perform("receipts") {
      try await store.addReceipts(asked)
      try await store.removeReceipts(answered)
    }
    for request in asked {
      let left = (storing[request] ?? 1) - 1
      storing[request] = left > 0 ? left : nil
    }
    guard stored != nil else {
      // Given up: read the stored ones again.
      session.waiting = nil
      return
    }
    if !answered.isEmpty { session.waiting?.removeAll { answered.contains($0) } }
    session.waiting? += asked
    if !asked.isEmpty { isDue = true }
  }

  private func request(_ message: MessageStanza) -> ReceiptRequest? {
    guard ReceiptPayload.isRequested(by: message), message.kind != .error,
      message.kind != .groupchat,
      let id = message.id, AnswerLimit.takes(id), let from = message.from, from.bare != account
    else { return nil }
    return ReceiptRequest(sender: from, id: id)
  }

  /// Returns the receipt that another client of the account has sent, seen as a carbon copy or in
  /// the archive.
  private func answeredElsewhere(_ message: MessageStanza) -> ReceiptRequest? {
    let carbon = XEP0280Carbon(message, of: account)
    guard carbon?.direction != .received else { return nil }
    let sent = carbon?.message ?? message
    guard sent.from?.bare == account, let id = ReceiptPayload.decode(sent), let to = sent.to else {
      return nil
    }
    return ReceiptRequest(sender: to, id: id)
  }

  /// Sends the due receipts, serialized.
  private func send() async {
    mustSendAgain = true
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while mustSendAgain {
      mustSendAgain = false
      guard isOn, session.channel != nil else { return }
      isDue = false
      do {
        try await sendDue()
      } catch {
        // The connection is closing, or the disk is full: they stay due.
        log.info("receipts are held back: \(error)")
        isDue = true
        return
      }
    }
  }

  private func sendDue() async throws {
    let known = session.waiting
    // Receipts that become due during sending are sent after these.
    session.waiting = []
    do {
      var due = known ?? []
      if known == nil {
        due = try await stored()
        // Receipts that became due during reading may be among these, and are sent here.
        let found = Set(due)
        session.waiting?.removeAll { found.contains($0) }
      }
      try await send(due)
    } catch {
      session.waiting = nil
      throw error
    }
  }

  /// Returns all receipts that are due and were not sent in this session.
  private func stored() async throws -> [ReceiptRequest] {
    // Rows that are acknowledged during reading may still be among the result.
    let sent = session.sent
    return try await store.receiptsDue().filter {
      !sent.contains(Self.stanzaID(of: $0)) && storing[$0] == nil
    }
  }

  private func send(_ due: [ReceiptRequest]) async throws {
    guard !due.isEmpty else { return }
    let trusted = try await roster.trusted(among: Set(due.map(\.sender.bare)))
    let (wanted, vain) = due.divided {
      trusted.contains($0.sender.bare) && AnswerLimit.takes($0.id)
    }
    try await store.removeReceipts(vain)
    for request in wanted {
      guard let channel = session.channel else {
        // The session has ended: they stay due.
        session.waiting = nil
        return
      }
      let id = Self.stanzaID(of: request)
      guard session.underWay[id] == nil, !session.takenOver.contains(id) else { continue }
      session.underWay[id] = request
      do {
        try await channel.send(
          Element(
            "message", Namespace.client,
            ["to": request.sender.description, "type": "chat", "id": id],
            ReceiptPayload.encode(request.id)))
      } catch {
        session.underWay[id] = nil
        throw error
      }
    }
  }

  private static let stanzaIDs = AnswerIDs(prefix: "received/")

  private static func stanzaID(of request: ReceiptRequest) -> String {
    stanzaIDs.id(for: request.id, to: request.sender)
  }
}

/// The knowledge of the session that the sender of receipts has. After its end it is unknown which
/// receipts arrived: sent twice, they do no harm.
private struct ReceiptSession: SessionScoped {
  /// Set once the session is caught up.
  var channel: (any StanzaChannel)?
  /// The receipts that are due and were not sent in this session; `nil`: the stored ones have to be
  /// read first.
  var waiting: [ReceiptRequest]?
  /// The receipts that this session has sent, by the stanzas' ids.
  var underWay: [String: ReceiptRequest] = [:]
  /// The ids of the receipts in transit that this session took over from a previous run.
  var takenOver: Set<String> = []

  /// The ids of all receipts in transit.
  var sent: Set<String> { takenOver.union(underWay.keys) }
}

extension ReceiptSender: ArchiveFollowing {
  package func archived(_ messages: [MessageStanza], areNews: Bool) async {}

  package func archiving(_ messages: [MessageStanza], areNews: Bool) async {
    // Messages that are only history were answered by an earlier client, when they arrived.
    await take(messages, answersRequests: areNews)
  }
}

extension RosterStoring {
  /// Returns the contacts who may see this account's presence, and so know if the user is there
  /// (RFC 6121 §2.1.2.5).
  func trusted() async throws -> Set<JID> {
    Set(try await contacts().filter(\.seesPresence).map(\.jid.bare))
  }

  /// Returns those of `people` who may see this account's presence.
  func trusted(among people: Set<JID>) async throws -> Set<JID> {
    // A few are looked up one by one: there may be thousands of contacts, and this runs for each
    // message.
    guard people.count <= 8 else { return try await trusted().intersection(people) }
    var trusted: Set<JID> = []
    for person in people where try await contact(person)?.seesPresence == true {
      trusted.insert(person)
    }
    return trusted
  }
}

extension Contact {
  fileprivate var seesPresence: Bool { subscription == .from || subscription == .both }
}
