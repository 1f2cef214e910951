import FileService
import Foundation
import NatterCore
import Storage
import TestSupport
import XMPP

/// `natter-bench files`: the time to read a page of the list of files from the database, at any
/// position and with any filter (goal: within a frame, 16 ms, at 10,000 files).
struct FileListBenchmark {
  let files: Int

  func run() async throws {
    let folder = try TemporaryFolder("filelist")
    defer { folder.remove() }
    let account = try await AccountDatabase.open(at: folder.path("account.db"))
    let endings = ["png", "jpg", "pdf", "mp4", "txt", "zip"]
    for start in stride(from: 0, to: files, by: 1000) {
      let batch = (start..<min(files, start + 1000)).flatMap { number in
        // Nine text messages for each one with a file.
        (0..<10).map { part in
          IncomingMessage(
            conversation: JID(local: "user\(number % 50)", domain: "example.org"),
            sender: JID(local: "user\(number % 50)", domain: "example.org"),
            body: "message \(number) \(part)",
            sentAt: Date(timeIntervalSince1970: Double(number * 10 + part)),
            originID: "\(number) \(part)",
            file: part == 0
              ? SharedFile(
                address: "https://example.org/\(number)",
                name: "file \(number).\(endings[number % endings.count])", byteCount: number)
              : nil)
        }
      }
      _ = try await account.messages.insert(batch) { _ in false }
    }
    let history = FileHistory(store: account.transfers)
    let filters: [(String, FileFilter)] = [
      ("all", FileFilter()), ("pictures", FileFilter(kind: .picture)),
      ("documents", FileFilter(kind: .document)), ("none found", FileFilter(text: "zzz")),
      ("of a person", FileFilter(conversation: JID(local: "user7", domain: "example.org"))),
    ]
    let clock = ContinuousClock()
    print("\(files) files among \(files * 10) messages; a page of 100, the slowest of all pages:")
    for (name, filter) in filters {
      var slowest = Duration.zero
      var position = FilePosition.newest
      var count = 0
      while true {
        let start = clock.now
        let page = try await history.files(filter, at: position, limit: 100)
        slowest = max(slowest, clock.now - start)
        count += page.count
        guard let last = page.last else { break }
        position = .before(last.message.position)
      }
      let start = clock.now
      _ = try await history.totals(of: filter)
      print("  \(name): \(slowest) (\(count) found; counting them \(clock.now - start))")
    }
    await account.close()
  }
}
