import Foundation

/// Where the built-in server listens, as it wrote it down (`server.json`).
struct LocalServerAddress: Decodable, Equatable {
  let pid: Int32
  let port: Int
  let socket: String?
}

/// The built-in server did not come up.
struct LocalServerFailure: Error, Equatable {
  let reason: String
}

/// Finds the built-in server of this profile, and starts it when it is not running.
struct LocalServerLauncher {
  /// The server's data and state file.
  let directory: URL
  /// This program, which is started again as the server.
  let executable: URL
  let sleep: @Sendable (Duration) async throws -> Void

  init(
    directory: URL, executable: URL,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.directory = directory
    self.executable = executable
    self.sleep = sleep
  }

  /// The running server's address; starts one first where there is none.
  /// - Parameter isFresh: begins with empty data; refused while a server is running.
  /// - Throws: `LocalServerFailure` when none answers within 10 s.
  func address(isFresh: Bool) async throws -> LocalServerAddress {
    if let running = runningServer() {
      if isFresh { throw LocalServerFailure(reason: "cli.local-running") }
      return running
    }
    let output = try start(isFresh: isFresh)
    for _ in 0..<200 {
      if let running = runningServer() { return running }
      if !output.isRunning, runningServer() == nil {
        throw LocalServerFailure(reason: "cli.local-ended")
      }
      try await sleep(.milliseconds(50))
    }
    throw LocalServerFailure(reason: "cli.local-silent")
  }

  /// What the state file says, when the process it names lives.
  private func runningServer() -> LocalServerAddress? {
    guard let data = try? Data(contentsOf: directory.appending(path: "server.json")),
      let address = try? JSONDecoder().decode(LocalServerAddress.self, from: data),
      kill(address.pid, 0) == 0
    else { return nil }
    return address
  }

  /// Starts this program again as the server: apart from the terminal, so that closing it does not take the server along.
  private func start(isFresh: Bool) throws -> Process {
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let process = Process()
    process.executableURL = executable
    process.arguments = ["--local-server", directory.path] + (isFresh ? ["--local", "--fresh"] : [])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }
}
