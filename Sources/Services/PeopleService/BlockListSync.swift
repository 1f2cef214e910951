import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Keeps the stored block list identical to the server's (XEP-0191).
package actor BlockListSync: ChannelHolding, AccountEventHandling, BlockListChanging {
  private let account: JID
  private let store: any BlockListStoring & ContactChangeStoring
  private let hub: EventHub
  private let log: Log
  private let pendingChanges: PendingContactChanges
  private let age: SnapshotAge
  package var channel: (any StanzaChannel)?
  /// Indicates whether the server pushes every change as it happens, so that the stored list is
  /// current.
  private var isCurrent = false
  /// Serializes changes: the second of two waits for the first.
  private let inbox = SerialInbox<SingleLane>()
  private var heldPushes = HeldPushes()
  private var submitted = SubmittedAddress()

  /// The namespace of the blocking command.
  package static let namespace = "urn:xmpp:blocking"
  private static let reporting = "urn:xmpp:reporting:1"

  package nonisolated var kinds: Set<AccountEvent.EventKind> { [.blockList] }

  package init(
    account: JID, store: any BlockListStoring & ContactChangeStoring, hub: EventHub, log: Log,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
    pendingChanges = PendingContactChanges(of: "the block list", store: store, hub: hub, log: log)
    age = SnapshotAge(list: "the block list", log: log, now: now) { [store] in
      try await store.confirmBlockList(at: $0)
    }
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    // The user can block an address as soon as there is a connection.
    let run = heldPushes.begin()
    await fetch(over: channel)
    while let held = heldPushes.next(after: run) {
      for push in held {
        do { try await take(push.element) } catch {
          // The next session requests the list again.
          log.warning("a change of the block list could not be stored: \(error)")
        }
      }
    }
  }

  private func fetch(over channel: any StanzaChannel) async {
    do {
      let answer = try await channel.request(
        Element(
          "iq", Namespace.client, ["type": "get"], [Element("blocklist", Self.namespace)]))
      guard let list = answer.first("blocklist", Self.namespace) else { return }
      try await keep(Set(Self.addresses(in: list)))
      isCurrent = true
      await age.confirm()
    } catch let error as StanzaError where error.isFinal {
      log.info("the server does not support blocking")
    } catch {
      // The next session requests the list again.
      log.warning("the block list could not be read: \(error)")
    }
  }

  package func sessionResumed() async { await submitChanges() }

  package func sessionEnded() async {
    channel = nil
    if isCurrent { await age.confirm() }
    isCurrent = false
  }

  /// Applies a change that another client made, or this one.
  package func apply(_ command: AccountEvent) async throws {
    let push = IQ(command.stanza)
    heldPushes.hold([push])
    // Stored at once as well: it is answered, and not sent again.
    try await take(push.element)
    // A lost reply does no harm: the push is applied already.
    try? await channel?.send(push.resultReply())
  }

  private func take(_ push: Element) async throws {
    var hasChanged = false
    if let block = push.first("block", Self.namespace) {
      let new = Self.addresses(in: block)
      submitted.note(new)
      hasChanged = try await store.changeBlocked(adding: new, removing: [])
    } else if let unblock = push.first("unblock", Self.namespace) {
      // An empty unblock means all addresses (XEP-0191 §3.5). Items that cannot be parsed do not
      // count as an empty one.
      if unblock.first("item", Self.namespace) == nil {
        submitted.note(nil)
        try await keep([])
      } else {
        let gone = Self.addresses(in: unblock)
        submitted.note(gone)
        hasChanged = try await store.changeBlocked(adding: [], removing: gone)
      }
    }
    if hasChanged { hub.publish(.blockListChanged) }
  }

  private func keep(_ blocked: Set<JID>) async throws {
    guard try await store.blocked() != blocked else { return }
    try await store.replaceBlocked(blocked)
    hub.publish(.blockListChanged)
  }

  // MARK: Changes

  /// Returns the time at which the stored list was last identical to the server's; `nil` if never.
  package func blockListConfirmedAt() async throws -> Date? {
    try await store.blockListConfirmedAt()
  }

  /// Returns the blocked addresses, with the pending changes, sorted by address.
  package func blocked() async throws -> [BlockedAddress] {
    var changes = Dictionary(
      try await changes().map { ($0.jid, $0) }, uniquingKeysWith: { $1 })
    let known = try await store.blocked().map {
      BlockedAddress(jid: $0, change: changes.removeValue(forKey: $0))
    }
    let new = changes.values.filter { $0.operation != .unblock }.map {
      BlockedAddress(jid: $0.jid, change: $0)
    }
    return (known + new).sorted { $0.jid.description < $1.jid.description }
  }

  private func changes() async throws -> [ContactChange] {
    try await store.contactChanges().filter { $0.operation.subject == .blocking }
  }

  /// Blocks an address, and reports it where the server accepts reports (XEP-0377).
  /// - Returns: `.waiting` if the change is pending.
  /// - Throws: `NatterError` for the own account, or when the server refuses.
  package func block(_ jid: JID, report: AbuseReport?) async throws -> BlockOutcome {
    guard jid.bare != account else {
      throw NatterError(.invalidInput, "error.ownAddress", ["text": jid.bare.description])
    }
    return try await change(jid, .block(report))
  }

  /// Unblocks an address.
  /// - Returns: `false` if the change is pending.
  /// - Throws: `NatterError` when the server refuses.
  @discardableResult
  package func unblock(_ jid: JID) async throws -> Bool {
    try await change(jid, .unblock) != .waiting
  }

  /// Discards the pending changes of an address.
  package func discardBlocking(of jid: JID) async throws {
    try await store.drop(
      try await store.contactChanges(of: jid).filter { $0.operation.subject == .blocking })
    hub.publish(.blockListChanged)
  }

  private func change(_ jid: JID, _ operation: ContactChange.Operation) async throws -> BlockOutcome
  {
    // Stored first, so that the change is sent even if the program ends now.
    let change = try await store.keep(operation, of: jid)
    if channel == nil { hub.publish(.blockListChanged) }
    return try await pendingChanges.make([change]) {
      try await submitSerialized(change)
    } announce: {
      hub.publish(.blockListChanged)
    }
  }

  // MARK: On the way

  /// Sends the pending changes in the order in which they were made.
  fileprivate func submitChanges() async {
    await pendingChanges.submitAll {
      try await changes().filter(\.isWaiting)
    } _: { change in
      let outcome = try await submitSerialized(change)
      guard case .block(.some) = change.operation, outcome != .waiting else { return }
      hub.publish(
        .notice(
          StatusNotice(
            .info, outcome == .reported ? "status.reported" : "status.blockedUnreported",
            ["address": change.jid.description])))
    }
  }

  private func submitSerialized(_ change: ContactChange) async throws -> BlockOutcome {
    try await inbox.begin { try await self.submit(change) }.value
  }

  private func submit(_ change: ContactChange) async throws -> BlockOutcome {
    guard let channel else { return .waiting }
    // The change may have been sent or discarded while it waited for an earlier one.
    let pending = try await store.contactChanges(of: change.jid)
    guard pending.contains(where: { $0.id == change.id }) else { return .blocked }
    var outcome = BlockOutcome.blocked
    submitted.begin(change.jid)
    let isSubmitted = try await pendingChanges.submit([change]) {
      outcome = try await say(change, over: channel)
    } isPushed: {
      submitted.isPushed
    } announce: {
      hub.publish(.blockListChanged)
    }
    return isSubmitted ? outcome : .waiting
  }

  private func say(_ change: ContactChange, over channel: any StanzaChannel) async throws
    -> BlockOutcome
  {
    var outcome = BlockOutcome.blocked
    var item = Element("item", Self.namespace, ["jid": change.jid.description])
    if case .block(let report?) = change.operation, try await takesReports(channel) {
      // A server without support for reports would ignore one silently.
      outcome = .reported
      item.append(Self.element(of: report))
    }
    let isUnblocking = change.operation == .unblock
    do {
      _ = try await channel.request(
        Element(
          "iq", Namespace.client, ["type": "set"],
          [Element(isUnblocking ? "unblock" : "block", Self.namespace, [:], [item])]))
    } catch let error as StanzaError where isUnblocking && error.condition == .itemNotFound {
      // The address is not blocked any more.
    }
    return outcome
  }

  private func takesReports(_ channel: any StanzaChannel) async throws -> Bool {
    let server = JID(local: nil, domain: account.domain)
    let answer = try await channel.request(XEP0030Discovery.question(to: server))
    return XEP0030Discovery(answer: answer)?.features.contains(Self.reporting) ?? false
  }

  private static func element(of report: AbuseReport) -> Element {
    var element = Element(
      "report", reporting, ["reason": "urn:xmpp:reporting:\(report.reason.rawValue)"])
    if !report.text.isEmpty { element.append(Element("text", reporting, text: report.text)) }
    return element
  }

  private static func addresses(in list: Element) -> [JID] {
    list.all("item", namespace).compactMap { $0.address("jid").jid }
  }
}

/// Sends changes of the block list that were made offline before the account sends its presence, so
/// that messages of newly blocked senders from that time are not delivered.
package struct PendingBlocks: SessionConsuming {
  private let keeper: BlockListSync
  package init(_ keeper: BlockListSync) { self.keeper = keeper }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    await keeper.submitChanges()
  }
}
