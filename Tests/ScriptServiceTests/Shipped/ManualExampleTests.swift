import Foundation
import JSONLines
import NatterCore
import ScriptService
import TestSupport
import Testing

/// The examples of natter-script(7), as they are printed.
@Suite(.requires(.node, .python3, .jq)) struct ManualExampleTests {
  private let folder: TemporaryFolder
  private let storage: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("manual")
    storage = try TemporaryFolder("storage")
  }

  /// Returns the text of the example behind the comment with its name.
  private func example(_ name: String, of page: String) throws -> String {
    let text = try String(
      contentsOf: Programs.checkout.appending(path: "man/\(page)"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: ".\\\" example: \(name)"))
    let example = lines[(start + 2)...].prefix { $0 != ".Ed" }.joined(separator: "\n")
    return example.replacing("\\-", with: "-").replacing("\\(aq", with: "'") + "\n"
  }

  private func start(_ language: String, of page: String) throws -> FakeNatter {
    let kind = language == "screen" ? "py" : language
    let program = kind == "js" ? "main.mjs" : "main." + kind
    try folder.write(try example(language, of: page), to: program)
    for name in ["natter.mjs", "natter.py"] {
      let client = Programs.checkout.appending(path: "Resources/scripts/\(name)")
      try folder.write(try String(contentsOf: client, encoding: .utf8), to: name)
    }
    let run = ["js": ["node", program], "py": ["python3", "-B", program], "sh": ["sh", program]]
    return try FakeNatter(run[kind] ?? [], in: folder.root, storage: storage)
  }

  @Test(arguments: ["natter-script.7", "fr/natter-script.7", "zh_CN/natter-script.7"])
  func `the manifest is valid`(page: String) throws {
    let bytes = Array(try example("manifest", of: page).utf8)
    let manifest = try ManifestFile.read(bytes, languages: ["en"]).manifest
    #expect(manifest.run == ["node", "main.mjs"])
    #expect(manifest.commands.map(\.name) == ["dice"])
  }

  @Test(arguments: ["js", "py", "sh"])
  func `the command throws a die`(language: String) async throws {
    let natter = try start(language, of: "natter-script.7")
    #expect(try await natter.run("dice", "1")?["insert"] == .text("1"))
    let number = try await natter.run("dice")?["insert"]?.string.flatMap { Int($0) }
    #expect((1...6).contains(number ?? 0))
    #expect(try await natter.ask("ping")["result"] == .object([:]))
    #expect(await natter.end() == .exited(0))
  }

  @Test(arguments: ["js", "py"])
  func `a ping is answered once`(language: String) async throws {
    let natter = try start(language, of: "natter-script.7")
    _ = try await natter.request("events.subscribe")
    for (cursor, body) in [(101, "hello"), (102, "ping"), (102, "ping"), (103, "bye")] {
      natter.send(
        "message.new", cursor: cursor,
        [
          "id": .text(String(cursor)), "direction": .text("in"), "body": .text(body),
          "conversation": .text("bob@example.org"),
        ])
    }
    let state = try await natter.waits(for: "the last message") {
      $0.stored.values.contains { $0.string?.contains("103") == true }
    }
    let sent = state.requests("messages.send")
    #expect(sent.map { $0["body"] } == [.text("pong")])
    #expect(sent.first?["request_id"] == .text("102"))
    #expect(await natter.end() == .exited(0))
  }

  @Test func `the example for the screen has an item, a pane, addresses and notes`()
    async throws
  {
    let natter = try start("screen", of: "natter-script.7")
    #expect(try await natter.run("list")?["pane"] == .text("list"))
    let line = JSONValue.object(["text": .text("#34")])
    let pane = try await natter.request("ui.pane.open")
    #expect(pane["lines"] == .array([.object(["text": .text("#12")]), line]))
    let key = try await natter.ask(
      "pane.key", .object(["id": .text("list"), "key": .text("d"), "line": .integer(0)]))
    #expect(key["result"]?["pane"] == .text("list"))
    #expect(try await natter.request("ui.pane.open", number: 2)["lines"] == .array([line]))
    #expect(try await natter.request("ui.status.set", number: 2)["text"] == .text("1 open"))
    let address = JSONValue.object(["url": .text("https://t.example/56")])
    #expect(try await natter.ask("url.open", address)["result"]?["note"] == .text("Ticket 56"))
    let messages = [("1", "see #12"), ("2", "no number")].map { id, body in
      JSONValue.object(["id": .text(id), "body": .text(body)])
    }
    let notes = try await natter.ask("decorate", .object(["messages": .array(messages)]))
    #expect(
      notes["result"] == .array([.object(["id": .text("1"), "note": .text("a ticket")])]))
    #expect(await natter.end() == .exited(0))
  }

  @Test(arguments: ["js", "py", "sh", "screen"])
  func `the examples are the same in all languages`(language: String) throws {
    func code(_ page: String) throws -> [Substring] {
      try example(language, of: page).split(separator: "\n").filter { !$0.hasPrefix("//") }
    }
    // Comments and texts for the user are translated: the number of lines is the same.
    let english = try code("natter-script.7").count
    #expect(try code("fr/natter-script.7").count == english)
    #expect(try code("zh_CN/natter-script.7").count == english)
  }
}
