import ChatsFixtures
import NatterCore
import Terminal
import Testing
import Text
import ViewModels

@testable import Panes

@Suite struct DialogPaneTests {
  private func question(_ answers: @escaping (String) -> Void) -> DialogPane {
    DialogPane(
      viewModel: .confirmation(
        title: "T", text: ["Text"], yes: "Yes", no: "No", onYes: { answers("yes") },
        onNo: { answers("no") }), glyphs: .ascii, localizer: english())
  }

  @Test func `enter takes the safe answer and the box goes`() {
    var answers: [String] = []
    let pane = question { answers.append($0) }
    pane.press(.enter)
    #expect(answers == ["no"])
    #expect(pane.isDismissed)
  }

  @Test func `esc is the safe answer too, once`() {
    var answers: [String] = []
    let pane = question { answers.append($0) }
    pane.press(.escape)
    #expect(answers == ["no"])
    #expect(pane.isDismissed)
  }

  @Test func `left, right and tab move among the buttons`() {
    var answers: [String] = []
    let pane = question { answers.append($0) }
    pane.press(Key(.left), Key(.right), Key(.tab), .enter)
    #expect(answers == ["yes"])
  }

  @Test func `the cursor is on the button with the focus`() {
    let pane = question { _ in }
    let surface = drawn(pane, 80, 24)
    let cursor = surface.cursor ?? Point(row: 0, column: 0)
    #expect(surface[cursor.row, cursor.column].glyph == "N")
  }

  @Test func `letters and pastes do not fall through, the program's keys do`() {
    let pane = question { _ in }
    #expect(pane.handle(.character("y")) == .handled)
    #expect(pane.handlePaste("yes\n") == .handled)
    #expect(pane.handle(.control("q")) == .ignored)
    #expect(!pane.isDismissed)
  }

  @Test func `a click presses`() {
    var answers: [String] = []
    let pane = question { answers.append($0) }
    let surface = drawn(pane, 80, 24)
    let row = (0..<surface.size.rows).first { surface.text(row: $0).contains("[ Yes ]") } ?? 0
    _ = pane.handle(MouseEvent(.press, button: 1, at: Point(row: 0, column: 0)))
    #expect(answers.isEmpty)
    _ = pane.handle(MouseEvent(.press, button: 1, at: Point(row: row, column: 4)))
    #expect(answers == ["yes"])
  }

  @Test func `a text longer than the screen scrolls, its buttons stay`() {
    let pane = DialogPane(
      viewModel: DialogViewModel(
        Dialog(
          title: "Long", lines: (1...60).map { .text("line \($0).") },
          buttons: [Dialog.Button("ok", "OK")]), onPress: { _ in }, onCancel: {}), glyphs: .ascii,
      localizer: english())
    #expect(picture(pane, 40, 15).contains("line 1."))
    for _ in 0..<10 { pane.press(Key(.pageDown)) }
    let end = picture(pane, 40, 15)
    #expect(end.contains("line 60.") && end.contains("[>OK<]") && !end.contains("line 1."))
    for _ in 0..<80 { pane.press(Key(.up)) }
    #expect(picture(pane, 40, 15).contains("line 1."))
  }

  @Test func `the other Natter's number is shown, and taking over is not the default`() {
    var choices: [StartupDialog.Choice] = []
    let pane = DialogPane(
      viewModel: StartupDialog.viewModel(
        for: .init(.storage, "error.storage.lockedBy", ["pid": "4711"]), localizer: english(),
        onChoice: { choices.append($0) }), glyphs: .ascii, localizer: english(), hidesOthers: true)
    let text = picture(pane, 80, 24)
    #expect(text.contains("process 4711") && text.contains("[>Quit<]  [ Take over ]"))
    pane.press(.enter)
    #expect(choices == [.quit])
  }

  @Test func `a list of one word has its border and its title, too`() {
    let pane = DialogPane(
      viewModel: .choice(
        ChoiceRequest(title: "Commands", labels: ["Ping"], selected: 0, onEnd: { _ in }),
        onClose: {}), glyphs: .ascii, localizer: english())
    #expect(picture(pane, 80, 24).contains("+- Commands -"))
  }
}
