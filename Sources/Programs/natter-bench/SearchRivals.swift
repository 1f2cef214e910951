import Foundation
import SQLite
import XMPP

/// The messages of a corpus as profanity writes them: a file for each conversation and day,
/// `chatlogs/ACCOUNT/PEER/YYYY_MM_DD.log`, and what `grep` finds in them.
final class ProfanityLogFolder {
  private let root: URL
  private let style: Date.ISO8601FormatStyle = .iso8601.year().month().day()
  private let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  init(in folder: URL) { root = folder.appending(path: "romeo_at_example.org") }

  /// Appends lines, which are later than all before.
  func append(_ lines: [SearchCorpus.Line]) throws {
    var files: [String: String] = [:]
    for line in lines {
      let day = line.sentAt.formatted(style).replacing("-", with: "_")
      let text = "\(line.sentAt.formatted(timeStyle)) - \(line.nick ?? "me"): \(line.text)\n"
      files["\(folder(of: line.conversation))/\(day).log", default: ""] += text
    }
    for (path, text) in files {
      let url = URL(filePath: path)
      if let handle = FileHandle(forWritingAtPath: path) {
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
      } else {
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }
    }
  }

  /// Runs `grep -rF`, the fastest way to find a text with grep; its output goes to a file, because
  /// it ends at the first match where nothing is to be written.
  /// - Parameter conversation: the only one to search; `nil`: all.
  /// - Returns: how long it took, and the number of lines that it found.
  func find(_ term: String, in conversation: JID? = nil) throws -> (time: Duration, count: Int) {
    let output = root.deletingLastPathComponent().appending(path: "found")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/grep")
    process.arguments = ["-rF", "-e", term, conversation.map(folder) ?? root.path]
    process.environment = ["LC_ALL": "C"]
    let handle = try FileHandle(forWritingTo: output)
    defer { try? handle.close() }
    process.standardOutput = handle
    let time = try ContinuousClock().measure {
      try process.run()
      process.waitUntilExit()
    }
    guard process.terminationStatus < 2 else {
      throw TimedProcess.Failure(description: "grep ended with \(process.terminationStatus)")
    }
    let newline = UInt8(ascii: "\n")
    return (time, try Data(contentsOf: output).count { $0 == newline })
  }

  private func folder(of conversation: JID) -> String {
    let name = conversation.description.replacing("@", with: "_at_")
    return root.path + (conversation.domain.hasPrefix("rooms.") ? "/rooms/" : "/") + name
  }
}

/// The search of clients such as gomuks: it reads the texts of messages, newest first, until enough
/// of them have a term. It is the same table, with the index of times that Natter's search uses.
struct LikeSearch {
  private static let shown = "corrects IS NULL AND retraction IS NULL"
  let database: Database

  /// Reads the newest messages with a term.
  /// - Parameter condition: one in SQL on rows of `message`.
  /// - Returns: their number.
  func newest(_ term: String, where condition: String = "1") async throws -> Int {
    let pattern = "%\(term)%"
    return try await database.read { db in
      try db.rows(
        """
        SELECT id, conversation, sender, body, sent_at FROM message
        WHERE \(Self.shown) AND body LIKE ? AND \(condition)
        ORDER BY sent_at DESC LIMIT 50
        """, pattern
      ) { ($0.int64(0), $0.int64(1), $0.string(2), $0.string(3), $0.int64(4)) }.count
    }
  }

  /// Counts all messages with a term.
  func count(_ term: String) async throws -> Int {
    let pattern = "%\(term)%"
    return try await database.read { db in
      try db.firstRow(
        "SELECT COUNT(*) FROM message WHERE \(Self.shown) AND body LIKE ?", pattern
      ) { $0.int(0) }
    } ?? 0
  }
}
