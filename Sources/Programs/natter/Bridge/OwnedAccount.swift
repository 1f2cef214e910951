import ConnectionService
import Diagnostics
import NatterCore
import Sockets
import Storage
import Text
import XMPP

/// An account that `natter serve` has open: connected as a client that no user looks at, with its
/// socket for other programs.
actor OwnedAccount: AccountOwning {
  private let services: AccountServices
  private let bridge: any BridgeServing
  private let listener: BridgeListener
  private let running: Task<Void, Never>
  private let listening: Task<Void, Never>
  private let firstState: Task<ConnectionProblem?, Never>
  private let onClose: @Sendable () -> Void
  /// The tasks that serve connections of this process, by a number.
  private var serving: [Int: Task<Void, Never>] = [:]
  private var lastNumber = 0
  private var closing: Task<Void, Never>?

  /// The longest wait of closing for the connection to end.
  private static let closingLimit = Duration.seconds(5)

  /// - Parameters:
  ///   - listener: of the account's socket.
  ///   - onClose: called once, before the account is closed.
  init(
    _ services: AccountServices, bridge: any BridgeServing, listener: BridgeListener,
    onClose: @escaping @Sendable () -> Void = {}
  ) {
    self.services = services
    self.onClose = onClose
    self.bridge = bridge
    self.listener = listener
    let events = services.hub.events()
    firstState = Task { await Self.firstProblem(in: events) }
    running = Task {
      await withDiscardingTaskGroup { group in
        group.addTask { await services.run() }
        group.addTask {
          if let spool = services.spool { await InstanceMessenger(spool).refuseAll() }
        }
      }
    }
    listening = Task { await listener.run() }
  }

  /// Waits for the first attempt to connect.
  /// - Returns: why it failed; `nil`: the account is online.
  func firstProblem() async -> ConnectionProblem? { await firstState.value }

  private static func firstProblem(
    in events: AsyncStream<DomainEvent>
  ) async -> ConnectionProblem? {
    for await event in events {
      switch event {
      case .connectionChanged(.online): return nil
      case .connectionChanged(.refused(let problem)),
        .connectionChanged(.waiting(_, let problem)):
        return problem
      default: break
      }
    }
    return nil
  }

  func connect() -> LineConnection? {
    // Without descriptors it is tried again, as while the account is being closed.
    guard closing == nil, let pair = try? LineConnection.pair() else { return nil }
    lastNumber += 1
    let (number, server, bridge) = (lastNumber, pair.server, bridge)
    serving[number] = Task {
      await bridge.serve(server)
      server.close()
      serving[number] = nil
    }
    return pair.client
  }

  func close() async {
    if let closing { return await closing.value }
    let task = Task { await self.end() }
    closing = task
    await task.value
  }

  private func end() async {
    onClose()
    // The clients of the socket are not awaited: one of them may wait for this.
    listening.cancel()
    for task in serving.values { task.cancel() }
    // Everything important is in the database by now.
    let done = OneShot<Void>()
    let (services, running) = (services, running)
    let ending = Task {
      await services.connection.goOffline()
      running.cancel()
      await running.value
      done.settle(())
    }
    let limit = Task {
      // Cancelled: it has ended.
      try? await Task.sleep(for: Self.closingLimit)
      running.cancel()
      done.settle(())
    }
    await done.value()
    limit.cancel()
    ending.cancel()
    firstState.cancel()
    await services.database.close()
  }
}
