import Foundation
import TestSupport
import Testing

/// `natter import` while line mode has the account of the built-in server open.
@Suite(.limitedConcurrency) struct SocketImportTests {
  private func natter(_ words: String..., home: Home) async throws -> CommandRun {
    try await CommandRun(
      Programs.natter, [words[0], "--account", "me@localhost"] + words.dropFirst(),
      environment: home.environment(), directory: home.folder.root.path)
  }

  @Test func `the process that has the account imports a history once, and undoes it`()
    async throws
  {
    let home = try Home()
    let line = try LineNatter(["--local"], home: home)
    #expect(try await polls { !home.listeningSockets.isEmpty })
    try home.folder.write(
      "MR 20240301T10:00:00Z 000 imported words\nMS 20240301T10:01:00Z 000 answered\n",
      to: "histo/friend@example.org")

    // A relative path is that of the command.
    let run = try await natter("import", "--json", "histo", home: home)
    #expect(run.status == .exited(0), "\(run.errorText)")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(run.text.utf8)) as? [String: Any])
    #expect(object["added"] as? Int == 2 && object["format"] as? String == "mcabber")
    let batch = try #require(object["batch"] as? Int)
    let history = try await natter("history", "friend@example.org", home: home)
    #expect(history.text.contains("imported words") && history.text.contains("answered"))

    let again = try await natter("import", "histo", home: home)
    #expect(again.status == .exited(0), "\(again.errorText)")
    #expect(again.text.contains("mcabber") && !again.text.contains("--undo"), "\(again.text)")
    #expect(try await natter("import", "--undo", "\(batch)", home: home).status == .exited(0))
    let none = try await natter("import", "--undo", "\(batch)", home: home)
    #expect(none.status == .exited(1))
    #expect(none.errorText.contains("no import of me@localhost"), "\(none.errorText)")
    let after = try await natter("history", "friend@example.org", home: home)
    #expect(!after.text.contains("imported words"))

    // An open account cannot be replaced.
    #expect(
      try await natter("export", "--all", "--output", "all.tar", home: home)
        .status == .exited(0))
    let archive = try await natter("import", "all.tar", home: home)
    #expect(archive.status == .exited(0), "\(archive.errorText)")
    #expect(archive.text.contains("Only its messages were imported"), "\(archive.text)")
    #expect(await line.quit() == .exited(0))
  }
}
