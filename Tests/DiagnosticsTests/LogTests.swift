import Diagnostics
import Foundation
import Synchronization
import Testing

/// Keeps what is written.
final class MemorySink: LogSink {
  private let kept = Mutex<[LogEntry]>([])
  var entries: [LogEntry] { kept.withLock { $0 } }
  func write(_ entry: LogEntry) { kept.withLock { $0.append(entry) } }
}

@Suite struct LogTests {
  @Test(arguments: LogLevel.allCases)
  func `a log keeps what is as urgent as its level or more`(level: LogLevel) {
    let sink = MemorySink()
    let log = Log(to: sink, level: level, category: "test")
    log.error("1")
    log.warning("2")
    log.info("3")
    log.debug("4")
    #expect(sink.entries.map(\.level) == LogLevel.allCases.filter { $0 <= level })
    #expect(sink.entries.first == LogEntry(level: .error, category: "test", message: "1"))
  }

  @Test func `a line that is not kept is not put together`() {
    var calls = 0
    func costly() -> String {
      calls += 1
      return "x"
    }
    let sink = MemorySink()
    Log(to: sink, level: .info).debug(costly())
    Log.none.error(costly())
    #expect(calls == 0 && sink.entries.isEmpty)
    Log(to: sink, level: .debug).category("wire").debug(costly())
    #expect(calls == 1 && sink.entries.map(\.category) == ["wire"])
  }

  @Test func `a redacted value is nowhere to be read`() {
    struct Holder { let secret: Redacted<String> }
    let holder = Holder(secret: Redacted("pass word"))
    #expect("\(holder.secret)" == "[9 characters]")
    #expect("\(Redacted([1, 2] as [UInt8]))" == "[2 bytes]")
    #expect("\(Redacted(7))" == "[redacted]")
    var dumped = ""
    dump(holder, to: &dumped)
    for text in [String(describing: holder), String(reflecting: holder), dumped] {
      #expect(!text.contains("pass"))
    }
    #expect(holder.secret.value == "pass word")
  }
}

@Suite final class LogFileTests {
  let directory: URL
  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(
      path: "natter-log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: directory) }

  var path: String { directory.appending(path: "natter.log").path }
  func text(_ suffix: String = "") throws -> String {
    try String(contentsOfFile: path + suffix, encoding: .utf8)
  }
  let noon: @Sendable () -> Date = { Date(timeIntervalSince1970: 1_800_000_000.25) }

  @Test func `a line has time, level, part and message`() async throws {
    let file = LogFile(path: path, now: noon)
    Log(to: file, level: .debug, category: "connection").warning("lost")
    await file.flush()
    #expect(try text() == "2027-01-15T08:00:00.250Z warning connection: lost\n")
    let mode =
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
  }

  @Test func `a message is one line, whatever is in it`() async throws {
    let file = LogFile(path: path, now: noon)
    Log(to: file, level: .debug).info("a\nb\r\u{1b}[2J\u{202e}c é 日")
    await file.flush()
    #expect(try text().hasSuffix("natter: a\\nb\\u{d}\\u{1b}[2J\\u{202e}c é 日\n"))
    #expect(try text().split(separator: "\n").count == 1)
  }

  @Test func `an old file is continued and made private`() async throws {
    try Data("old\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let file = LogFile(path: path, now: noon)
    Log(to: file, level: .info).info("new")
    await file.flush()
    #expect(try text().hasPrefix("old\n2027"))
    let mode =
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
  }

  @Test func `three files are kept, each below its limit, the newest lines in them`() async throws {
    let file = LogFile(path: path, sizeLimit: 1000, now: noon)
    let log = Log(to: file, level: .info)
    for number in 0..<200 { log.info("line \(number)") }
    await file.flush()
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(names == ["natter.log", "natter.log.1", "natter.log.2"])
    let whole = try text(".2") + text(".1") + text()
    for suffix in ["", ".1", ".2"] { #expect(try text(suffix).utf8.count <= 1000) }
    let numbers = whole.split(separator: "\n").compactMap {
      Int($0.split(separator: " ").last ?? "")
    }
    #expect(numbers == Array((numbers.first ?? 0)...199))
  }

  @Test func `a log that cannot be written stops alone, and goes on when it can`() async throws {
    let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let gone = directory.appending(path: "later").path
    let now: @Sendable () -> Date = { time.withLock { $0 } }
    let file = LogFile(path: gone + "/natter.log", now: now)
    let log = Log(to: file, level: .info)
    for _ in 0..<5 { log.info("lost") }
    await file.flush()
    try FileManager.default.createDirectory(atPath: gone, withIntermediateDirectories: true)
    log.info("too early")
    await file.flush()
    #expect(!FileManager.default.fileExists(atPath: gone + "/natter.log"))
    time.withLock { $0 += 60 }
    log.info("back")
    await file.flush()
    let lines = try String(contentsOfFile: gone + "/natter.log", encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1)[1] }
    #expect(lines == ["warning log: 6 lines are missing here", "info natter: back"])
  }

  @Test func `a full disk costs the log and nothing else`() async throws {
    // A device that is always full.
    let file = LogFile(path: "/dev/full", now: noon)
    let log = Log(to: file, level: .info)
    for _ in 0..<100 { log.info("x") }
    await file.flush()
    #expect(FileManager.default.fileExists(atPath: "/dev/full"))
  }
}
