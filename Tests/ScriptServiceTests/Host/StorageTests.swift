import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing

@testable import ScriptService

/// The values that a script keeps.
@Suite struct StorageTests {
  private let folder: TemporaryFolder
  private let storage: ScriptStorage
  private var path: String { folder.path("bot/values") }

  init() throws {
    folder = try TemporaryFolder("values")
    storage = ScriptStorage(folder.path("bot/values"))
  }

  private func code(_ body: () async throws -> Void) async -> Int? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? BridgeError)?.code.rawValue
    }
  }

  @Test(arguments: [
    "a", "../../etc/passwd", "a/b", "é", "e\u{301}", "\u{0}\n", " ", ".part", "😀",
    String(repeating: "\u{1F600}", count: 32),
  ])
  func `any text is a key, and values stay after a restart`(key: String) async throws {
    let value = try JSONValue(parsing: #"{"a":[1,2.5,null,"\u001b"]}"#.utf8)
    try await storage.set(key, to: value)
    let again = ScriptStorage(path)
    #expect(try await again.value(key) == value)
    #expect(
      try await again.keys(from: "", skip: 0).keys.map { Array($0.utf8) } == [Array(key.utf8)])
    // One file, in its own folder.
    #expect(folder.files == ["bot/values/" + ScriptStorage.file(ofKey: key)])
    #expect(try await again.remove(key))
    #expect(try await again.value(key) == nil)
    #expect(try await !again.remove(key))
    #expect(folder.files == [])
  }

  @Test func `texts that only look the same are two keys`() async throws {
    try await storage.set("\u{E9}", to: .integer(1))
    try await storage.set("e\u{301}", to: .integer(2))
    #expect(try await storage.value("\u{E9}") == .integer(1))
    #expect(try await storage.keys(from: "", skip: 0).keys.count == 2)
    #expect(try await storage.remove("\u{E9}"))
    #expect(try await storage.value("e\u{301}") == .integer(2))
  }

  @Test func `all values have five MiB together, and what is over changes nothing`() async throws {
    let value = JSONValue.text(String(repeating: "x", count: ScriptStorage.valueLimit - 2))
    for number in 0..<19 { try await storage.set("k\(number)", to: value) }
    // 19 times 2 bytes or 3 for the keys are missing to the twentieth of the same length.
    #expect(await code { try await storage.set("last", to: value) } == -32007)
    #expect(try await storage.value("last") == nil)
    #expect(try await storage.value("k18") == value)
    try await storage.set("k18", to: .integer(1))
    try await storage.set("last", to: value)
    // Another one after a restart has the same sum.
    let again = ScriptStorage(path)
    #expect(await code { try await again.set("k18", to: value) } == -32007)
    #expect(try await again.value("k18") == .integer(1))
  }

  @Test func `a write that was cut off leaves the old value, and its rest is removed`() async throws
  {
    try await storage.set("a", to: .integer(1))
    let file = ScriptStorage.file(ofKey: "a")
    // As a process that is killed leaves it before the new file has its name.
    try folder.write("[1,2", to: "bot/values/\(file).99-1.part")
    let again = ScriptStorage(path)
    #expect(try await again.value("a") == .integer(1))
    #expect(try await again.keys(from: "", skip: 0).keys == ["a"])
    #expect(folder.files == ["bot/values/" + file])
  }

  @Test func `what cannot be read is not absent`() async throws {
    let file = "bot/values/" + ScriptStorage.file(ofKey: "a")
    try folder.write("[1,2", to: file)
    #expect(await code { _ = try await storage.value("a") } == -32603)
    #expect(folder.text(file) == "[1,2")
    // The script may replace it.
    try await storage.set("a", to: .boolean(true))
    #expect(try await storage.value("a") == .boolean(true))
  }

  @Test func `a folder that cannot be written is an error`() async throws {
    try folder.write("", to: "bot")
    #expect(await code { try await storage.set("a", to: .null) } == -32603)
  }

  @Test func `keys are listed by their beginning, in pages`() async throws {
    for key in ["b", "a1", "a2", "c"] { try await storage.set(key, to: .null) }
    #expect(try await storage.keys(from: "", skip: 0).keys == ["a1", "a2", "b", "c"])
    let page = try await storage.keys(from: "a", skip: 1)
    #expect(page.keys == ["a2"])
    #expect(!page.more)
  }

  @Test func `values are where the program of the script cannot write`() {
    #expect(ScriptStorage.folder(beside: "/d/bot/storage") == "/d/bot/values")
  }
}

/// The lines that a script writes to its standard error.
@Suite struct ScriptLogTests {
  @Test func `the last two hundred lines are kept, and made safe`() async throws {
    let folder = try TemporaryFolder("log")
    let log = ScriptLog("bot", file: folder.path("state/bot.log")) { Date() }
    #expect(log.last == nil)
    for number in 1...250 { log.add("line \(number)") }
    log.add("")
    #expect(log.all.count == 200)
    #expect(log.all.first == "line 51")
    #expect(log.last == "line 250")
    await log.flush()
    #expect(folder.text("state/bot.log")?.contains("bot: line 1\n") == true)
  }

  @Test(arguments: [
    ("a\tb\r", "a b"), ("\u{1B}[31mred", "\\u{1b}[31mred"), ("a\u{202E}b", "a\\u{202e}b"),
    ("a\u{0}", "a\\u{0}"), (" a\u{7F}~", " a\\u{7f}~"), ("\u{2028}", "\\u{2028}"),
    ("é 漢 👩\u{200D}🚀", "é 漢 👩\u{200D}🚀"),
  ])
  func `a line is safe in a terminal`(text: String, safe: String) {
    #expect(ScriptLog.safe(text) == safe)
  }

  @Test func `a line is at most five hundred characters long`() {
    let whole = " " + String(repeating: "~", count: 499)
    #expect(ScriptLog.safe(whole) == whole)
    #expect(ScriptLog.safe(whole + "x") == whole)
    #expect(ScriptLog.safe(String(repeating: "x", count: 5000)).count == 500)
    #expect(ScriptLog.safe(String(repeating: "\u{1}", count: 5000)).count == 500)
    #expect(ScriptLog.safe("e" + String(repeating: "\u{301}", count: 100_000)).count <= 500)
  }

  @Test func `broken and long lines are lines, too`() throws {
    let folder = try TemporaryFolder("log")
    let log = ScriptLog("bot", file: folder.path("bot.log")) { Date() }
    log.add(.line([0x61, 0xFF, 0x62]))
    log.add(.tooLong)
    #expect(log.all == ["a\u{FFFD}b", "(a line longer than 1 MiB)"])
  }
}
