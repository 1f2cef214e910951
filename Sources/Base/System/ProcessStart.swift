import CLinux
import FoundationEssentials
import Glibc

/// Starts other programs.
package enum ProcessStart {
  /// Starts a program in a process group of its own: `^C` in the terminal is not for it. It
  /// inherits only the environment and the three streams; signals that are ignored or blocked here
  /// have their default action there.
  /// - Parameters:
  ///   - file: one more argument, as the bytes of a path with a terminating zero.
  ///   - environment: replaces the environment of this program.
  ///   - streams: opens descriptors 0 to 2 for the program.
  /// - Returns: its process id.
  /// - Throws: the `errno` of the failed call.
  package static func start(
    _ path: String, _ arguments: [String], file: [CChar]? = nil,
    environment: [String: String]? = nil, streams: (inout posix_spawn_file_actions_t) -> Void
  ) throws(POSIXError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    streams(&actions)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

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

    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    if let file { words.append(strdup(file)) }
    words.append(nil)
    var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? [:]).map {
      strdup("\($0.key)=\($0.value)")
    }
    variables.append(nil)
    defer { for text in words + variables { free(text) } }
    var identifier: pid_t = 0
    let code =
      environment == nil
      ? posix_spawn(&identifier, path, &actions, &attributes, words, environ)
      : posix_spawn(&identifier, path, &actions, &attributes, words, variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return identifier
  }
}
