import Foundation
import JSONLines
import NatterCore
import ScriptService
import TestSupport
import Testing

/// The templates of new scripts, as `natter scripts new` copies them.
@Suite(.requires(.node, .python3, .jq)) struct TemplateTests {
  private let folder: TemporaryFolder
  private let storage: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("template")
    storage = try TemporaryFolder("storage")
  }

  /// Starts the script `lights` that was made from a template.
  private func start(
    _ language: String, stored: [String: JSONValue] = [:],
    answering: @escaping FakeNatter.Answering = { _, _ in nil }
  ) throws -> FakeNatter {
    let resources = Programs.checkout.appending(path: "Resources")
    let template = resources.appending(path: "script-templates/\(language)")
    for name in try FileManager.default.contentsOfDirectory(atPath: template.path) {
      let text = try String(contentsOf: template.appending(path: name), encoding: .utf8)
      try folder.write(text.replacing("@NAME@", with: "lights"), to: name)
    }
    for name in ["natter.mjs", "natter.py"] {
      let client = resources.appending(path: "scripts/\(name)")
      try folder.write(try String(contentsOf: client, encoding: .utf8), to: name)
    }
    let manifest = try ManifestFile.read(
      Array(try Data(contentsOf: folder.url("manifest.toml"))), languages: ["en"]
    ).manifest
    return try FakeNatter(
      manifest.run, in: folder.root, storage: storage, stored: stored, answering: answering)
  }

  @Test(arguments: ["js", "py", "sh"])
  func `a new script counts messages, and goes on after a restart`(language: String) async throws {
    let natter = try start(language)
    #expect(try await natter.request("events.subscribe")["in"] == .array([.text("direct")]))
    for (cursor, direction) in [(101, "in"), (102, "out"), (103, "in")] {
      natter.send("message.new", cursor: cursor, ["direction": .text(direction)])
    }
    // The answer comes when the messages before it were handled; in JavaScript it need not.
    if language != "sh" {
      try await natter.waits(for: "the last message") {
        $0.stored.values.contains { $0.string?.contains("103") == true }
      }
    }
    #expect(
      try await natter.run("lights", "a", "b")?["note"] == .text("2 messages came. You said: a b"))
    #expect(try await natter.ask("ping")["result"] == .object([:]))
    #expect(await natter.end() == .exited(0))

    let again = try start(language, stored: natter.observed.value.stored)
    #expect(
      try await again.request("events.subscribe")["after"]
        == .object(["me@example.org": .integer(103)]))
    #expect(try await again.run("lights")?["note"] == .text("2 messages came. You said: "))
    #expect(await again.closeInput() == .exited(0))
  }

  @Test(arguments: ["js", "py", "sh"])
  func `the command of a new script works without the right to read`(language: String) async throws
  {
    let natter = try start(language) { method, _ in
      method == "events.subscribe" ? .error(code: -32001, text: "The user said no.") : nil
    }
    try await natter.waits(for: "the line of the log") { !$0.log.isEmpty }
    #expect(try await natter.run("lights")?["note"] == .text("0 messages came. You said: "))
    #expect(await natter.end() == .exited(0))
  }
}
