import FoundationEssentials
import Glibc
import LocalServer
import System
import Text
import ViewModels

/// The reason why the built-in server did not start.
nonisolated enum LocalServerFailure: Error, Equatable {
  /// A localized message: its key and arguments.
  case reported(key: String, arguments: [String: String] = [:])
  /// The server's own message, in the language that it was started with.
  case said(String)

  /// The message for the user.
  func text(_ localizer: Localizer) -> String {
    switch self {
    case .reported(let key, let arguments): localizer(key, arguments)
    case .said(let output): output
    }
  }
}

/// Finds the built-in server of this profile, and starts it if it is not running.
nonisolated struct LocalServerLauncher: Sendable {
  /// The directory of the server's data and state file.
  let directory: URL
  /// This program, which is started again as the server.
  let executable: URL
  let resources: URL
  /// The language of the server: of its errors, and with new users.
  let language: String
  /// The command that runs this program in a shell, for the guide.
  let program: String

  /// The time within which a server has to be ready.
  private static let limit = Duration.seconds(10)
  /// The time within which a server has to end: a server of an earlier version lingers for some
  /// seconds after its last client.
  private static let endingLimit = Duration.seconds(6)
  /// The time within which the last client has to leave: a restart right after quitting should not
  /// be refused.
  private static let leavingLimit = Duration.seconds(1)

  /// Returns the running server; starts one first if there is none. Two programs that do this at
  /// the same time find the same server.
  /// - Parameters:
  ///   - isFresh: starts with empty data; refused while a server has clients. A server without
  ///   clients is asked to end.
  ///   - restarting: ignores the state that a previous server wrote; a server that runs after all
  ///   is found again.
  /// - Throws: `LocalServerFailure`.
  func server(isFresh: Bool, restarting: Bool = false) async throws -> ServerState {
    if isFresh {
      guard try await hasEnded() else {
        throw LocalServerFailure.reported(key: "cli.local-running")
      }
    } else if !restarting, let running = running() {
      return running
    }
    let before = restarting ? ServerState.read(in: directory) : nil
    let (process, errors) = try start(isFresh: isFresh)
    defer { close(errors) }
    let deadline = ContinuousClock.now + Self.limit
    // The server closes the pipe when clients can connect, and when it ends. Waiting for that needs
    // no timer: those of the runtime do not fire for a program whose clock is faked.
    await PipeEnd.wait(for: errors, limit: Self.limit)
    while ContinuousClock.now < deadline {
      if let running = running(), running != before { return running }
      // Reaps the process if it has ended.
      guard waitpid(process, nil, WNOHANG) == 0 else {
        // Another server started first and this one gave way to it, or it failed.
        if let running = running() { return running }
        let output = Self.output(from: errors)
        throw output.isEmpty ? LocalServerFailure.reported(key: "cli.local-ended") : .said(output)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw LocalServerFailure.reported(key: "cli.local-silent")
  }

  /// Returns whether no server runs, or the running one has ended.
  private func hasEnded() async throws -> Bool {
    let start = ContinuousClock.now
    var isReported = false
    while let state = running() {
      let hasClients = ServerState.hasClients(in: directory)
      if hasClients == false, !isReported {
        // It lingers for clients that may still connect.
        state.end(in: directory)
        isReported = true
      }
      let limit = hasClients == true ? Self.leavingLimit : Self.endingLimit
      guard ContinuousClock.now < start + limit else { return false }
      // It is not a child of this program: nothing reports its end.
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  /// The contents of the state file, if the server that wrote it runs.
  private func running() -> ServerState? {
    guard let state = ServerState.read(in: directory) else { return nil }
    // A server that this process started would stay a zombie after it has ended.
    waitpid(state.pid, nil, WNOHANG)
    return state.isRunning(in: directory) ? state : nil
  }

  /// The standard error of a server that has ended, as one line without the program's name.
  private static func output(from errors: CInt) -> String {
    // The message is a sentence or two; it is complete, because the server has ended.
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(errors, &bytes, bytes.count)
    guard count > 0 else { return "" }
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
      .map { ($0.hasPrefix("natter: ") ? $0.dropFirst(8) : $0).drop { $0 == " " } }
      .joined(separator: " ")
  }

  /// Starts the server in its own process group, with nothing inherited but the environment: it
  /// survives the closing of this terminal, and must not keep it open.
  /// - Returns: its process id, and the descriptor on which it reports why it cannot run.
  private func start(isFresh: Bool) throws(LocalServerFailure) -> (pid_t, errors: CInt) {
    let pipe: OwnPipe
    do { pipe = try OwnPipe() } catch { throw Self.failure(error.code.rawValue) }
    let (errors, end) = (pipe.read, pipe.write)
    _ = fcntl(errors, F_SETFL, O_NONBLOCK)
    defer { close(end) }
    let arguments =
      ["--local-server", directory.path, "--lang", language]
      + (isFresh ? ["--local", "--fresh"] : []) + ["--", program]
    var environment = ProcessInfo.processInfo.environment
    environment["NATTER_RESOURCES"] = resources.path
    do {
      let process = try ProcessStart.start(executable.path, arguments, environment: environment) {
        actions in
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, end, 2)
      }
      return (process, errors)
    } catch {
      close(errors)
      throw Self.failure(error.code.rawValue)
    }
  }

  private static func failure(_ code: CInt) -> LocalServerFailure {
    .reported(key: "cli.local-failed", arguments: ["reason": String(code)])
  }
}
