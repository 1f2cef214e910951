import FoundationEssentials
import Glibc
import LocalServer
import ViewModels

/// The built-in server did not come up.
nonisolated enum LocalServerFailure: Error, Equatable {
  /// `key` and `arguments` make the sentence for the person.
  case told(key: String, arguments: [String: String] = [:])
  /// The server's own sentence, in the language that it was started with.
  case said(String)

  /// The sentence for the person.
  func text(_ localizer: Localizer) -> String {
    switch self {
    case .told(let key, let arguments): localizer(key, arguments)
    case .said(let words): words
    }
  }
}

/// Finds the built-in server of this profile, and starts it when it is not running.
nonisolated struct LocalServerLauncher: Sendable {
  /// The server's data and state file.
  let directory: URL
  /// This program, which is started again as the server.
  let executable: URL
  let resources: URL
  /// What the server speaks: why it cannot run, and with newcomers.
  let language: String
  /// How this program is called in a shell, for the guide to tell.
  let program: String

  /// How long a server may take to get ready.
  private static let limit = Duration.seconds(10)
  /// How long a server may take to end: one of an earlier version lingers for some seconds after its last client.
  private static let endingLimit = Duration.seconds(6)
  /// How long a client of it may take to leave: a person who starts anew at once should not be told of it.
  private static let leavingLimit = Duration.seconds(1)

  /// The running server; starts one first where there is none. Two programs that do this at once find the same one.
  /// - Parameters:
  ///   - isFresh: begins with empty data; refused while a server has clients. One that nobody needs any more is told to end.
  ///   - restarting: does not believe what a server wrote down before; one that runs after all is found again.
  /// - Throws: `LocalServerFailure`.
  func server(isFresh: Bool, restarting: Bool = false) async throws -> ServerState {
    if isFresh {
      guard try await hasEnded() else {
        throw LocalServerFailure.told(key: "cli.local-running")
      }
    } else if !restarting, let running = running() {
      return running
    }
    let before = restarting ? ServerState.read(in: directory) : nil
    let (process, errors) = try start(isFresh: isFresh)
    defer { close(errors) }
    let deadline = ContinuousClock.now + Self.limit
    // It lets go of the pipe when clients can connect, and when it ends. Waiting for that takes no timer: those of the runtime
    // do not fire for a program whose clock is faked.
    await PipeEnd.wait(for: errors, limit: Self.limit)
    while ContinuousClock.now < deadline {
      if let running = running(), running != before { return running }
      // Collects it when it has ended.
      guard waitpid(process, nil, WNOHANG) == 0 else {
        // Another one was faster and this one has left the place to it, or it failed.
        if let running = running() { return running }
        let words = Self.words(from: errors)
        throw words.isEmpty ? LocalServerFailure.told(key: "cli.local-ended") : .said(words)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw LocalServerFailure.told(key: "cli.local-silent")
  }

  /// Whether no server runs, or the one that does ends.
  private func hasEnded() async throws -> Bool {
    let start = ContinuousClock.now
    var isTold = false
    while let state = running() {
      let hasClients = ServerState.hasClients(in: directory)
      if hasClients == false, !isTold {
        // It lingers for those who might come.
        state.end(in: directory)
        isTold = true
      }
      let limit = hasClients == true ? Self.leavingLimit : Self.endingLimit
      guard ContinuousClock.now < start + limit else { return false }
      // It is not this program's child: nothing tells of its end.
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  /// What the state file says, where the server that wrote it runs.
  private func running() -> ServerState? {
    guard let state = ServerState.read(in: directory) else { return nil }
    // One that this program has started would stay behind when it has ended.
    waitpid(state.pid, nil, WNOHANG)
    return state.isRunning(in: directory) ? state : nil
  }

  /// What a server that has ended left on its standard error, as one line without the program's name.
  private static func words(from errors: CInt) -> String {
    // No longer than a sentence or two; what it wrote is all there, for it has ended.
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(errors, &bytes, bytes.count)
    guard count > 0 else { return "" }
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
      .map { ($0.hasPrefix("natter: ") ? $0.dropFirst(8) : $0).drop { $0 == " " } }
      .joined(separator: " ")
  }

  /// Starts the server in a process group of its own, with nothing of this program's but the environment: it lives on
  /// when this terminal is closed, and must not hold it open.
  /// - Returns: its number, and the descriptor on which it says why it cannot run.
  private func start(isFresh: Bool) throws(LocalServerFailure) -> (pid_t, errors: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Self.failure(errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let (errors, end) = (ends[0], ends[1])
    defer { close(end) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, end, 2)
    // To close one that is closed meanwhile is no error here.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in names.compactMap({ Int32($0) }) where descriptor > 2 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    let words =
      [executable.path, "--local-server", directory.path, "--lang", language]
      + (isFresh ? ["--local", "--fresh"] : []) + ["--", program]
    var variables = ProcessInfo.processInfo.environment
    variables["NATTER_RESOURCES"] = resources.path
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] =
      variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(
      &process, executable.path, &actions, &attributes, &arguments, &environment)
    guard code == 0 else {
      close(errors)
      throw Self.failure(code)
    }
    return (process, errors)
  }

  private static func failure(_ code: CInt) -> LocalServerFailure {
    .told(key: "cli.local-failed", arguments: ["reason": String(code)])
  }
}
