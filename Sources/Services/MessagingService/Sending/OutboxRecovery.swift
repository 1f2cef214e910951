import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The search for messages that an earlier session may have sent, before they are sent again: the
/// server may have accepted them without an acknowledgement (flows.md, "Sending").
///
/// It runs in the isolation of the outbox.
struct OutboxRecovery {
  /// The messages whose fate is unknown.
  struct Doubts {
    /// By origin-id.
    let lookups: [String: ArchiveLookup]
    let refusals: [String: RefusedCopies]
  }

  let account: JID
  let store: any DeliveryStoring & AttemptStoring
  let hub: EventHub
  let log: Log
  let now: @Sendable () -> Date
  let state: OutboxState

  /// Returns which of `waiting` have to be looked for.
  func doubts(about waiting: [Message]) async throws -> Doubts {
    let refusals = try await store.refusals()
    let attempts = try await store.attempts()
    return Doubts(
      lookups: ArchiveLookup.needed(
        for: waiting, attempts: attempts, refusals: refusals, missed: state.session.missed),
      refusals: refusals)
  }

  /// Searches the archives for messages that may have been accepted: they are not sent again.
  /// - Returns: the conversations whose archive could not be read now.
  /// - Throws: `ChannelError.notConnected`, and the store's errors.
  func settle(
    _ doubts: Doubts, _ routes: [JID: MessageRoute], over channel: any StanzaChannel
  ) async throws -> Set<JID> {
    let refusals = doubts.refusals
    let search = ArchiveSearch(account: account, channel: channel)
    var silent: Set<JID> = []
    var changed: [Message] = []
    defer {
      if !changed.isEmpty {
        log.info("\(changed.count) messages had reached the server before the connection was lost")
        hub.publish(.messagesChanged(changed))
      }
    }
    for (peer, messages) in Dictionary(grouping: doubts.lookups, by: \.value.peer) {
      guard let since = messages.map(\.value.since).min() else { continue }
      let ids = Set(messages.map(\.key))
      let isRoom = routes[peer] == .room
      let found: [String: Set<String>]
      do {
        // A clock that was put back since was ahead.
        found = try await search.found(
          ids, to: peer, isRoom: isRoom, since: min(since, now()),
          isThorough: ids.contains { refusals[$0] != nil })
      } catch ChannelError.notConnected {
        throw ChannelError.notConnected
      } catch is ArchiveSearch.Endless {
        log.warning("an archive that was searched has no end")
        state.session.noteEndless(peer)
        silent.insert(peer)
        continue
      } catch {
        log.warning("an archive cannot be searched now: \(error)")
        silent.insert(peer)
        continue
      }
      for id in ids where refusals[id]?.isOpen == true {
        try await store.closeRefusal(of: id, copies: found[id] ?? [])
      }
      for (id, copies) in found
      where refusals[id]?.isOpen != true && !copies.isSubset(of: refusals[id]?.ids ?? []) {
        if let message = try await store.setDelivery(.sent, ofOriginID: id) {
          changed.append(message)
        }
      }
    }
    return silent
  }
}
