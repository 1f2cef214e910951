import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Keeps the account's own card, changes it at the server, and sends changes that were made
/// offline.
package actor ProfilePublisher: SessionConsuming, OwnProfileEditing {
  private let account: JID
  private let store: any CardStoring
  private let hub: EventHub
  private let queue: PendingChangeSender
  private let now: @Sendable () -> Date
  private var channel: (any StanzaChannel)?
  private var visibility: OwnProfile.Visibility?
  /// Serializes changes: a card is read, changed and written in one step.
  private let serializer = KeyedSerializer<JID>()

  package init(
    account: JID, store: any CardStoring, hub: EventHub, log: Log,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.hub = hub
    queue = PendingChangeSender("a change of the profile", hub: hub) { log.warning("\($0)") }
    self.now = now
  }

  package func channelOpened(_ channel: any StanzaChannel) async { self.channel = channel }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
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
    let changes = try await store.cardChanges()
    var profile = OwnProfile(
      card: stored?.card ?? PersonCard(), waiting: Set(changes.keys), visibility: visibility,
      readAt: stored?.readAt)
    for (field, text) in changes { profile.card[field] = text }
    let pendingChanges = try await store.pendingProfileChanges()
    if let wanted = pendingChanges.visibility {
      profile.visibility = wanted
      profile.visibilityWaits = true
    }
    profile.waitingPicture = pendingChanges.picture
    return profile
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
    try await store.keepCardChange(text, of: field)
    hub.publish(.cardChanged(account))
    guard channel != nil else { return false }
    return try await serialized { keeper in try await keeper.submit([field: text]) }
  }

  /// Changes the audience of the card.
  /// - Returns: `false` if the change is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func setVisibility(_ visibility: OwnProfile.Visibility) async throws -> Bool {
    try await keepPending { $0.visibility = visibility }
    guard channel != nil else { return false }
    return try await serialized { keeper in try await keeper.submitVisibility() }
  }

  /// Changes the picture; `nil` removes it.
  /// - Returns: `false` if the change is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func setPicture(_ picture: OwnPicture?) async throws -> Bool {
    try await keepPending { $0.picture = picture.map { .show($0) } ?? .hide }
    guard channel != nil else { return false }
    return try await serialized { keeper in try await keeper.submitPicture() }
  }

  private func keepPending(_ change: @Sendable (inout PendingProfileChanges) -> Void) async throws {
    var pendingChanges = try await store.pendingProfileChanges()
    change(&pendingChanges)
    try await store.keep(pendingChanges)
    hub.publish(.cardChanged(account))
  }

  private func submitVisibility() async throws -> Bool {
    guard let wanted = try await store.pendingProfileChanges().visibility else { return true }
    let isSubmitted = try await submit {
      try await $0.setVisibility(wanted)
    } then: {
      if $0.visibility == wanted { $0.visibility = nil }
    }
    if isSubmitted { try await read() }
    return isSubmitted
  }

  private func submitPicture() async throws -> Bool {
    guard let wanted = try await store.pendingProfileChanges().picture else { return true }
    return try await submit {
      try await $0.publish(wanted.shown)
    } then: {
      if $0.picture == wanted { $0.picture = nil }
    }
  }

  /// - Parameter settle: removes the pending change, unless the user has made another one
  ///   meanwhile.
  /// - Returns: `true` once the server has it; otherwise it waits for the next session.
  private func submit(
    _ work: (CardExchange) async throws -> Void,
    then settle: @Sendable (inout PendingProfileChanges) -> Void
  ) async throws -> Bool {
    guard let exchange = try? exchange() else { return false }
    let isSubmitted = try await queue.submit {
      try await work(exchange)
    } refused: { _ in
      try await keepPending(settle)
    }
    if isSubmitted { try await keepPending(settle) }
    return isSubmitted
  }

  /// Sends the changes that were made offline.
  private func submitPending() async {
    await queue.submitAll {
      try await store.cardChanges().sorted { $0.key.rawValue < $1.key.rawValue }
    } _: { field, text in
      _ = try await serialized { keeper in try await keeper.submit([field: text]) }
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
  private func submit(_ texts: [PersonCard.Field: String]) async throws -> Bool {
    guard let exchange = try? exchange() else { return false }
    let isSubmitted = try await queue.submit {
      try await exchange.submit(texts)
    } refused: { _ in
      try await settle(texts)
      hub.publish(.cardChanged(account))
    }
    guard isSubmitted else { return false }
    var card = try await store.card(of: account)?.card ?? PersonCard()
    for (field, text) in texts { card[field] = text }
    try await settle(texts)
    try await keep(card)
    return true
  }

  /// Removes pending changes, unless the user has made others meanwhile.
  private func settle(_ texts: [PersonCard.Field: String]) async throws {
    let waiting = try await store.cardChanges()
    for (field, text) in texts where waiting[field] == text {
      try await store.keepCardChange(nil, of: field)
    }
  }

  private func exchange() throws -> CardExchange {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    return CardExchange(account: account, channel: channel)
  }

  /// Runs `work` after all work that began before it.
  private func serialized<Value: Sendable>(
    _ work: @escaping @Sendable (isolated ProfilePublisher) async throws -> Value
  ) async throws -> Value {
    try await serializer.begin(account) { try await work(self) }.value
  }
}
