import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

// What is pasted, little or much.
extension InputViewModelTests {
  @Test func `a paste is one text, whatever its line ends`() async {
    let shell = await shell()
    #expect(shell.paste("a\r\nb\rc\n\u{1B}[31md\u{7}\n") == "a\nb\nc\n[31md")
    #expect(shell.input.pendingPaste == nil)
  }

  @Test func `a large paste is asked about first`() async {
    let shell = await shell()
    let text = (1...120).map(String.init).joined(separator: "\n")
    #expect(shell.paste(text) == "")
    #expect(
      shell.status.message.text == "Pasted 120 lines: Enter inserts, s sends, Esc discards")
    shell.answerPaste(inserts: false)
    #expect(shell.status.message.text == "" && shell.input.text == "half a")
    #expect(shell.paste(String(repeating: "x", count: 5000)) == "")
    #expect(
      shell.status.message.text == "Pasted 5000 characters: Enter inserts, s sends, Esc discards")
    shell.answerPaste(inserts: true)
    #expect(shell.input.text == "half a" + String(repeating: "x", count: 5000))
    #expect(shell.input.pendingPaste == nil)
  }

  @Test func `a large paste goes where the cursor was, before what was typed since`() async {
    let shell = await shell()
    shell.input.replaceText("see: (all)", cursor: 5)
    let text = (1...20).map(String.init).joined(separator: "\n")
    #expect(shell.paste(text) == "" && !shell.input.isTypedOn)
    shell.input.insert("and more ")
    #expect(shell.input.isTypedOn)
    shell.answerPaste(inserts: true)
    #expect(shell.input.text == "see: \(text)and more (all)")
    #expect(shell.input.cursor == "see: \(text)and more ".utf8.count)
  }

  @Test func `a large paste that waits for its answer is kept as a draft`() async {
    let shell = await shell()
    let text = (1...20).map(String.init).joined(separator: "\n")
    shell.input.replaceText("see: (all)", cursor: 5)
    #expect(shell.paste(text) == "")
    timers.fire()
    await shell.lifetime.settle()
    #expect(await ports.drafts == [.bob: "see: \(text)(all)"])
    // What is typed meanwhile, too; on the screen it waits as before, wherever somebody goes.
    shell.input.insert("and ")
    shell.open(.chloe)
    await shell.lifetime.settle()
    #expect(await ports.drafts[.bob] == "see: \(text)and (all)")
    shell.open(.bob)
    #expect(shell.input.text == "see: and (all)" && shell.input.pendingPaste != nil)
    // What was dropped is no draft any more.
    shell.answerPaste(inserts: false)
    timers.fire()
    await shell.lifetime.settle()
    #expect(await ports.drafts[.bob] == "see: and (all)")
  }

  @Test func `a message that goes out leaves the paste that waits in the draft`() async {
    let shell = await shell()
    let text = (1...20).map(String.init).joined(separator: "\n")
    shell.type("")
    #expect(shell.paste(text) == "")
    shell.type("first this")
    shell.submit()
    await shell.lifetime.settle()
    timers.fire()
    await shell.lifetime.settle()
    #expect(await ports.calls.contains("send bob@example.net first this"))
    #expect(await ports.drafts[.bob] == text)
  }

  @Test func `a paste that comes in parts is one`() async {
    let shell = await shell()
    let text = (1...40).map { "\($0)\n" }.joined()
    #expect(shell.paste(text) == "" && shell.paste("last") == "")
    #expect(
      shell.status.message.text == "Pasted 41 lines: Enter inserts, s sends, Esc discards")
    shell.answerPaste(inserts: true)
    #expect(shell.input.text == "half a" + text + "last")
  }

  @Test func `another large paste after some text leaves the first where it was`() async {
    let shell = await shell()
    let first = String(repeating: "a\n", count: 19) + "a"
    let second = String(repeating: "b\n", count: 19) + "b"
    _ = shell.paste(first)
    shell.input.insert("then")
    #expect(shell.paste(second) == "")
    #expect(shell.input.text == "half a" + first + "then")
    shell.answerPaste(inserts: true)
    #expect(shell.input.text == "half a" + first + "then" + second)
  }
}
