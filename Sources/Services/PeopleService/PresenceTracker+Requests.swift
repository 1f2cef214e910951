import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

// Subscription requests to this account: kept, also over restarts, until they are answered or
// withdrawn.
extension PresenceTracker {
  package nonisolated var kinds: Set<AccountEvent.EventKind> { [.contactRequest] }

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

  /// - Parameter asked: when it arrived; `nil` removes the request.
  private func remember(_ asked: Date?, of jid: JID) async {
    do {
      if let asked {
        try await memory?.keepRequest(from: jid, at: asked)
      } else {
        try await memory?.removeRequest(from: jid)
      }
    } catch {
      // The request holds for this run, and the server repeats it at the next login.
      log.warning("a request could not be kept: \(error)")
    }
  }

  /// Handles a request to see this account's presence. A request of a contact whose presence the
  /// account requested itself is approved (RFC 6121 §3.1.3: a client may approve by itself if the
  /// user's preferences allow it); the user decides about every other one.
  private func requested(by jid: JID) async {
    guard withdrawn.remove(jid) == nil else { return }
    await recall()
    // Only known requests: anyone may send them, from any number of addresses.
    if requests.contains(jid) { repeated.insert(jid) }
    do {
      let contact = try await roster.contact(jid)
      // Another client has granted it: the change of the roster overtook the request, which takes
      // another path.
      if contact?.subscription == .from { return await settleRequest(from: jid) }
      if let contact,
        contact.isPending || contact.subscription == .to || contact.subscription == .both,
        let channel
      {
        try await channel.send(
          Element(
            "presence", Namespace.client, ["type": "subscribed", "to": jid.description]))
        return await settleRequest(from: jid)
      }
      // An answer is pending: the server repeats the request until it has the answer.
      if try await roster.contactChanges(of: jid).contains(where: {
        $0.operation.subject == .answer && $0.isWaiting
      }) {
        return
      }
    } catch {
      // The user decides then, as about any other request.
      log.warning("a request could not be answered by itself: \(error)")
    }
    guard !requests.contains(jid) else { return }
    // Strangers cannot fill the list without limit.
    if requests.count >= RequestShares.all {
      guard let other = RequestShares.givingWay(to: jid, among: requests) else { return }
      await settleRequest(from: other)
      hub.publish(.subscriptionAnswered(other))
      guard !requests.contains(jid), requests.count < RequestShares.all else { return }
    }
    requests.append(jid)
    repeated.insert(jid)
    // Stored before it is shown, so that a visible request is there at the next start, whenever the
    // program ends.
    await remember(now(), of: jid)
    if requests.contains(jid) { hub.publish(.subscriptionRequested(jid)) }
  }

  /// Handles the withdrawal of a request (RFC 6121 §3.3).
  func takeBack(requestOf jid: JID) async {
    if withdrawn.count < RequestShares.all { withdrawn.insert(jid) }
    guard requests.contains(jid) else { return }
    await settleRequest(from: jid)
    hub.publish(.subscriptionAnswered(jid))
  }

  /// Removes requests that were withdrawn meanwhile. The first presence of a session makes a server
  /// repeat all unanswered requests (RFC 6121 §3.1.3), before it answers later stanzas.
  func forgetWithdrawn(over channel: any StanzaChannel) async {
    let known = requests
    // A server repeats no requests for an unavailable client or one with negative priority.
    guard !known.isEmpty, own.availability != .offline, own.priority >= 0 else { return }
    // Not with the answer to a ping alone, which comes here before the repeated requests do.
    do { try await channel.settle(timeout: .seconds(30)) } catch { return }
    for jid in known where !repeated.contains(jid) && requests.contains(jid) {
      await settleRequest(from: jid)
      hub.publish(.subscriptionAnswered(jid))
    }
  }
}

/// Removes contact requests that were withdrawn while the account was offline, once everything else
/// of a session is set up: that waits until all that has arrived is handled, and some of it waits
/// for the bookmarks of the session.
package struct WithdrawnRequests: SessionConsuming {
  private let presence: PresenceTracker
  package init(_ presence: PresenceTracker) { self.presence = presence }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    await presence.forgetWithdrawn(over: channel)
  }
}
