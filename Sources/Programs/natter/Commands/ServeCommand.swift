import BridgeService
import FoundationEssentials
import Glibc
import NatterCore
import Sockets
import System
import Text
import ViewModels

/// `natter serve`: answers programs for an account, connected where no other Natter is.
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
  func run(as name: String?, isOffline: Bool, socket: BridgeRequest.Socket?) async throws -> Int32 {
    if socket == .account, isOffline {
      throw CommandFailure(code: .usage, text: context.localizer("cli.socket-offline"))
    }
    let control = ServeControl()
    let access = try await BridgeAccess(context, control)
    let listener = try socket.flatMap { try self.listener(at: $0) }
    let gateway = access.gateway(isOffline: isOffline, listensAnyway: socket == .account)
    let localizer = context.localizer
    let texts: BridgeError.Texts = { localizer($0) }
    let signals = StopSignals([SIGINT, SIGTERM, SIGHUP])
    let ending = await withTaskGroup(of: Ending.self) { group in
      group.addTask {
        do {
          if socket == nil {
            try await Self.serveStandardStreams(gateway, as: name, texts)
          } else {
            try await Self.serve(listener, gateway, as: name, texts)
          }
          return .done
        } catch { return .failed(error) }
      }
      group.addTask {
        for await number in signals.numbers { return .signal(number) }
        return .done
      }
      group.addTask {
        for await _ in control.life {}
        return .done
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
    await gateway.close()
    switch ending {
    case .done: return ExitCode.done.rawValue
    case .signal(let number): return 128 + number
    case .failed(let error): throw error
    }
  }

  nonisolated private static func serveStandardStreams(
    _ gateway: AccountGateway, as name: String?, _ texts: @escaping BridgeError.Texts
  ) async throws {
    let streams = DescriptorStream(input: STDIN_FILENO, output: STDOUT_FILENO)
    let connection = LineConnection(streams, completesLastLine: true)
    try await BridgeRelay(connection, gateway, as: name, texts: texts).run()
    await connection.closed(within: BridgeListener.closingLimit)
  }

  /// Keeps the account open, and serves the clients of a socket beside it.
  /// - Parameter listener: `nil`: the account's own socket is enough.
  nonisolated private static func serve(
    _ listener: UnixSocketListener?, _ gateway: AccountGateway, as name: String?,
    _ texts: @escaping BridgeError.Texts
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      if let listener {
        group.addTask {
          await listener.run { client in
            let connection = LineConnection(client)
            // The error ends all of them.
            try? await BridgeRelay(connection, gateway, as: name, texts: texts).run()
            await connection.closed(within: BridgeListener.closingLimit)
          }
        }
      }
      group.addTask {
        while true {
          let connection = try await gateway.connection()
          for await _ in connection.lines {}
          connection.close()
          // It may end at once, as in a process with too many clients.
          try await BridgeRelay.shortPause()
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func listener(at socket: BridgeRequest.Socket) throws -> UnixSocketListener? {
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
