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
    try await natter.waits(forScript: "hello", state: "sleeps")
    try await natter.say("/hello to you")
    try await natter.shows("hello: 0 messages came. You said: to you")
    // It has what it was made for, once it may read: the guide's answer is one message.
    try await natter.answers("hello", "read your messages", by: "Until I quit")
    try await natter.say("keys")
    try await natter.shows("Enter sends, Ctrl+J")
    try await natter.counts(1)
    #expect(await natter.quit() == .exited(0))

    let line = try PTYProcess(
      Programs.natter, ["--local", "--plain"], environment: scripts.home.environment(), rows: 50,
      columns: 200)
    try await line.shows("Online.", upTo: .seconds(60))
    line.type("/hello again\n")
    try await line.shows("hello: 1 messages came. You said: again", upTo: .seconds(60))
    line.type("/quit\n")
    #expect(await line.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }
}

extension NatterRun {
  /// Asks the script `hello` until it has counted so many messages: it counts them when they come
  /// to it.
  fileprivate func counts(_ count: Int) async throws {
    for _ in 0..<50 {
      try await say("/hello once more")
      try await shows("You said: once more")
      if screen.contains("hello: \(count) messages came.") { return }
    }
    try await shows("hello: \(count) messages came.")
  }
}
