import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Keeps the account's own card, changes it at the server, and sends changes that were made
/// offline.
package actor ProfilePublisher: ChannelHolding, OwnProfileEditing {
  private let account: JID
  private let store: any CardStoring
  private let changes: any PendingChangeStoring
  private let hub: EventHub
  private let queue: PendingChangeSender
  private let now: @Sendable () -> Date
  package var channel: (any StanzaChannel)?
  private var visibility: OwnProfile.Visibility?
  /// Serializes changes: a card is read, changed and written in one step.
  private let inbox = SerialInbox<SingleLane>()

  package init(
    account: JID, store: any CardStoring, changes: any PendingChangeStoring, hub: EventHub,
    log: Log,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.changes = changes
    self.hub = hub
    queue = PendingChangeSender("a change of the profile", hub: hub) { log.warning("\($0)") }
    self.now = now
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    await queue.reportUnreadable([.card, .visibility, .picture], in: changes)
    await submitPending()
  }

  package func sessionEnded() async {
    channel = nil
    visibility = nil
  }

  // MARK: Reading

  /// Returns the stored profile with the pending changes.
  package func profile() async throws -> OwnProfile {
    let stored = try await store.card(of: account)
    let fields = try await pending(CardChange.self)
    var profile = OwnProfile(
      card: stored?.card ?? PersonCard(), waiting: Set(fields.map(\.field)),
      visibility: visibility, readAt: stored?.readAt)
    for change in fields { profile.card[change.field] = change.text }
    if let wanted = try await pending(VisibilityChange.self).first {
      profile.visibility = wanted.visibility
      profile.visibilityWaits = true
    }
    profile.waitingPicture = try await pending(PictureChange.self).first
    return profile
  }

  private func pending<Change: PendingChange>(_ type: Change.Type) async throws -> [Change] {
    try await changes.pending(type).map(\.change)
  }

  /// Reads the profile from the server, and returns it with the pending changes.
  /// - Throws: `NatterError`, also without a connection.
  package func refreshed() async throws -> OwnProfile {
    try await serialized { keeper in try await keeper.read() }
    return try await profile()
  }

  private func read() async throws {
    let exchange = try exchange()
    do {
      let card = try await exchange.ownCard()
      visibility = try await exchange.visibility()
      try await keep(card)
    } catch {
      throw NatterError(answering: error)
    }
  }

  private func keep(_ card: PersonCard) async throws {
    try await store.save(StoredCard(card: card, readAt: now()), of: account)
    hub.publish(.cardChanged(account))
  }

  // MARK: Changing

  /// Changes a field of the card.
  /// - Returns: `false` if the change is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func change(_ field: PersonCard.Field, to text: String) async throws -> Bool {
    // Stored first, so that the change is sent even if the program ends now.
    let change = CardChange(field, text)
    try await keepPending(change)
    guard channel != nil else { return false }
    return try await serialized { keeper in try await keeper.submit(change) }
  }

  /// Changes the audience of the card.
  /// - Returns: `false` if the change is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func setVisibility(_ visibility: OwnProfile.Visibility) async throws -> Bool {
    try await keepPending(VisibilityChange(visibility))
    guard channel != nil else { return false }
    return try await serialized { keeper in try await keeper.submitVisibility() }
  }

  /// Changes the picture; `nil` removes it.
  /// - Returns: `false` if the change is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func setPicture(_ picture: OwnPicture?) async throws -> Bool {
    try await keepPending(PictureChange(picture))
    guard channel != nil else { return false }
    return try await serialized { keeper in try await keeper.submitPicture() }
  }

  private func keepPending(_ change: some PendingChange) async throws {
    try await changes.keep(change)
    hub.publish(.cardChanged(account))
  }

  private func submitVisibility() async throws -> Bool {
    guard let wanted = try await pending(VisibilityChange.self).first else { return true }
    let isSubmitted = try await submit(wanted) { try await $0.setVisibility(wanted.visibility) }
    if isSubmitted { try await read() }
    return isSubmitted
  }

  private func submitPicture() async throws -> Bool {
    guard let wanted = try await pending(PictureChange.self).first else { return true }
    return try await submit(wanted) { try await $0.publish(wanted.picture) }
  }

  /// Sends a change, and removes it then, unless the user has made another one meanwhile.
  /// - Returns: `true` once the server has it; otherwise it waits for the next session.
  private func submit(
    _ change: some PendingChange, _ work: (CardExchange) async throws -> Void
  ) async throws -> Bool {
    guard let exchange = try? exchange() else { return false }
    let isSubmitted = try await queue.submit {
      try await work(exchange)
    } refused: { _ in
      try await settle(change)
    }
    if isSubmitted { try await settle(change) }
    return isSubmitted
  }

  /// Sends the changes that were made offline.
  private func submitPending() async {
    await queue.submitAll {
      try await pending(CardChange.self).sorted { $0.field.rawValue < $1.field.rawValue }
    } _: { change in
      _ = try await serialized { keeper in try await keeper.submit(change) }
    }
    await queue.submitAll {
      [false, true]
    } _: { isPicture in
      _ = try await serialized { keeper in
        isPicture ? try await keeper.submitPicture() : try await keeper.submitVisibility()
      }
    }
  }

  /// - Returns: `true` once the server has it; otherwise it waits for the next session.
  private func submit(_ change: CardChange) async throws -> Bool {
    try await submit(change) {
      try await $0.submit([change.field: change.text])
      var card = try await store.card(of: account)?.card ?? PersonCard()
      card[change.field] = change.text
      try await keep(card)
    }
  }

  /// Removes a pending change, unless the user has made another one meanwhile.
  private func settle(_ change: some PendingChange) async throws {
    try await changes.settle(change)
    hub.publish(.cardChanged(account))
  }

  private func exchange() throws -> CardExchange {
    CardExchange(account: account, channel: try openChannel())
  }

  /// Runs `work` after all work that began before it.
  private func serialized<Value: Sendable>(
    _ work: @escaping @Sendable (isolated ProfilePublisher) async throws -> Value
  ) async throws -> Value {
    try await inbox.begin { try await work(self) }.value
  }
}
