import FoundationEssentials
import NatterCore
import System

/// The last starts of the program with scripts. After two of them that crashed soon, the next one
/// is without scripts: one of them may be the cause.
nonisolated struct ScriptStarts: Sendable {
  /// The time within which a crash counts, in seconds.
  static let limit: TimeInterval = 60
  private static let sizeLimit = 1000

  private let path: String
  private let reports: CrashReports

  /// - Parameters:
  ///   - path: a file with the times of the last two starts, in whole seconds; it need not exist.
  ///   - reports: the crash reports of the program.
  init(_ path: String, _ reports: CrashReports) { (self.path, self.reports) = (path, reports) }

  /// Notes a start with scripts.
  /// - Returns: `false` if it is to be without scripts. The next one is with them again.
  /// - Throws: `NatterError` or `PrivateFile.Failure` if the files cannot be used.
  func begin(at now: Date) throws -> Bool {
    let time = now.timeIntervalSince1970.rounded(.down)
    let text =
      try PrivateFile.read(path, limit: Self.sizeLimit)
      .map { String(decoding: $0, as: UTF8.self) } ?? ""
    let starts = text.split(whereSeparator: \.isWhitespace).compactMap { TimeInterval($0) }
    if starts.count == 2 {
      let crashes = try reports.all().map(\.at.timeIntervalSince1970)
      if Self.haveCrashed(starts[0], starts[1], crashes) {
        try write([])
        return false
      }
    }
    try write(starts.suffix(1) + [time])
    return true
  }

  /// Indicates whether each of two starts has a crash of its own.
  private static func haveCrashed(
    _ first: TimeInterval, _ second: TimeInterval, _ crashes: [TimeInterval]
  ) -> Bool {
    let own = crashes.filter { $0 >= first && $0 <= min(second, first + limit) }
    let later = crashes.filter { $0 >= second && $0 <= second + limit }
    // One at the second start may be of either.
    return !own.isEmpty && !later.isEmpty && Set(own).union(later).count > 1
  }

  private func write(_ starts: [TimeInterval]) throws {
    let text = starts.map { "\(Int($0))\n" }.joined()
    try PrivateFile.replace(path, with: Data(text.utf8))
  }
}
