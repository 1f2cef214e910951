import Dispatch
import Glibc

/// A program that is started and left alone: a browser, a notifier. It has neither the terminal nor this process's group.
nonisolated struct OtherProgram: Sendable {
  let path: String
  let arguments: [String]

  /// What it is called, without the folder.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// - Parameter name: a path, or a name to look up in PATH; `nil` where there is no such program.
  init?(_ name: String, _ arguments: [String], environment: [String: String]) {
    if name.contains("/") {
      guard access(name, X_OK) == 0 else { return nil }
      path = name
    } else {
      let places = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      let candidates: [String] = places.map { "\($0)/\(name)" }
      guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else { return nil }
      path = found
    }
    self.arguments = arguments
  }

  /// Starts it.
  /// - Returns: whether it could be started.
  @discardableResult func start() -> Bool { spawn() == 0 }

  /// Starts it. What it writes goes nowhere: it would end up in the middle of the screen.
  /// - Returns: 0, or `errno`.
  func spawn() -> CInt {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own: ^C in the terminal is not for it. The signals that are ignored here are as ever for it.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    posix_spawnattr_setpgroup(&attributes, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTSTP] {
      sigaddset(&signals, number)
    }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var process: pid_t = 0
    let failure = posix_spawn(&process, path, &actions, &attributes, words, environ)
    guard failure == 0 else { return failure }
    // Collected when it ends, whenever that is: by a thread of its own, for those of libdispatch's pool are few, and nobody
    // makes more of them while one waits (Sources/CHeap/rest.c).
    let child = process
    DispatchQueue(label: "natter.other-program").async {
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
    return 0
  }
}
