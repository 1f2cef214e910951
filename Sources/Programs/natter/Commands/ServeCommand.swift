import BridgeService
import FoundationEssentials
import Glibc
import NatterCore
import Sockets
import System
import Text
import ViewModels
import XMPP

/// `natter serve`: answers programs for an account, or for all that are signed in here, connected
/// where no other Natter is.
struct ServeCommand {
  let context: LaunchContext

  private enum Ending: Sendable {
    case done
    case signal(Int32)
    case failed(any Error)
  }

  /// - Parameters:
  ///   - name: whose permissions apply; `nil`: the user's.
  ///   - socket: serves clients of a socket instead of standard input and output.
  /// - Returns: the exit code.
  func run(as name: String?, isOffline: Bool, socket: ClientRequest.Socket?) async throws -> Int32 {
    if socket == .account, isOffline {
      throw CommandFailure(code: .usage, text: context.localizer("cli.socket-offline"))
    }
    var accesses = try await BridgeAccess.all(context)
    let scripting = ScriptComposition(context, mayAsk: false)
    for index in accesses.indices { accesses[index].scripted = scripting.bridges }
    let listener = try socket.flatMap { try self.listener(at: $0) }
    let accounts = accesses.map { access in
      ServedAccount(
        jid: access.account.jid.bare,
        gateway: access.gateway(isOffline: isOffline, listensAnyway: socket == .account),
        life: access.life)
    }
    let localizer = context.localizer
    let texts: BridgeError.Texts = { localizer($0) }
    let signals = StopSignals([SIGINT, SIGTERM, SIGHUP])
    scripting.printNotices(localizer)
    if !isOffline { scripting.begin() }
    let ending = await withTaskGroup(of: Ending.self) { group in
      group.addTask {
        do {
          if socket == nil {
            try await Self.serveStandardStreams(accounts, as: name, texts)
          } else {
            try await Self.serve(listener, accounts, as: name, texts)
          }
          return .done
        } catch { return .failed(error) }
      }
      group.addTask {
        for await number in signals.numbers { return .signal(number) }
        return .done
      }
      for account in accounts {
        group.addTask {
          for await _ in account.life {}
          return .done
        }
      }
      if socket == nil, let reader = ReaderWatch(STDOUT_FILENO) {
        group.addTask {
          await reader.ended()
          return .done
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? .done
    }
    // From here on a second signal ends the program at once.
    signals.release()
    await scripting.end()
    for account in accounts { await account.gateway.close() }
    switch ending {
    case .done: return ExitCode.done.rawValue
    case .signal(let number): return 128 + number
    case .failed(let error): throw error
    }
  }

  nonisolated private static func serveStandardStreams(
    _ accounts: [ServedAccount], as name: String?, _ texts: @escaping BridgeError.Texts
  ) async throws {
    let streams = DescriptorStream(input: STDIN_FILENO, output: STDOUT_FILENO)
    let connection = LineConnection(streams, completesLastLine: true)
    try await serve(connection, accounts, as: name, texts)
    await connection.closed(within: BridgeListener.closingLimit)
  }

  /// Serves one client.
  nonisolated private static func serve(
    _ connection: LineConnection, _ accounts: [ServedAccount], as name: String?,
    _ texts: @escaping BridgeError.Texts
  ) async throws {
    if accounts.count == 1, let account = accounts.first {
      return try await BridgeRelay(connection, account.gateway, as: name, texts: texts).run()
    }
    try await BridgeJoin(
      connection, accounts.map { ($0.jid, $0.gateway) }, as: name, texts: texts
    ).run()
  }

  /// Keeps the accounts open, and serves the clients of a socket beside them.
  /// - Parameter listener: `nil`: the accounts' own sockets are enough.
  nonisolated private static func serve(
    _ listener: UnixSocketListener?, _ accounts: [ServedAccount], as name: String?,
    _ texts: @escaping BridgeError.Texts
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      if let listener {
        let budget = LineBudget()
        group.addTask {
          await listener.run { client in
            let connection = LineConnection(client, budget: budget)
            // The error ends all of them.
            try? await serve(connection, accounts, as: name, texts)
            await connection.closed(within: BridgeListener.closingLimit)
          }
        }
      }
      for account in accounts {
        group.addTask { try await account.keepOpen() }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func listener(at socket: ClientRequest.Socket) throws -> UnixSocketListener? {
    guard case .path(let path) = socket else { return nil }
    do {
      return try UnixSocketListener(path: URL(filePath: path).path)
    } catch {
      switch error {
      case .openFolder(let folder):
        throw CommandFailure(
          code: .badConfiguration,
          text: context.localizer("cli.socket-open-folder", ["path": folder]))
      case .inUse(let path):
        throw CommandFailure(
          code: .temporary, text: context.localizer("cli.socket-in-use", ["path": path]))
      case .system(let path, let code):
        throw CommandFailure(
          code: .badConfiguration,
          text: context.localizer(
            "cli.socket-failed", ["path": path, "reason": String(code)]))
      }
    }
  }
}

/// An account that `natter serve` answers for.
nonisolated private struct ServedAccount: Sendable {
  let jid: JID
  let gateway: AccountGateway
  /// Ends when a client asks the process to end.
  let life: AsyncStream<Never>

  /// Keeps the account open, here or in another process.
  /// - Throws: the reason why it cannot be.
  func keepOpen() async throws {
    while true {
      let connection = try await gateway.connection()
      for await _ in connection.lines {}
      connection.close()
      // It may end at once, as in a process with too many clients.
      try await BridgeRelay.shortPause()
    }
  }
}
