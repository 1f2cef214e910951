import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The surroundings of the archive service: the account, its database, and the other services.
package struct ArchivePorts: Sendable {
  let account: JID
  let store: any ArchiveStoring & ArrivalReading
  let deliveries: any DeliveryStoring
  let copies: CarbonCopies
  let hub: EventHub
  let log: Log
  /// Takes the commands in archives; `nil`: they are ignored.
  package var inbox: AccountEventInbox?
  /// Called with each page of the account's archive after it was stored.
  package var followers: [any ArchiveFollowing] = []
  /// Knows the visit of each room, and the nick in rooms that were left; `nil`: unknown.
  package var rooms: (any RoomViewing & RoomReading)?
  /// Keeps the progress of the search for unknown senders, and the deliveries before the archive is
  /// read; `nil`: they are not kept.
  package var memory: (any ArchiveProgressStoring)?
  /// The languages that the user reads, the preferred language first.
  package var languages: [String] = []
  /// Returns whether a conversation is a room that is not entered at the moment.
  package var isRoom: @Sendable (JID) async -> Bool = { _ in false }
  /// The clock.
  package var now: @Sendable () -> Date = { Date() }
  /// Waits for a duration.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Creates the ports that the service cannot do without; the others are optional.
  package init(
    account: JID, store: any ArchiveStoring & ArrivalReading, deliveries: any DeliveryStoring,
    copies: CarbonCopies,
    hub: EventHub, log: Log
  ) {
    self.account = account.bare
    self.store = store
    self.deliveries = deliveries
    self.copies = copies
    self.hub = hub
    self.log = log
  }
}
