import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Where a message shows the thread that it belongs to, and the list of a thread's messages.
@Suite struct ThreadMarksTests {
  private final class Shown { var choices: [ChoiceRequest] = [] }
  private let shown = Shown()

  /// The marks of messages in these threads, in order; `nil`: a message without one.
  private func marks(
    _ threads: [String?], isRoom: Bool = false, selected: Int? = nil
  ) -> [String?] {
    let messages = threads.enumerated().map { number, id in
      message(Int64(number), "text", at: Double(number))
        .inThread(id.flatMap { Message.Thread(id: $0) })
    }
    var marks = ThreadMarks(of: messages, isRoom: isRoom)
    return messages.enumerated().map { marks.name(for: $1, isSelected: $0 == selected) }
  }

  @Test func `one id on all messages of a conversation is not shown`() {
    #expect(marks(["one", "one", "one"], selected: 1) == [nil, nil, nil])
    // Another client of the contact uses none.
    #expect(marks(["one", nil, "one", nil], selected: 0) == [nil, nil, nil, nil])
    #expect(marks([]) == [] && marks([nil, nil]) == [nil, nil])
  }

  @Test func `a thread is shown where it begins, and where messages return to it`() {
    #expect(
      marks(["one", "one", nil, "one", "two", "two", "one"]) == [
        "5caf", nil, nil, nil, "9709", nil, "5caf",
      ])
    #expect(marks(["one", "one", "two"], selected: 1) == ["5caf", "5caf", "9709"])
  }

  @Test func `in a room a single thread is shown among messages without one`() {
    #expect(
      marks([nil, "one", "one", nil, "one"], isRoom: true) == [nil, "5caf", nil, nil, "5caf"])
  }

  @Test func `a name has four digits, also for ids that differ in bytes alone`() {
    let names = ["e\u{301}", "\u{E9}", "x"].compactMap { Message.Thread(id: $0) }
      .map { ThreadMarks.name(of: $0) }
    #expect(Set(names).count == 3 && names.allSatisfy { $0.utf8.count == 4 })
    #expect(names.last == "1707")
  }

  @Test func `a message says that it was corrected, and its thread, behind the text`() {
    let one = Message.Thread(id: "one")
    let messages = [
      message(1, "first", edit: .init(originID: "o9")).inThread(one),
      message(2, "second", at: 1).inThread(one),
      message(3, "third", at: 2).inThread(.init(id: "two")),
    ]
    var items = TimelineItems(
      format: testFormat(), people: People(own: OwnNames(testFormat())), now: .minutes(3))
    func notes() -> [String] {
      items.items(of: messages, newLine: nil, today: nil).filter { $0.kind == .message }
        .map(\.note)
    }
    #expect(notes() == ["(edited) (thread 5caf)", "", "(thread 9709)"])
    items.selected = .init(2)
    #expect(notes() == ["(edited) (thread 5caf)", "(thread 5caf)", "(thread 9709)"])
  }

  @Test func `a message says which program has sent it`() {
    let messages = [
      message(1, "first", edit: .init(originID: "o9")).sent(by: "greeter"),
      message(2, "second", at: 1).sent(by: "a\u{1B}[2Jb"), message(3, "third", at: 2),
    ]
    let items = TimelineItems(
      format: testFormat(), people: People(own: OwnNames(testFormat())), now: .minutes(3)
    ).items(of: messages, newLine: nil, today: nil).filter { $0.kind == .message }
    #expect(items.first?.note == "(by greeter) (edited)")
    #expect(items.last?.note == "")
    // No control character reaches the terminal.
    #expect(items[1].note.hasPrefix("(by a") && !items[1].note.contains("\u{1B}"))
  }

  // MARK: The list

  private func shell(_ messages: [Message]) async -> ShellViewModel {
    let ports = FakePorts(
      messages: messages, conversations: [Conversation(jid: .bob, lastActivity: .minutes(2))],
      contacts: [Contact(jid: .bob, name: "Bob", subscription: .both)])
    var actions = ShellActions.forTests()
    actions.choose = { [shown] in shown.choices.append($0) }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return shell
  }

  @Test func `the list has the thread of the selected message, and goes to one`() async throws {
    let (one, two) = (Message.Thread(id: "one"), Message.Thread(id: "two"))
    let shell = await shell([
      message(1, "a").inThread(one), message(2, "b", at: 1).inThread(two),
      message(3, "c", from: .alice, at: 2).inThread(one), message(4, "d", at: 3),
    ])
    await shell.enter("/thread")
    #expect(shown.choices.isEmpty)
    #expect(shell.status.message.text == "This message belongs to no thread.")
    shell.timeline.select(.init(1))
    await shell.enter("/thread")
    let list = try #require(shown.choices.last)
    #expect(list.title == "Thread 5caf" && list.selected == 0)
    #expect(list.labels.count == 2)
    #expect(list.labels[0].hasSuffix(": a") && list.labels[1].hasSuffix(": c"))
    list.onEnd(1)
    await shell.lifetime.settle()
    #expect(shell.timeline.items.filter(\.isMarked).map(\.id) == [.message(.init(3))])
  }

  @Test func `threads that came from it follow, by their first messages`() async throws {
    let child = Message.Thread(id: "two", parent: "one")
    let shell = await shell([
      message(1, "a").inThread(.init(id: "one")), message(2, "b", at: 1).inThread(child),
      message(3, "c", at: 2).inThread(child),
      message(4, "d", at: 3).inThread(.init(id: "one")),
    ])
    await shell.enter("/thread")
    let list = try #require(shown.choices.last)
    #expect(list.title == "Thread 5caf" && list.selected == 1)
    #expect(list.labels.count == 3)
    #expect(list.labels[1].hasSuffix(": d"))
    #expect(list.labels[2].hasPrefix("(thread 9709) ") && list.labels[2].hasSuffix(": b"))
    list.onEnd(2)
    await shell.lifetime.settle()
    #expect(shell.timeline.items.filter(\.isMarked).map(\.id) == [.message(.init(2))])
  }

  @Test func `a long list says that it has the newest messages only`() async throws {
    let thread = Message.Thread(id: "one")
    let shell = await shell(
      (1...120).map { message(Int64($0), "text \($0)", at: Double($0)).inThread(thread) })
    await shell.enter("/thread")
    let list = try #require(shown.choices.last)
    #expect(list.title == "Thread 5caf: the newest 100 messages")
    #expect(list.labels.count == 100 && list.selected == 99)
    #expect(list.labels[0].hasSuffix(": text 21"))
  }
}
