import Foundation
import TestSupport
import Testing

/// What `natter scripts new` makes.
@Suite(.requires(.jq, .python3, .node), .limitedConcurrency) struct ScriptTemplateTests {
  @Test(arguments: ["sh", "py", "js"])
  func
    `a command of a script made by natter scripts new answers in the full screen and in line mode`(
      language: String
    ) async throws
  {
    let scripts = try ScriptHome()
    let made = try await scripts.scripts("new", "hello", "--" + language)
    #expect(made.text.contains("natter scripts enable hello"), "\(made)")
    try await scripts.scripts("enable", "hello", "--yes")

    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    // A message that has come just now may have woken it.
    try await natter.waits(forScript: "hello", state: "sleeps", "runs", "asks")
    try await natter.say("/hello to you")
    try await natter.shows("hello: 0 messages came. You said: to you")
    try await natter.say("keys")
    try await natter.shows("Enter sends, Ctrl+J")
    // It does what it was made for, once it may read.
    try await natter.answers("hello", "read your messages", by: "Until I quit")
    try await natter.counts()
    #expect(await natter.quit() == .exited(0))

    let line = try PTYProcess(
      Programs.natter, ["--local", "--plain"], environment: scripts.home.environment(), rows: 50,
      columns: 200)
    // At once: it waits until the script may begin.
    line.type("/hello again\n")
    try await line.expects("a count in line mode", upTo: .seconds(60)) {
      $0.lines.contains { Self.hasCounted($0, "again") }
    }
    line.type("/quit\n")
    #expect(await line.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  /// Indicates whether a line is the note of the command, with at least one message.
  fileprivate static func hasCounted(_ line: String, _ words: String) -> Bool {
    line.contains("messages came. You said: \(words)") && !line.contains("hello: 0 ")
  }
}

extension NatterRun {
  /// Talks to the guide until the script `hello` has counted one of its answers: it counts from a
  /// moment after it was allowed to.
  fileprivate func counts() async throws {
    for _ in 0..<20 {
      try await say("files")
      try await say("/hello once more")
      try await expects("the note") { screen in
        screen.lines.contains { $0.contains("messages came. You said: once more") }
      }
      if screen.lines.contains(where: { ScriptTemplateTests.hasCounted($0, "once more") }) {
        return
      }
    }
    try await shows("hello: 1 messages came.")
  }
}
