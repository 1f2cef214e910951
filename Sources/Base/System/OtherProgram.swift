import Dispatch
import FoundationEssentials
import Glibc

/// A program that is started and left alone: a browser, a notifier. It gets neither the terminal
/// nor this process's group.
package struct OtherProgram: Sendable {
  package let path: String
  package let arguments: [String]
  /// The last argument, as the bytes of a path with a terminating zero, which may be no valid text;
  /// `nil`: there is none.
  let file: [CChar]?

  /// The name of the program without its folder.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Returns `nil` if there is no such program.
  /// - Parameters:
  ///   - name: a path, or a name to look up in PATH.
  ///   - file: the last argument, as the bytes of a path with a terminating zero.
  package init?(
    _ name: String, _ arguments: [String], path file: [CChar]? = nil, environment: [String: String]
  ) {
    if name.contains("/") {
      guard access(name, X_OK) == 0 else { return nil }
      path = name
    } else {
      let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      let candidates: [String] = folders.map { "\($0)/\(name)" }
      guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else { return nil }
      path = found
    }
    self.arguments = arguments
    self.file = file
  }

  /// Text from others as an argument: a space goes before a hyphen or a plus, so that no program
  /// takes it for an option.
  package static func word(_ text: String) -> String {
    // Checks the first byte, as programs do: a combining mark forms one character with the symbol
    // before it.
    text.utf8.first == UInt8(ascii: "-") || text.utf8.first == UInt8(ascii: "+")
      ? " " + text : text
  }

  /// Text from others for `notify-send`, escaped where markup is allowed (Desktop Notifications
  /// 1.2, "Markup"). The backslash is escaped as well: that program reads its text as C does, and
  /// `\074` would become `<`.
  package static func notice(_ text: String) -> String {
    // Escapes scalars, not characters: a letter before a symbol can form one character with it
    // (U+0D4E does), and so does a combining mark after it.
    var plain = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": plain += "&amp;"
      case "<": plain += "&lt;"
      case ">": plain += "&gt;"
      case "\\": plain += "\\\\"
      default: plain.unicodeScalars.append(scalar)
      }
    }
    return plain
  }

  /// Starts the program.
  /// - Returns: whether it could be started.
  @discardableResult package func start() -> Bool { spawn() == 0 }

  /// The exit of a program that failed.
  package struct Failure: Sendable {
    package let status: Int
    /// The first line of its standard error, untrusted; empty if there is none.
    package let words: String
  }

  /// A program that ends later than this was ended by the user, whatever its status says.
  private static let failureSpan = Duration.seconds(30)
  /// Limit in bytes of its standard error, which is memory that the program holds as long as it
  /// runs.
  private static let errorLimit = 64 << 10

  /// Creates memory like a file, of a fixed size: the program may outlive this one, so it does not
  /// write into a pipe.
  /// - Returns: a descriptor; `nil` on failure.
  private static func errorMemory() -> CInt? {
    let (addSeals, sealShrink, sealGrow): (CInt, CInt, CInt) = (1033, 2, 4)
    // The headers that Swift reads do not declare it.
    guard let symbol = dlsym(nil, "memfd_create") else { return nil }
    let create = unsafeBitCast(
      symbol, to: (@convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt).self)
    // Close on exec; allow sealing.
    let descriptor = create("errors", 3)
    guard descriptor >= 0 else { return nil }
    guard ftruncate(descriptor, errorLimit) == 0,
      fcntl(descriptor, addSeals, sealShrink | sealGrow) == 0
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func firstLine(of descriptor: CInt) -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let text = String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0 }, as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline)
    return lines.first { !$0.allSatisfy(\.isWhitespace) }.map { String($0.prefix(300)) } ?? ""
  }

  /// Starts the program; its output does not reach the screen.
  /// - Parameter onFailure: called on any thread when the program soon exits with an error.
  /// - Returns: 0, or `errno`.
  package func spawn(onFailure: (@Sendable (Failure) -> Void)? = nil) -> CInt {
    let errors = onFailure == nil ? nil : Self.errorMemory()
    let process: pid_t
    do {
      process = try ProcessStart.start(path, arguments, file: file) { actions in
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        if let errors {
          posix_spawn_file_actions_adddup2(&actions, errors, 2)
        } else {
          posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
      }
    } catch {
      if let errors { close(errors) }
      return error.code.rawValue
    }
    let begun = ContinuousClock.now
    // Reaps the program whenever it ends, on its own thread: the threads of libdispatch's pool are
    // few, and the pool does not grow while one of them waits (Sources/C/CLinux/dispatch.c).
    DispatchQueue(label: "natter.other-program").async {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      defer { if let errors { close(errors) } }
      // A program that ended by a signal was ended on purpose.
      let code = Int(status >> 8 & 0xFF)
      guard let onFailure, status & 0x7F == 0, code != 0,
        ContinuousClock.now - begun < Self.failureSpan
      else { return }
      onFailure(Failure(status: code, words: errors.map(Self.firstLine) ?? ""))
    }
    return 0
  }
}
