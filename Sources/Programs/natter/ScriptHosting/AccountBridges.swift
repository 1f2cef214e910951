import BridgeService
import NatterCore
import Synchronization
import XMPP

/// The accounts that are open in this process, as scripts reach them: one bridge over all of them.
/// Until a script is enabled, nothing of them is followed.
nonisolated final class AccountBridges: ScriptBridging {
  /// An account that is open.
  struct Open: Sendable {
    let account: BridgeAccount
    let hub: EventHub
    let connection: any ConnectionControlling
    /// The program around it.
    let host: any BridgeHosting

    init(
      _ account: BridgeAccount, hub: EventHub, connection: any ConnectionControlling,
      host: any BridgeHosting
    ) {
      (self.account, self.hub, self.connection, self.host) = (account, hub, connection, host)
    }

    init(_ services: AccountServices, host: any BridgeHosting) {
      self.init(
        services.bridgeAccount, hub: services.hub, connection: services.connection, host: host)
    }

    /// Indicates whether it is the same account, opened once.
    fileprivate func isSame(as other: Open) -> Bool {
      hub === other.hub && account.jid == other.account.jid
    }
  }

  private struct State {
    var accounts: [Open] = []
    var openings = 0
    /// The tasks that follow the accounts; `nil`: they are not followed.
    var following: [JID: Task<Void, Never>]?
    var followers: [AsyncStream<Void>.Continuation] = []
    var listeners: [(names: Set<String>, continuation: AsyncStream<ScriptWake>.Continuation)] = []
  }

  private let state = Mutex(State())
  private let options: @Sendable (JID) -> BridgeOptions
  /// A script that begins anew, or has other accounts, has the limits that it had.
  private let counts = BridgeCounts()

  /// - Parameter options: returns those of a bridge; dates and names of a search are the account's.
  init(options: @escaping @Sendable (JID) -> BridgeOptions) { self.options = options }

  // MARK: - The program

  /// Takes the accounts that are open now, in order.
  func set(_ accounts: [Open]) {
    state.withLock { state in
      let old = state.accounts
      guard !accounts.elementsEqual(old, by: { $0.isSame(as: $1) }) else { return }
      // One that was closed, and opened again, is followed anew.
      for account in old where !accounts.contains(where: account.isSame) {
        state.following?.removeValue(forKey: account.account.jid)?.cancel()
      }
      state.accounts = accounts
      state.openings += 1
      follow(in: &state)
      report(in: &state)
    }
  }

  /// Adds an account that was opened.
  func add(_ account: Open) {
    let others = state.withLock(\.accounts).filter { $0.account.jid != account.account.jid }
    set(others + [account])
  }

  /// Removes an account that is being closed.
  func remove(_ account: JID) {
    set(state.withLock(\.accounts).filter { $0.account.jid != account.bare })
  }

  // MARK: - ScriptBridging

  var accounts: [JID] { get async { state.withLock { $0.accounts.map(\.account.jid) } } }

  var openings: Int { get async { state.withLock(\.openings) } }

  var isOnline: Bool {
    get async {
      for account in state.withLock(\.accounts) where await account.connection.state().isOnline {
        return true
      }
      return false
    }
  }

  func serve(_ connection: any BridgeConnection, for client: NatterCore.BridgeClient) async {
    let open = state.withLock(\.accounts)
    guard let first = open.first else { return connection.close() }
    var options = options(first.account.jid)
    options.host = OpenHosts(open)
    await Bridge(open.map(\.account), options: options, counts: counts)
      .serve(connection, for: client)
  }

  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      state.followers.append(continuation)
      begin(in: &state)
    }
    return stream
  }

  func events(named names: Set<String>) -> AsyncStream<ScriptWake> {
    // The oldest count: a script that is woken reads from the first one on.
    let (stream, continuation) = AsyncStream<ScriptWake>.makeStream(
      bufferingPolicy: .bufferingOldest(1000))
    state.withLock { state in
      state.listeners.append((names, continuation))
      begin(in: &state)
    }
    return stream
  }

  // MARK: - Following

  private func begin(in state: inout State) {
    if state.following == nil { state.following = [:] }
    follow(in: &state)
  }

  /// Follows the accounts that are not followed yet, if anything wants to know.
  private func follow(in state: inout State) {
    guard let following = state.following else { return }
    for account in state.accounts where following[account.account.jid] == nil {
      // Subscribed at once, so that nothing is missed.
      let events = account.hub.events()
      state.following?[account.account.jid] = Task { [weak self] in
        var isOnline = await account.connection.state().isOnline
        for await event in events {
          guard let self else { return }
          if case .connectionChanged(let connection) = event, connection.isOnline != isOnline {
            isOnline = connection.isOnline
            self.state.withLock { self.report(in: &$0) }
          }
          self.announce(event, in: account.account.jid)
        }
      }
    }
  }

  private func report(in state: inout State) {
    state.followers.removeAll { follower in
      if case .terminated = follower.yield() { true } else { false }
    }
    // Without anything that wants to know, the accounts are not followed.
    guard state.followers.isEmpty, state.listeners.isEmpty else { return }
    for task in (state.following ?? [:]).values { task.cancel() }
    state.following = nil
  }

  private func announce(_ event: DomainEvent, in account: JID) {
    let names = BridgeEvent.wireNames(of: event)
    guard !names.isEmpty else { return }
    state.withLock { state in
      state.listeners.removeAll { listener in
        for name in listener.names.intersection(names) {
          let wake = ScriptWake(name, in: account, message: Self.firstMessage(of: event))
          if case .terminated = listener.continuation.yield(wake) { return true }
        }
        return false
      }
    }
  }

  /// The id of the first message that was stored with an event.
  private static func firstMessage(of event: DomainEvent) -> Int? {
    switch event {
    case .messagesStored(let messages), .historyStored(let messages, _):
      messages.map { Int($0.id.rawValue) }.min()
    default: nil
    }
  }
}

/// The programs around several accounts, each for its own.
nonisolated private struct OpenHosts: BridgeHosting {
  private let hosts: [JID: any BridgeHosting]
  private let first: (any BridgeHosting)?

  init(_ accounts: [AccountBridges.Open]) {
    hosts = Dictionary(
      accounts.map { ($0.account.jid, $0.host) }, uniquingKeysWith: { first, _ in first })
    first = accounts.first?.host
  }

  func setPinned(_ isPinned: Bool, _ conversation: JID, of account: JID) async throws -> Bool {
    try await hosts[account.bare]?.setPinned(isPinned, conversation, of: account) ?? false
  }

  func notify(_ notification: BridgeNotification, of account: JID) async -> Bool {
    await hosts[account.bare]?.notify(notification, of: account) ?? false
  }

  func settings() async -> [BridgeSetting] { await first?.settings() ?? [] }
}
