import Diagnostics
import NatterCore
import XMPP

/// Keeps the block list in step with the server's (XEP-0191).
package actor BlockListKeeper: SessionConsuming, SyncCommandHandling, BlockListChanging {
  private let account: JID
  private let store: any BlockListStoring
  private let hub: EventHub
  private let log: Log
  private var channel: (any StanzaChannel)?

  package static let namespace = "urn:xmpp:blocking"
  private static let reporting = "urn:xmpp:reporting:1"

  package nonisolated var kinds: Set<SyncCommand.Kind> { [.blockList] }

  package init(account: JID, store: any BlockListStoring, hub: EventHub, log: Log) {
    self.account = account.bare
    self.store = store
    self.hub = hub
    self.log = log
  }

  package func channelOpened(_ channel: any StanzaChannel) async { self.channel = channel }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    do {
      let answer = try await channel.request(
        Element(
          "iq", Namespace.client, ["type": "get"], [Element("blocklist", Self.namespace)]))
      guard let list = answer.first("blocklist", Self.namespace) else { return }
      try await keep(Set(Self.addresses(in: list)))
    } catch is StanzaError {
      log.info("the server blocks nobody for its people")
    } catch {
      // The next session asks again.
      log.warning("the block list could not be read: \(error)")
    }
  }

  package func sessionEnded() async { channel = nil }

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
    try await keep(blocked)
    // Who asks learns nothing when the connection breaks now.
    try? await channel?.send(push.resultReply())
  }

  private func keep(_ blocked: Set<JID>) async throws {
    guard try await store.blocked() != blocked else { return }
    try await store.replaceBlocked(blocked)
    hub.publish(.blockListChanged)
  }

  // MARK: Changes

  package func blocked() async throws -> [JID] {
    try await store.blocked().sorted { $0.description < $1.description }
  }

  package func block(_ jid: JID, report: AbuseReport?) async throws -> Bool {
    guard jid.bare != account else {
      throw NatterError(.invalidInput, "error.ownAddress", ["text": jid.bare.description])
    }
    var item = Element("item", Self.namespace, ["jid": jid.description])
    var isTaken = false
    if let report {
      // A server that takes none would not say so.
      isTaken = try await takesReports()
      if isTaken { item.append(Self.element(of: report)) }
    }
    try await set(Element("block", Self.namespace, [:], [item]))
    try await keep(try await store.blocked().union([jid]))
    return isTaken
  }

  package func unblock(_ jid: JID) async throws {
    try await set(
      Element(
        "unblock", Self.namespace, [:],
        [Element("item", Self.namespace, ["jid": jid.description])]))
    try await keep(try await store.blocked().subtracting([jid]))
  }

  private func set(_ payload: Element) async throws {
    _ = try await ask(Element("iq", Namespace.client, ["type": "set"], [payload]))
  }

  private func ask(_ question: Element) async throws -> Element {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    do { return try await channel.request(question) } catch { throw NatterError(answering: error) }
  }

  private func takesReports() async throws -> Bool {
    let answer = try await ask(
      Element(
        "iq", Namespace.client, ["type": "get", "to": account.domain],
        [Element("query", Namespace.discoInfo)]))
    return answer.first("query", Namespace.discoInfo).flatMap { XEP0030Discovery($0) }?.features
      .contains(Self.reporting) ?? false
  }

  private static func element(of report: AbuseReport) -> Element {
    var element = Element(
      "report", reporting, ["reason": "urn:xmpp:reporting:\(report.reason.rawValue)"])
    if !report.words.isEmpty { element.append(Element("text", reporting, text: report.words)) }
    return element
  }

  private static func addresses(in list: Element) -> [JID] {
    list.all("item", namespace).compactMap { $0["jid"].flatMap { JID(parsing: $0) } }
  }
}
