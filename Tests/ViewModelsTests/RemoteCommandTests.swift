import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Commands of others in one form, step by step.
@Suite struct RemoteCommandTests {
  /// Two steps and an end, as somebody's program.
  private actor Survey: RemoteCommandRunning {
    var answered: [[String: [String]]] = []
    var isCancelled = false
    var fails = false
    func fail(_ fails: Bool) { self.fails = fails }

    private let command = RemoteCommand(
      jid: JID(local: nil, domain: "example.org"), node: "survey", name: "A survey")

    func commands(of jid: JID) -> [RemoteCommand] {
      jid.domain == "example.org" ? [command] : []
    }

    func begin(_ command: RemoteCommand) -> RemoteCommandStage { first }

    private var first: RemoteCommandStage {
      RemoteCommandStage(
        command: command, session: "s", isOpen: true, steps: [.next], preferred: .next,
        form: DataForm(
          instructions: ["Two pages."],
          fields: [
            .init(name: "name", kind: .text, label: "Name", isRequired: true),
            .init(
              name: "kind",
              kind: .choice([.init(label: "A", value: "a"), .init(label: "B", value: "b")]),
              label: "Kind", isRequired: true),
          ]))
    }

    func go(
      _ step: RemoteCommandStage.Step, from stage: RemoteCommandStage,
      answers: [String: [String]]
    ) throws -> RemoteCommandStage {
      answered.append(answers)
      if fails { throw NatterError(.unexpected, "error.noAnswer") }
      switch step {
      case .previous: return first
      case .next:
        return RemoteCommandStage(
          command: command, session: "s", isOpen: true, steps: [.previous, .complete],
          form: DataForm(fields: [.init(name: "more", kind: .boolean, label: "More")]))
      case .complete:
        return RemoteCommandStage(
          command: command, session: "s", isOpen: false, notes: ["Thanks."],
          form: DataForm(fields: [.init(name: "sum", kind: .text, label: "Sum", values: ["3"])]))
      }
    }

    func cancel(_ stage: RemoteCommandStage) { isCancelled = true }
  }

  private let survey = Survey()
  private let lifetime = Lifetime()

  private func model() async throws -> RemoteCommandViewModel {
    let command = await survey.commands(of: JID(local: nil, domain: "example.org"))[0]
    return RemoteCommandViewModel(
      await survey.begin(command), service: survey, localizer: english(), lifetime: lifetime)
  }

  @Test func `step by step to the end, with what was answered in each`() async throws {
    let model = try await model()
    let form = model.form
    var isClosed = false
    model.close = { isClosed = true }
    #expect(form.fields.map(\.id).contains("next") && form["complete"] == nil)
    form.press("next")
    #expect(form.fields.first { $0.label == "Name" }?.error == "This field is required.")
    form.edit("Alice", cursor: 5)
    form.press("next")
    #expect(form.isBusy)
    await lifetime.settle()
    #expect(form.fields.contains { $0.label == "More" } && !form.isBusy)
    form.press("previous")
    await lifetime.settle()
    // What was typed before is of another step.
    #expect(form.fields.first { $0.label == "Name" }?.text == "")
    form.edit("Bob", cursor: 3)
    form.press("next")
    await lifetime.settle()
    form.toggle()
    form.press("complete")
    await lifetime.settle()
    #expect(form.fields.contains { $0.label == "Thanks." })
    #expect(form.fields.contains { $0.kind == .entry(term: "Sum") && $0.label == "3" })
    #expect(
      await survey.answered == [
        ["name": ["Alice"], "kind": ["a"]], [:], ["name": ["Bob"], "kind": ["a"]],
        ["more": ["1"]],
      ])
    form.press("close")
    await lifetime.settle()
    #expect(isClosed)
    #expect(await !survey.isCancelled)
  }

  @Test func `a step that fails is reported, and what was typed stays`() async throws {
    let model = try await model()
    await survey.fail(true)
    model.form.edit("Alice", cursor: 5)
    model.form.press("next")
    await lifetime.settle()
    #expect(model.form.message?.level == .error && !model.form.isBusy)
    #expect(model.form.fields.first { $0.label == "Name" }?.text == "Alice")
  }

  @Test func `leaving in the middle notifies the other side`() async throws {
    let model = try await model()
    model.form.cancel()
    await lifetime.settle()
    #expect(await survey.isCancelled)
  }
}
