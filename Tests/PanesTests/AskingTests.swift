import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// The questions of scripts on the screen.
@Suite struct AskingTests {
  private let scripts = FakeScripts([.greeter(.asking)])

  private func harness(_ language: String = "en", passesOn: Bool = true) async -> ShellHarness {
    await scripts.ask(.greeter(canPassOn: passesOn))
    return await ShellHarness(
      Size(rows: 24, columns: 80), language: language, scripts: scripts)
  }

  /// The dialog that Alt+G opens.
  private func dialog(_ language: String, _ columns: Int = 80) async throws -> String {
    let harness = await harness(language)
    harness.press(.alt("g"))
    let model = try #require(harness.dialogs.first)
    return picture(
      DialogPane(viewModel: model, glyphs: .ascii, localizer: localizer(language)), columns, 24)
  }

  @Test func `the question in English`() async throws {
    #expect(
      try await dialog("en") == """
        +- Greeter asks -----------------------------------------------+
        |   Wants to   read your messages                              |
        |   Reason     "to see who is new"                             |
        |   Where      rooms                                           |
        |   Account    alice@example.org                               |
        |                                                              |
        | It can pass on what it reads: it may use the network.        |
        |                                                              |
        | [>No<]                                                       |
        | [ This once ]                                                |
        | [ Until I quit ]                                             |
        | [ Always ]                                                   |
        | [ s  Change where ... ]                                      |
        | [ n  Never ask again ]                                       |
        | Tab next   Enter choose   Esc close                          |
        +--------------------------------------------------------------+
        """)
  }

  @Test func `the question about a contact`() async throws {
    var question = ScriptQuestion.greeter()
    question.change = AskedContactChange(
      .block, JID(local: "eve", domain: "example.org"),
      in: JID(local: "alice", domain: "example.org"))
    await scripts.ask(question)
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: "en", scripts: scripts)
    harness.press(.alt("g"))
    let model = try #require(harness.dialogs.first)
    let lines = picture(
      DialogPane(viewModel: model, glyphs: .ascii, localizer: localizer("en")), 80, 24)
    for text in [
      "Greeter asks", "block eve@example.org", "\"to see who is new\"", "alice@example.org",
      "[>No<]", "[ This once ]",
    ] { #expect(lines.contains(text)) }
    for text in ["Always", "Until I quit", "Where"] { #expect(!lines.contains(text)) }
  }

  @Test func `the question in English at 40 columns`() async throws {
    #expect(
      try await dialog("en", 40) == """
        +- Greeter asks ---------------------+
        | Wants to read your messages        |
        | Reason   "to see who is new"       |
        | Where    rooms                     |
        | Account  alice@example.org         |
        |                                    |
        | It can pass on what it reads: it   |
        | may use the network.               |
        |                                    |
        | [>No<]                             |
        | [ This once ]                      |
        | [ Until I quit ]                   |
        | [ Always ]                         |
        | [ s  Change where ... ]            |
        | [ n  Never ask again ]             |
        | Tab next  Enter choose  Esc close  |
        +------------------------------------+
        """)
  }

  @Test func `the question in French`() async throws {
    #expect(
      try await dialog("fr") == """
        +- Greeter demande --------------------------------------------+
        |   Voudrait   lire vos messages                               |
        |   Raison     « to see who is new »                           |
        |   Où         salons                                          |
        |   Compte     alice@example.org                               |
        |                                                              |
        | Il peut transmettre ce qu'il lit : il a droit au réseau.     |
        |                                                              |
        | [>Non<]                                                      |
        | [ Cette fois ]                                               |
        | [ Jusqu'à ce que je quitte ]                                 |
        | [ Toujours ]                                                 |
        | [ s  Changer où ... ]                                        |
        | [ n  Ne plus jamais demander ]                               |
        | Tab suivant   Entrée choisir   Échap fermer                  |
        +--------------------------------------------------------------+
        """)
  }

  @Test func `the question in Chinese`() async throws {
    #expect(
      try await dialog("zh-Hans") == """
        +- Greeter 请求权限 -------------------------------------------+
        |   想要   读取你的消息                                        |
        |   理由   “to see who is new”                                 |
        |   范围   聊天室                                              |
        |   账号   alice@example.org                                   |
        |                                                              |
        | 它能把读到的内容传出去：它可以使用网络。                     |
        |                                                              |
        | [>不允许<]                                                   |
        | [ 仅这一次 ]                                                 |
        | [ 到退出为止 ]                                               |
        | [ 始终允许 ]                                                 |
        | [ s  更改范围 ... ]                                          |
        | [ n  不再询问 ]                                              |
        | Tab 下一个   回车 选定   Esc 关闭                            |
        +--------------------------------------------------------------+
        """)
  }

  @Test func `a question interrupts nothing, and the status line has its key`() async {
    let harness = await harness()
    #expect(harness.picture.contains("greeter asks - Alt+G"))
    #expect(harness.dialogs.isEmpty && harness.coordinator.openOverlays.isEmpty)
    harness.type("hello")
    #expect(harness.shell.input.text == "hello")
    // In any tab.
    harness.press(.control("x"), .character("g"))
    #expect(harness.dialogs.count == 1)
    harness.press(.escape)
    await harness.settle()
    #expect(await scripts.calls == [])
    #expect(harness.picture.contains("greeter asks - Alt+G"))
  }

  @Test(arguments: [
    ([Key.enter], "no"), ([Key(.down), .enter], "once"),
    ([.character("j"), .character("j"), .enter], "session messages.read rooms alice@example.org"),
    ([.character("n")], "never"),
  ])
  func `the keys of the dialog answer`(keys: [Key], answer: String) async {
    let harness = await harness(passesOn: false)
    harness.press(.alt("g"))
    for key in keys { harness.press(key) }
    await harness.settle()
    #expect(await scripts.calls == ["answer 1 \(answer)"])
    #expect(harness.coordinator.openOverlays.isEmpty)
    #expect(!harness.picture.contains("greeter asks"))
  }

  @Test func `s changes where, and the dialog comes back`() async {
    let harness = await harness()
    harness.press(.alt("g"), .character("s"))
    #expect(harness.choices.last?.labels == ["rooms"])
    harness.choices.last?.onEnd(0)
    #expect(harness.dialogs.count == 2)
    #expect(harness.coordinator.openOverlays.count == 1)
  }

  @Test func `without a question its key says so`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), scripts: FakeScripts())
    harness.press(.alt("g"))
    #expect(harness.picture.contains("No script asks for anything."))
    let without = await ShellHarness(Size(rows: 24, columns: 80))
    without.press(.alt("g"))
    #expect(without.picture.contains("No script asks for anything."))
  }
}
