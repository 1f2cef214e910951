import Diagnostics
import FoundationEssentials
import NatterCore
import System

/// The number of runs in which the user has declined a right of a script. Unlike the grants it may
/// be lost: then the user is asked again.
struct DeclinedRights: Sendable {
  /// The number of runs after which the user is not asked again.
  static let limit = 3
  private static let sizeLimit = 1 << 16

  private let path: String

  /// - Parameter path: a file of lines with script, right and number; it need not exist.
  init(_ path: String) { self.path = path }

  /// Notes that the user has declined a right in this run.
  /// - Returns: the number of runs in which they have.
  /// - Throws: `PrivateFile.Failure`.
  func note(_ right: ScriptRight, of script: String) throws -> Int {
    let key = "\(script) \(right.name)"
    return try PrivateFile.changing(path) {
      var counts = try counts()
      let count = (counts[key] ?? 0) + 1
      counts[key] = count
      try write(counts)
      return count
    }
  }

  /// Forgets what was declined of a script; with a right only that.
  /// - Throws: `PrivateFile.Failure`.
  func forget(_ script: String, _ right: ScriptRight? = nil) throws {
    try PrivateFile.changing(path) {
      let counts = try counts()
      let rest = counts.filter { entry in
        right.map { entry.key != "\(script) \($0.name)" } ?? !entry.key.hasPrefix("\(script) ")
      }
      if rest.count < counts.count { try write(rest) }
    }
  }

  /// Forgets what was declined of a script, as far as the file can be changed.
  func forget(_ script: String, _ right: ScriptRight?, _ log: Log) {
    do { try forget(script, right) } catch {
      log.warning("a declined right could not be forgotten: \(error)")
    }
  }

  private func counts() throws -> [String: Int] {
    guard let data = try PrivateFile.read(path, limit: Self.sizeLimit) else { return [:] }
    var counts: [String: Int] = [:]
    for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: " ")
      guard parts.count == 3, let count = Int(parts[2]), count > 0,
        ScriptRight(String(parts[1])) != nil
      else { continue }
      counts["\(parts[0]) \(parts[1])"] = count
    }
    return counts
  }

  private func write(_ counts: [String: Int]) throws {
    let lines = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
    try PrivateFile.replace(path, with: Data(lines.joined().utf8))
  }
}
