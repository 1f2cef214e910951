import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

// Who asks to see this account's presence: kept until the request is answered or taken back, over restarts.
extension PresenceTracker {
  private static let prefix = "presence.request "

  package nonisolated var kinds: Set<AccountEvent.Kind> { [.contactRequest] }

  package func apply(_ command: AccountEvent) async throws {
    if let jid = command.sender { await requested(by: jid.bare) }
  }

  package func subscriptionRequests() async -> [JID] {
    await recall()
    return requests
  }

  package func settleRequest(from jid: JID) async {
    let jid = jid.bare
    await recall()
    guard requests.contains(jid) else { return }
    requests.removeAll { $0 == jid }
    await remember(nil, of: jid)
  }

  /// Takes those that were not answered in earlier runs of the program.
  func takeRequests(from values: [String: String]) {
    let kept = values.compactMap { key, value -> (jid: JID, asked: Int64)? in
      guard key.hasPrefix(Self.prefix),
        let jid = JID(parsing: String(key.dropFirst(Self.prefix.count)))
      else { return nil }
      return (jid, Int64(value) ?? 0)
    }.sorted { ($0.asked, $0.jid.description) < ($1.asked, $1.jid.description) }.map(\.jid)
    requests = kept + requests.filter { !kept.contains($0) }
  }

  /// - Parameter asked: in milliseconds since 1970; `nil`: the request is to be forgotten.
  private func remember(_ asked: Int64?, of jid: JID) async {
    do { try await memory?.setValue(asked.map { "\($0)" }, for: "\(Self.prefix)\(jid)") } catch {
      // It holds for this run, and the server tells it again at the next login.
      log.warning("a request could not be kept: \(error)")
    }
  }

  /// Somebody wants to see this account's presence. Whom the account asked itself is answered by that (RFC 6121 §3.1.3:
  /// a client may approve by itself according to the person's wishes); everybody else has to be asked about.
  private func requested(by jid: JID) async {
    guard withdrawn.remove(jid) == nil else { return }
    await recall()
    // Of what is kept: anybody may ask, from any number of addresses.
    if requests.contains(jid) { repeated.insert(jid) }
    do {
      if let contact = try await roster.contact(jid),
        contact.isPending || contact.subscription == .to || contact.subscription == .both,
        let channel
      {
        try await channel.send(
          Element(
            "presence", Namespace.client, ["type": "subscribed", "to": jid.description]))
        return await settleRequest(from: jid)
      }
      // The answer is on its way: the server repeats the question until it has it.
      if try await roster.contactChanges().contains(where: {
        $0.jid == jid && $0.wish.subject == .answer && $0.isWaiting
      }) {
        return
      }
    } catch {
      // Then the person is asked, as about anybody else.
      log.warning("a request could not be answered by itself: \(error)")
    }
    guard !requests.contains(jid) else { return }
    // Strangers cannot fill the list for ever.
    if requests.count >= RequestShares.all {
      guard let other = RequestShares.givingWay(to: jid, among: requests) else { return }
      await settleRequest(from: other)
      hub.publish(.subscriptionAnswered(other))
      guard !requests.contains(jid), requests.count < RequestShares.all else { return }
    }
    requests.append(jid)
    repeated.insert(jid)
    // What is seen is there at the next start, whenever the program ends.
    await remember(Int64(now().timeIntervalSince1970 * 1000), of: jid)
    if requests.contains(jid) { hub.publish(.subscriptionRequested(jid)) }
  }

  /// Somebody does not want it any more (RFC 6121 §3.3).
  func takeBack(requestOf jid: JID) async {
    if withdrawn.count < RequestShares.all { withdrawn.insert(jid) }
    guard requests.contains(jid) else { return }
    await settleRequest(from: jid)
    hub.publish(.subscriptionAnswered(jid))
  }

  /// Takes requests off the list that are none any more: the first presence of a session has a server tell all that wait for
  /// an answer (RFC 6121 §3.1.3), and it does so before it answers what is asked after that.
  func forgetWithdrawn(over channel: any StanzaChannel) async {
    let known = requests
    // Who does not want to be disturbed is not told.
    guard !known.isEmpty, own.availability != .offline, own.priority >= 0 else { return }
    do {
      _ = try await channel.request(XEP0199Ping.question())
    } catch is StanzaError {
      // That is an answer, too.
    } catch {
      return
    }
    for jid in known where !repeated.contains(jid) && requests.contains(jid) {
      await settleRequest(from: jid)
      hub.publish(.subscriptionAnswered(jid))
    }
  }
}
