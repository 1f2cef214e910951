import Foundation
import TestSupport
import Testing

/// `natter send` while line mode has the account of the built-in server open.
@Suite(.limitedConcurrency) struct SocketSendingTests {
  private func owner(_ home: Home) async throws -> LineNatter {
    let line = try LineNatter(["--local"], home: home)
    #expect(try await polls { !home.listeningSockets.isEmpty })
    return line
  }

  private func send(_ words: String..., home: Home) async throws -> CommandRun {
    try await CommandRun(
      Programs.natter, ["send", "--account", "me@localhost"] + words,
      environment: home.environment())
  }

  /// The messages of the conversation with an address, as `natter call` reads them.
  private func messages(with address: String, home: Home) async throws -> [[String: Any]] {
    let run = try await CommandRun(
      Programs.natter,
      [
        "call", "--account", "me@localhost", "messages.history",
        "{\"conversation\":\"\(address)\"}",
      ], environment: home.environment())
    let object = try JSONSerialization.jsonObject(with: Data(run.text.utf8)) as? [String: Any]
    return object?["messages"] as? [[String: Any]] ?? []
  }

  @Test func `the process that has the account sends a message, once, and stores it itself`()
    async throws
  {
    let home = try Home()
    let line = try await owner(home)
    let run = try await send("me@localhost", "through the socket", home: home)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.text.isEmpty && run.errorText.isEmpty)
    // It is stored already, as sent: nothing has to come from an archive or the spool.
    let sent = try await messages(with: "me@localhost", home: home).filter {
      $0["body"] as? String == "through the socket" && $0["direction"] as? String == "out"
    }
    #expect(sent.count == 1, "\(sent)")
    #expect(sent.first?["delivery"] as? String != "queued")
    #expect(await line.quit() == .exited(0))
  }

  @Test func `a refusal comes back at once`() async throws {
    let home = try Home()
    let line = try await owner(home)
    let run = try await send("nobody@localhost", "is anybody there", home: home)
    #expect(run.status == .exited(1), "\(run.errorText)")
    #expect(run.errorText.contains("the message was refused"), "\(run.errorText)")
    let kept = try await messages(with: "nobody@localhost", home: home)
    #expect(kept.map { $0["delivery"] as? String } == ["failed"], "\(kept)")
    #expect(await line.quit() == .exited(0))
  }
}
