import ChatsFixtures
import Terminal
import Testing
import Text
import ViewModels

@testable import Panes

/// At most one question is shown over the open overlay (interface.md, "Overlays").
@Suite struct QuestionOrderTests {
  private func question(_ title: String, _ onYes: @escaping () -> Void = {}) -> DialogPane {
    DialogPane(
      viewModel: .confirmation(
        title: title, text: ["Text"], yes: "Yes", no: "No", onYes: onYes, onNo: {}),
      glyphs: .ascii, localizer: english())
  }

  @Test func `a second question comes after the first is answered`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    var answers: [String] = []
    let (first, second) = (question("First") { answers.append("first") }, question("Second"))
    // What follows from an answer comes last.
    let third = question("Third") {
      answers.append("third")
      harness.coordinator.ask(question("Fourth"))
    }
    for pane in [first, second, third] { harness.coordinator.ask(pane) }
    #expect(
      harness.coordinator.openOverlays.map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
    #expect(harness.picture.contains("First") && !harness.picture.contains("Second"))
    harness.press(Key(.left), .enter)
    #expect(harness.picture.contains("Second") && !harness.picture.contains("First"))
    harness.press(.escape)
    harness.press(Key(.left), .enter)
    #expect(answers == ["first", "third"])
    #expect(harness.picture.contains("Fourth") && harness.coordinator.openOverlays.count == 1)
    harness.press(.enter)
    #expect(harness.coordinator.openOverlays.isEmpty)
  }

  @Test func `it comes above what is no question, and one that is taken away comes no more`() async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.present(alertPane())
    let (first, second, third) = (question("First"), question("Second"), question("Third"))
    for pane in [first, second, third] { harness.coordinator.ask(pane) }
    #expect(harness.coordinator.openOverlays.count == 2 && harness.picture.contains("First"))
    harness.coordinator.remove(second)
    harness.coordinator.remove(first)
    #expect(harness.coordinator.openOverlays.last === third)
    harness.press(.escape)
    #expect(harness.coordinator.openOverlays.count == 1)
  }
}
