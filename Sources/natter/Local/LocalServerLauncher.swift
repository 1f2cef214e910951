import Foundation
import LocalServer

/// The built-in server did not come up; `key` and `arguments` make the sentence for the person.
nonisolated struct LocalServerFailure: Error, Equatable {
  let key: String
  var arguments: [String: String] = [:]
}

/// Finds the built-in server of this profile, and starts it when it is not running.
nonisolated struct LocalServerLauncher: Sendable {
  /// The server's data and state file.
  let directory: URL
  /// This program, which is started again as the server.
  let executable: URL
  let resources: URL

  /// How long a server may take to get ready.
  private static let limit = Duration.seconds(10)

  /// The running server; starts one first where there is none. Two programs that do this at once find the same one.
  /// - Parameters:
  ///   - isFresh: begins with empty data; refused while a server is running.
  ///   - restarting: does not believe what a server wrote down before; one that runs after all is found again.
  /// - Throws: `LocalServerFailure`.
  func server(isFresh: Bool, restarting: Bool = false) async throws -> ServerState {
    if !restarting, let running = running() {
      if isFresh { throw LocalServerFailure(key: "cli.local-running") }
      return running
    }
    let before = restarting ? ServerState.read(in: directory) : nil
    let process = try start(isFresh: isFresh)
    let deadline = ContinuousClock.now + Self.limit
    while ContinuousClock.now < deadline {
      if let running = running(), running != before { return running }
      guard process.isRunning else {
        // Another one was faster and this one has left the place to it, or it failed.
        if let running = running() { return running }
        throw LocalServerFailure(key: "cli.local-ended")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw LocalServerFailure(key: "cli.local-silent")
  }

  /// What the state file says, when the process it names lives.
  private func running() -> ServerState? {
    guard let state = ServerState.read(in: directory), kill(state.pid, 0) == 0 else { return nil }
    return state
  }

  private func start(isFresh: Bool) throws -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments =
      ["--local-server", directory.path] + (isFresh ? ["--local", "--fresh"] : [])
    // It lives on when this terminal is closed, and must not hold it open.
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["NATTER_RESOURCES": resources.path]) { $1 }
    do { try process.run() } catch {
      throw LocalServerFailure(key: "cli.local-failed", arguments: ["reason": "\(error)"])
    }
    return process
  }
}
