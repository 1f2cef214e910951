import Configuration
import Diagnostics
import NatterCore
import Sockets

/// Lets other programs of the user work with an account that this process has open.
nonisolated struct BridgeListener: Sendable {
  /// `nil`: it does not listen, because the settings say so, or the path would be too long.
  private let path: String?
  private let bridge: any BridgeServing
  private let log: Log

  /// The time that a client has to read the last lines when its connection ends.
  static let closingLimit = Duration.seconds(2)
  private static let bindingLimit = Duration.seconds(5)
  private static let bindingPause = Duration.milliseconds(100)

  init(path: String?, bridge: any BridgeServing, log: Log) {
    self.path = path
    self.bridge = bridge
    self.log = log
  }

  /// Serves clients until the task is cancelled.
  func run() async {
    guard let path, let listener = await listener(at: path) else { return }
    await run(listener)
  }

  /// Begins to listen. The process that had the account before may be about to free the path.
  /// - Returns: `nil` if that failed: the log has the reason.
  private func listener(at path: String) async -> UnixSocketListener? {
    let deadline = ContinuousClock.now + Self.bindingLimit
    while true {
      do { return try UnixSocketListener(path: path, restrictsFolder: true) } catch {
        guard case .inUse = error, ContinuousClock.now < deadline,
          (try? await Task.sleep(for: Self.bindingPause)) != nil
        else {
          log.warning("other programs cannot connect: \(error)")
          return nil
        }
      }
    }
  }

  /// Serves the clients of a socket until the task is cancelled, or the socket is closed.
  func run(_ listener: UnixSocketListener) async {
    let budget = LineBudget()
    await listener.run { [bridge] client in
      let connection = LineConnection(client, budget: budget)
      await bridge.serve(connection)
      connection.close()
      await connection.closed(within: Self.closingLimit)
    }
  }
}

extension BridgeListener {
  /// The listener of an account, where the settings have one.
  /// - Parameter host: the program around the account.
  init(_ context: LaunchContext, _ services: AccountServices, host: any BridgeHosting) {
    let socket = BridgeSocket(of: services.account.jid, context)
    self.init(
      path: context.settings.bridge.listens ? socket.path : nil,
      bridge: BridgeComposition.natter.running(services, nil, host, ProgramRights(context)),
      log: services.log)
  }
}
