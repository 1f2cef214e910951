import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct PresenceViewModelTests {
  private final class Shown {
    var forms: [FormViewModel] = []
    var choices: [ChoiceRequest] = []
  }
  private let shown = Shown()
  private let ports = FakePorts(now: .minutes(3))

  private func model() async -> (PresenceViewModel, ShellViewModel) {
    var actions = ShellActions.forTests()
    let shown = shown
    actions.showForm = {
      shown.forms.append($0)
      return {}
    }
    actions.choose = { shown.choices.append($0) }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    let model = PresenceViewModel(shell: shell)
    await shell.finish()
    return (model, shell)
  }

  private func value(_ id: String, _ model: PresenceViewModel) -> String? {
    model.items.first { $0.id == id }?.value
  }

  private func type(_ text: String) {
    shown.forms.last?.edit(text, cursor: text.count)
    shown.forms.last?.press("submit")
  }

  @Test func `presence, status text and priority are changed each by itself`() async {
    let (model, shell) = await model()
    model.open()
    #expect(shown.choices.last?.labels.count == 5 && shown.choices.last?.selected == 0)
    shown.choices.last?.onEnd(2)
    await shell.finish()
    model.select("status")
    model.open()
    type("at tea")
    await shell.finish()
    #expect(await ports.calls.suffix(2) == ["presence away -", "presence away at tea"])
    #expect(value("status", model) == "at tea")
    model.select("priority")
    model.open()
    type("200")
    #expect(shown.forms.last?["value"]?.error == "Not a number from -128 to 127.")
    type("-1")
    await shell.finish()
    #expect(await ports.calls.last == "priority -1")
    #expect(value("priority", model) == "-1")
    model.reset()
    await shell.finish()
    #expect(value("priority", model) == "0")
    model.select("presence")
    model.turn(1)
    await shell.finish()
    #expect(await ports.calls.last == "presence extendedAway at tea")
    model.select("status")
    #expect(model.help.last == "at tea")
    model.reset()
    await shell.finish()
    #expect(await ports.calls.last == "presence extendedAway -")
    #expect(value("status", model) == "none")
  }

  @Test func `a change is shown once it is stored, and not if that fails`() async {
    let (model, shell) = await model()
    let before = value("presence", model)
    model.turn(1)
    #expect(value("presence", model) == before)
    // The next change is based on the one that is on its way.
    model.turn(1)
    await shell.finish()
    #expect(await ports.calls.last == "presence \(Availability.away.rawValue) -")
    let after = value("presence", model)
    #expect(after != before)
    await ports.fail("presence", with: NatterError(.storage, "error.storage.full"))
    model.turn(1)
    model.select("status")
    model.open()
    type("at tea")
    await shell.finish()
    #expect(value("presence", model) == after && value("status", model) == "none")
    #expect(shell.status.message.level == .error)
  }
}
