import FoundationEssentials
import Glibc
import NatterCore
import System

/// The crash reports in the state directory (flows.md, "Crash"): addresses in the program, and
/// nothing about the user. They are never sent.
nonisolated struct CrashReports: Sendable {
  struct Report: Hashable, Sendable {
    /// The name of the file.
    let name: String
    /// The time of the crash, in whole seconds.
    let at: Date
  }

  let directory: URL

  /// The greatest number of reports that are kept, and for how long.
  static let limit = 10
  static let age: TimeInterval = 90 * 86_400
  /// The greatest size of a report in bytes; the program writes at most 4 KiB.
  private static let sizeLimit = 65_536

  /// Returns the reports, the newest first; none if the directory does not exist.
  /// - Throws: `NatterError` if it cannot be read.
  func all() throws -> [Report] {
    guard access(directory.path, F_OK) == 0 || errno != ENOENT else { return [] }
    return try Folder.files(in: directory.path, hasSizes: false)
      .compactMap { file in
        guard file.name.hasPrefix("crash-"), file.name.hasSuffix(".txt") else { return nil }
        let digits = file.name.dropFirst(6).dropLast(4)
        guard digits.count <= 11, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let seconds = Int(digits)
        else { return nil }
        return Report(
          name: file.name, at: Date(timeIntervalSince1970: TimeInterval(seconds)))
      }
      .sorted { ($0.at, $0.name) > ($1.at, $1.name) }
  }

  /// Returns the text of a report.
  /// - Throws: `NatterError` if it cannot be read.
  func text(of name: String) throws -> String {
    let path = directory.appending(path: name).path
    do {
      guard let data = try PrivateFile.read(path, limit: Self.sizeLimit) else {
        throw NatterError(.unexpected, "error.crash.gone", ["path": path])
      }
      return String(decoding: data, as: UTF8.self)
    } catch let failure as PrivateFile.Failure {
      throw NatterError(
        .unexpected, "error.crash.unreadable", ["path": path, "reason": failure.reason])
    }
  }

  /// Deletes a report; one that is gone already is no error.
  /// - Throws: `NatterError` if it cannot be deleted.
  func delete(_ name: String) throws {
    let path = directory.appending(path: name).path
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw NatterError(
      .unexpected, "error.crash.notDeleted", ["path": path, "reason": String(errno)])
  }

  /// Deletes what is too old or too much.
  /// - Throws: `NatterError` if the directory cannot be read, or a report cannot be deleted.
  func prune(now: Date) throws {
    for (index, report) in try all().enumerated()
    where index >= Self.limit || now.timeIntervalSince(report.at) > Self.age {
      try delete(report.name)
    }
  }

  /// Returns whether there is a report that is newer than those at the last call. The answer is
  /// stored, so that each crash is announced once.
  /// - Throws: `NatterError` or `PrivateFile.Failure` if the files cannot be used.
  func takeNews() throws -> Bool {
    guard let newest = try all().first else { return false }
    let marker = directory.appending(path: "crash-seen").path
    let seen = try PrivateFile.read(marker, limit: 100)
      .flatMap { Int(String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace }) }
    let time = Int(newest.at.timeIntervalSince1970)
    guard seen.map({ time > $0 }) ?? true else { return false }
    try PrivateFile.replace(marker, with: Data("\(time)\n".utf8))
    return true
  }
}

/// The content of a crash report.
nonisolated struct CrashReportText: Sendable {
  private let lines: [Substring]

  init(_ text: String) { lines = text.split(whereSeparator: \.isNewline) }

  /// The version of the program, as in `natter 0.1.0`; empty if the report has none.
  var version: String {
    lines.first.flatMap { $0.hasPrefix("natter ") ? String($0.dropFirst(7).prefix(60)) : nil } ?? ""
  }

  /// The signal by its name, such as `SIGSEGV`, or its number; empty if the report has none.
  var signal: String {
    guard let line = lines.first(where: { $0.hasPrefix("signal ") }) else { return "" }
    let number = line.dropFirst(7).prefix { $0.isASCII && $0.isNumber }
    return Int32(number).flatMap { Self.names[$0] } ?? String(number.prefix(4))
  }

  /// The offsets in the program, in the order of the stack.
  var offsets: [String] {
    lines.compactMap { line in
      guard line.hasPrefix("natter+0x") else { return nil }
      let digits = line.dropFirst(9)
      return digits.allSatisfy { $0.isASCII && $0.isHexDigit } ? "0x" + digits : nil
    }
  }

  /// The command that shows the lines of the source for the offsets; `nil`: there are none.
  func command(for executable: String) -> String? {
    guard !offsets.isEmpty else { return nil }
    let quoted = "'" + executable.replacing("'", with: "'\\''") + "'"
    return "addr2line -Cfipe \(quoted) " + offsets.joined(separator: " ")
  }

  private static let names: [Int32: String] = [
    SIGSEGV: "SIGSEGV", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
    SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
  ]
}
