import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Input that replaces a message, or replies to one.
@Suite struct ComposeModeTests {
  private let ports = FakePorts(
    messages: [
      message(1, "First question"), message(2, "my anser", from: .alice, at: 1, delivery: .sent),
      message(3, "Second question", at: 2), message(4, "/me waves", from: .alice, at: 3),
      message(5, "last word", at: 4),
    ],
    conversations: [
      Conversation(jid: .bob, lastActivity: .minutes(4)),
      Conversation(jid: .chloe, lastActivity: .minutes(-4)),
    ])
  private let timers = ManualTimers()

  private func shell() async -> ShellViewModel {
    let shell = ShellViewModel(
      ports: .init(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports, relating: ports),
      format: testFormat(), scheduler: timers.scheduler, actions: .forTests())
    await shell.load()
    await shell.finish()
    return shell
  }

  private func type(_ text: String, into shell: ShellViewModel) {
    shell.input.textDidChange(text, cursor: text.utf8.count)
  }

  private func calls() async -> [String] {
    await ports.calls.filter { ["correct", "reply", "send"].contains($0.prefix { $0 != " " }) }
  }

  @Test func `one's last message comes into the input, and replaces itself`() async {
    let shell = await shell()
    type("half a sen", into: shell)
    shell.timeline.select(.init(2))
    shell.beginEdit()
    #expect(shell.input.text == "my anser")
    #expect(shell.status.message.text.contains("Editing. Enter saves"))
    type("my answer", into: shell)
    shell.submit()
    await shell.finish()
    #expect(await calls() == ["correct 2 my answer"])
    // What was being typed is back.
    #expect(shell.input.text == "half a sen" && shell.input.aim == nil)
    #expect(await ports.drafts[.bob] == "half a sen")
  }

  @Test func `a draft comes back after a command that the palette wrote over it`() async throws {
    let shell = await shell()
    func choose() async throws {
      shell.runFromPalette(try shell.commands.command(named: "search"))
      await shell.finish()
      #expect(shell.input.text == "/search ")
      // A crash would leave the draft.
      #expect(await ports.drafts[.bob] == "half a sen")
    }
    type("half a sen", into: shell)
    try await choose()
    type("/clear", into: shell)
    shell.submit()
    #expect(shell.input.text == "half a sen")
    // It is given up: by ^C, by Esc, by going elsewhere.
    try await choose()
    shell.interrupt()
    #expect(shell.input.text == "half a sen")
    try await choose()
    #expect(shell.endAim() && shell.input.text == "half a sen")
    try await choose()
    shell.open(.chloe)
    shell.open(.bob)
    await shell.finish()
    #expect(shell.input.text == "half a sen")
    #expect(shell.input.typedLines.first == "/search ")
  }

  @Test func `an edited /me message stays one`() async {
    let shell = await shell()
    shell.beginEdit()
    #expect(shell.input.text == "/me waves")
    type("/me waves again", into: shell)
    shell.submit()
    await shell.finish()
    #expect(await calls() == ["correct 4 /me waves again"])
  }

  @Test func `unchanged, nothing is sent; left, nothing is either`() async {
    let shell = await shell()
    shell.beginEdit()
    shell.submit()
    shell.beginEdit()
    type("/me something else", into: shell)
    #expect(shell.endAim())
    #expect(shell.input.text == "")
    #expect(!shell.endAim())
    await shell.finish()
    #expect(await calls() == [])
  }

  @Test func `going to another conversation ends a correction and keeps the draft`() async {
    let shell = await shell()
    type("draft", into: shell)
    shell.beginEdit()
    type("/me changed", into: shell)
    shell.open(.chloe)
    #expect(shell.input.text == "")
    await shell.finish()
    #expect(await ports.drafts[.bob] == "draft")
    shell.open(.bob)
    #expect(shell.input.text == "draft" && shell.input.aim == nil)
    // What was typed for the correction can be had from the history.
    #expect(shell.input.typedLines.first == "/me changed")
  }

  @Test func `an answer is for the last message of another user, or for the chosen one`() async {
    let shell = await shell()
    shell.beginReply()
    #expect(shell.status.message.text.contains("Replying to bob: last word"))
    type("yes", into: shell)
    shell.submit()
    await shell.finish()
    #expect(shell.input.text == "" && shell.input.aim == nil)
    shell.timeline.select(.init(1))
    shell.beginReply()
    // It waits while another conversation is open.
    shell.open(.chloe)
    #expect(shell.input.aim == nil)
    shell.open(.bob)
    type("no", into: shell)
    shell.submit()
    await shell.finish()
    #expect(await calls() == ["reply 5 yes", "reply 1 no"])
  }

  @Test func `the commands do it at once with their text`() async {
    let shell = await shell()
    for line in ["/reply at once", "/edit /me nods"] {
      type(line, into: shell)
      shell.submit()
    }
    await shell.finish()
    #expect(await calls() == ["reply 5 at once", "correct 4 /me nods"])
  }

  @Test func `what could not be stored comes back into the input`() async {
    let shell = await shell()
    await ports.fail("correct", with: NatterError(.storage, "error.storage.write"))
    type("/edit /me nods", into: shell)
    shell.submit()
    await shell.finish()
    #expect(shell.input.text == "/edit /me nods")
  }

  @Test func `the text of say is a reply or a correction where the input is for one`() async {
    let shell = await shell()
    shell.timeline.select(.init(2))
    shell.beginEdit()
    type("/say /etc/hosts", into: shell)
    shell.submit()
    await shell.finish()
    #expect(await calls() == ["correct 2 /etc/hosts"])
  }

  @Test func `what others wrote is not corrected, nor where there is nothing`() async {
    let shell = await shell()
    shell.timeline.select(.init(3))
    shell.beginEdit()
    #expect(shell.input.aim == nil)
    #expect(shell.status.message.text.contains("only edit text messages that you sent"))
    shell.open(.chloe)
    await shell.finish()
    shell.beginEdit()
    #expect(shell.status.message.text.contains("no message here to edit"))
    shell.beginReply()
    #expect(shell.input.aim == nil)
    // What was typed is not lost.
    type("/edit a long text", into: shell)
    shell.submit()
    #expect(shell.input.text == "/edit a long text")
  }
}
