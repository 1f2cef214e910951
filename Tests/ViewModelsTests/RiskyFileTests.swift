import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// A file of others that may run commands is opened after a question, and by "yes" alone.
@Suite struct RiskyFileTests {
  /// The questions, the opened files, and the earlier checks.
  private final class Notes {
    var questions: [ConfirmRequest] = []
    var opened: [String] = []
    var examined: [String] = []
  }

  private static let script = "/down/run me.desktop"

  private func shell(_ offered: [OfferedFile], _ notes: Notes) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.confirm = { notes.questions.append($0) }
    let shell = ShellViewModel(
      FakePorts(messages: offered.map(\.message)), actions: actions,
      files: .on(
        FakeFiles(offered),
        opened: { notes.opened.append($0) },
        mayRun: { path in
          notes.examined.append(path)
          return path.hasSuffix(".desktop")
        }))
    await shell.load()
    return shell
  }

  /// The question as the full screen shows it.
  private func dialog(_ request: ConfirmRequest) -> DialogViewModel {
    .confirmation(request, localizer: english())
  }

  /// Every way of not saying "yes": Enter takes what has the focus, Esc leaves.
  nonisolated static let refusals: [@MainActor (DialogViewModel) -> Void] = [
    { $0.press() }, { $0.cancel() }, { $0.press("no") },
  ]

  @Test(arguments: refusals.indices)
  func `before a file of others that may run commands the user is asked, and no opens nothing`(
    refusal: Int
  ) async throws {
    let notes = Notes()
    let offered = try #require(file(1, "run me.desktop", path: Self.script))
    let shell = await shell([offered], notes)
    shell.open(file: offered.message)
    await shell.finish()
    #expect(notes.examined == [Self.script] && notes.opened.isEmpty)
    let dialog = dialog(try #require(notes.questions.first))
    guard case .text(let text)? = dialog.dialog.lines.first else {
      Issue.record("no text")
      return
    }
    #expect(text.hasPrefix("run me.desktop can run commands on this computer."))
    Self.refusals[refusal](dialog)
    await shell.finish()
    #expect(notes.opened.isEmpty && notes.questions.count == 1)
    // It is asked again the next time: "no" was no answer for ever, and "yes" is none either.
    for count in 1...2 {
      shell.open(file: offered.message)
      await shell.finish()
      self.dialog(try #require(notes.questions.last)).press("yes")
      #expect(notes.questions.count == count + 1)
      #expect(notes.opened == Array(repeating: Self.script, count: count))
    }
  }

  @Test func `one that is fetched first is asked about once it is here`() async throws {
    let notes = Notes()
    let offered = try #require(file(2, "run me.desktop"))
    let shell = await shell([offered], notes)
    shell.open(file: offered.message)
    await shell.finish()
    #expect(notes.questions.isEmpty && notes.opened.isEmpty)
    shell.handle(
      .transfersChanged([
        FileTransfer(
          id: .init(102), direction: .download, conversation: .bob, path: Self.script,
          name: "run me.desktop", message: .init(2), state: .done, begun: .afternoon)
      ]))
    await shell.finish()
    #expect(notes.questions.count == 1 && notes.opened.isEmpty)
    dialog(try #require(notes.questions.first)).press("yes")
    #expect(notes.opened == [Self.script])
  }

  @Test func `harmless files and those of the user are opened at once`() async throws {
    let notes = Notes()
    let offered = try [
      #require(file(3, "rose.png", path: "/down/rose.png")),
      #require(file(4, "mine.desktop", from: .alice, path: "/home/alice/mine.desktop")),
    ]
    let shell = await shell(offered, notes)
    for one in offered { shell.open(file: one.message) }
    await shell.finish()
    #expect(Set(notes.opened) == ["/down/rose.png", "/home/alice/mine.desktop"])
    #expect(notes.questions.isEmpty && notes.examined == ["/down/rose.png"])
  }
}
