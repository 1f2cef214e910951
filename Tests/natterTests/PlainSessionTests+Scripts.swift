import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

// Scripts in line mode.
extension PlainSessionTests {
  @Test func `a question of a script is printed, and /script answers it`() async throws {
    let (lines, scripts) = (Lines(), FakeScripts([.greeter(.asking)]))
    let session = try await session(lines) { $0.extras.scripts = scripts }
    await scripts.ask(.greeter(canPassOn: true))
    await scripts.report(.toast(title: "Greeter", text: "hi\u{1B}[2J"))
    await scripts.report(.notice(StatusNotice(.warning, "scripts.error.off")))
    await scripts.end()
    await PlainScripts(session: session).follow()
    #expect(
      lines.all == [
        "Greeter (greeter) asks for a right: read your messages",
        "  Reason: \"to see who is new\"", "  Where: rooms", "  Account: alice@example.org",
        "It can pass on what it reads: it may use the network.",
        session.localizer("scripts.plain.answer"), "Greeter: hi [2J", "No scripts run here.",
      ])
    #expect(await session.take("/script always"))
    #expect(lines.all.last == "greeter has your answer.")
    #expect(await session.take("/script no"))
    #expect(lines.all.last == "No script asks for anything.")
    #expect(
      await scripts.calls == ["answer 1 always messages.read rooms alice@example.org"])
  }

  @Test func `a change of contacts that a script asks for is printed`() async throws {
    let (lines, scripts) = (Lines(), FakeScripts([.greeter(.asking)]))
    let session = try await session(lines) { $0.extras.scripts = scripts }
    var question = ScriptQuestion.greeter()
    question.change = AskedContactChange(
      .remove, JID(local: "eve", domain: "example.org"),
      in: JID(local: "alice", domain: "example.org"))
    await scripts.ask(question)
    await scripts.end()
    await PlainScripts(session: session).follow()
    #expect(
      lines.all == [
        "Greeter (greeter) wants to remove eve@example.org from your contacts",
        "  Reason: \"to see who is new\"", "  Account: alice@example.org",
        session.localizer("scripts.plain.confirm"),
      ])
  }

  @Test func `a script is enabled by the same command again`() async throws {
    let (lines, scripts) = (Lines(), FakeScripts([.greeter(.off)]))
    let session = try await session(lines) { $0.extras.scripts = scripts }
    #expect(await session.take("/script enable greeter"))
    #expect(
      lines.all == [
        "Greeter 1.0", "It can ask for these rights. The reasons are its author's:",
        "- read your messages: rooms", "  \"to see who is new\"",
        "- send messages as you: rooms", "  \"to greet\"",
        "To enable it, repeat: /script enable greeter",
      ])
    // Another command drops the question.
    #expect(await session.take("/script log greeter"))
    #expect(await session.take("/script enable greeter"))
    #expect(await scripts.calls == [])
    #expect(await session.take("/script enable greeter"))
    #expect(await session.take("/script disable"))
    #expect(await scripts.calls == ["enable greeter", "disable greeter"])
    #expect(lines.all.last == "greeter is disabled, and nothing of it runs.")
  }

  @Test func `commands of scripts run in line mode, too`() async throws {
    let (lines, scripts) = (Lines(), FakeScripts([.greeter()]))
    let session = try await session(lines, beginning: bob) { $0.extras.scripts = scripts }
    await scripts.setResult(.success(.note("one\ntwo\u{1B}[2J")))
    #expect(await session.take("/greet carol"))
    #expect(await session.take("/greeter:greet carol"))
    let call = try #require(await scripts.commands.last)
    #expect(call.arguments == ["carol"] && call.conversation == bob && call.account == alice)
    #expect(await scripts.commands.count == 2)
    #expect(lines.all.suffix(2).first == "Greeter: one")
    #expect(lines.all.last?.hasPrefix("| two") == true)
    #expect(lines.all.allSatisfy { !$0.unicodeScalars.contains("\u{1B}") })
    #expect(await session.take("/script list"))
    #expect(
      lines.all.suffix(2) == [
        "greeter: runs, closed", "/greet NICK: says hello (Greeter)",
      ])
    await scripts.setResult(.failure(NatterError(.refused, "scripts.error.off")))
    #expect(await session.take("/greet carol"))
    #expect(lines.all.last == "No scripts run here.")
  }

  @Test func `the help about a script names commands, and no keys`() async throws {
    let failed = ScriptState.failed(
      StatusNotice(.error, "error.script.gone", ["script": "greeter"]))
    for (state, command) in [
      (ScriptState.off, "/script enable NAME"), (.sleeping, "/script disable NAME"),
      (.running, "/script log NAME"), (.asking, "/script yes"), (failed, "/script restart NAME"),
      (.changed, "/script enable NAME"),
    ] {
      let lines = Lines()
      let scripts = FakeScripts([.greeter(state)])
      let session = try await session(lines) { $0.extras.scripts = scripts }
      #expect(await session.take("/script rights greeter"))
      #expect(lines.all.contains { $0.contains(command) }, "\(state)")
      #expect(!lines.all.contains { $0.contains("Space") || $0.contains("Enter") })
    }
  }

  @Test func `without scripts /script says so`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/script"))
    #expect(lines.all == ["No scripts run here."])
    let none = try await self.session(lines) { $0.extras.scripts = FakeScripts() }
    #expect(await none.take("/script"))
    #expect(lines.all.last?.contains("natter scripts new NAME --js") == true)
  }

  @Test func `a pane of a script is printed, and its items of the status line are not`()
    async throws
  {
    let (lines, scripts) = (Lines(), FakeScripts([.greeter()]))
    let session = try await session(lines, beginning: bob) { $0.extras.scripts = scripts }
    await scripts.setResult(.success(.pane("list")))
    #expect(await session.take("/greet carol"))
    #expect(lines.all.last == "There is nothing in this pane.")
    scripts.setPanes([
      ScriptPane(
        script: "greeter", id: "list", title: "Tickets",
        lines: [.init("one\u{1B}[2J"), .init("two\nthree")])
    ])
    scripts.setStatus([
      ScriptStatusItem(script: "greeter", id: "count", text: "7 unread", role: .good)
    ])
    #expect(await session.take("/greet carol"))
    #expect(lines.all.suffix(3) == ["Tickets", "one [2J", "two three"])
    await scripts.end()
    await PlainScripts(session: session).follow()
    #expect(!lines.all.contains { $0.contains("7 unread") })
  }
}
