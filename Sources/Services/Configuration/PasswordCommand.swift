import FoundationEssentials
import NatterCore
import System

/// The reason why `password_command` returned no password.
package enum PasswordCommandError: Error, Hashable, Sendable {
  /// The program does not exist, or is not executable.
  case notFound(program: String)
  /// It exited with this status; `detail` is the first line of its standard error. Untrusted: it
  /// has to be made safe for display.
  case failed(program: String, status: Int, detail: String)
  /// It was still running after this many seconds.
  case timedOut(program: String, seconds: Int)
  /// Its first line is empty, or not UTF-8.
  case noPassword(program: String)
}

extension PasswordCommandError: NatterErrorConvertible {
  package var natterError: NatterError {
    switch self {
    case .notFound(let program):
      NatterError(.notAuthorized, "error.passwordCommand.notFound", ["program": program])
    case .failed(let program, let status, let detail):
      NatterError(
        .notAuthorized,
        detail.isEmpty ? "error.passwordCommand.failedSilently" : "error.passwordCommand.failed",
        ["program": program, "status": String(status), "detail": detail])
    case .timedOut(let program, let seconds):
      NatterError(
        .notAuthorized, "error.passwordCommand.timedOut",
        ["program": program, "seconds": String(seconds)])
    case .noPassword(let program):
      NatterError(.notAuthorized, "error.passwordCommand.noPassword", ["program": program])
    }
  }
}

/// The program that prints a password in its first line, as `pass` does. It is run without a shell.
package struct PasswordCommand: Sendable {
  private let arguments: [String]
  private let timeLimit: Duration

  /// - Parameters:
  ///   - arguments: the program, searched in `PATH` unless it contains a `/`, and its arguments;
  ///     not empty.
  ///   - timeLimit: the maximum time, during which the user may have to enter a passphrase.
  package init(_ arguments: [String], timeLimit: Duration = .seconds(30)) {
    precondition(!arguments.isEmpty, "a command without a program")
    self.arguments = arguments
    self.timeLimit = timeLimit
  }

  /// Runs the program, without input, and returns its first line.
  /// - Throws: `PasswordCommandError`, `CancellationError`.
  package func password() async throws -> String {
    let program = arguments[0]
    guard let path = Self.find(program) else {
      throw PasswordCommandError.notFound(program: program)
    }
    let run: ProgramRun.Result
    do {
      run = try await ProgramRun(path: path, arguments: Array(arguments.dropFirst()))
        .result(within: timeLimit)
    } catch let failure as ProgramRun.Failure {
      switch failure {
      case .notStarted: throw PasswordCommandError.notFound(program: program)
      case .timedOut:
        throw PasswordCommandError.timedOut(
          program: program, seconds: Int(timeLimit.components.seconds))
      }
    }
    guard run.status == 0 else {
      throw PasswordCommandError.failed(
        program: program, status: run.status, detail: Self.firstLine(run.error))
    }
    // Bytes, not characters: "\r\n" is one Character.
    var line = run.output.prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard let password = String(validating: line, as: UTF8.self), !password.isEmpty else {
      throw PasswordCommandError.noPassword(program: program)
    }
    return password
  }

  private static func firstLine(_ bytes: [UInt8]) -> String {
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let line = String(decoding: lines.first ?? [], as: UTF8.self)
    return String(String.UnicodeScalarView(line.unicodeScalars.filter(isShown))).prefix(200)
      .description
  }

  /// Returns whether it is printable, and no control sequence of a terminal.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  static func find(_ program: String) -> String? {
    guard !program.contains("/") else {
      return FileManager.default.isExecutableFile(atPath: program) ? program : nil
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { "\($0)/\(program)" }
      .first { candidate in
        var isDirectory = false
        return FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory)
          && !isDirectory && FileManager.default.isExecutableFile(atPath: candidate)
      }
  }
}
