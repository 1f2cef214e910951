import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Histories that are imported into the conversation that is open.
@Suite struct TimelineImportTests {
  private let lifetime = Lifetime()

  private func timeline(_ ports: FakePorts) async -> TimelineViewModel {
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: ports, lifetime: lifetime, now: { .afternoon })
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    return viewModel
  }

  private func bodies(_ viewModel: TimelineViewModel) -> [String] {
    viewModel.items.filter { $0.kind == .message }.map(\.body)
  }

  /// 200 messages, one a minute, of which 81 to 200 are loaded, and 100 is the first on the screen.
  private func scrolledUp(_ ports: FakePorts) async -> TimelineViewModel {
    let viewModel = await timeline(ports)
    viewModel.scroll(to: .init(message: .init(141), line: 0))
    viewModel.loadOlder()
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(100), line: 0))
    return viewModel
  }

  private static let minutely = (1...200).map { message(Int64($0), "m\($0)", at: Double($0)) }

  @Test func `what is imported among the messages on the screen is shown`() async {
    let ports = FakePorts(messages: [message(1, "one"), message(2, "three", at: 10)])
    let viewModel = await timeline(ports)
    await ports.add([message(3, "two", at: 5), message(4, "zero", at: -5)])
    viewModel.handle(.historyImported([.chloe, .bob]))
    await lifetime.settle()
    #expect(bodies(viewModel) == ["zero", "one", "two", "three"])
  }

  @Test func `an import into another conversation reads nothing`() async {
    let ports = FakePorts(messages: [message(1, "one")])
    let viewModel = await timeline(ports)
    let calls = await ports.calls
    viewModel.handle(.historyImported([.chloe]))
    await lifetime.settle()
    #expect(await ports.calls == calls)
  }

  @Test func `a message that arrives while it is read again is shown once`() async {
    let ports = FakePorts(messages: [message(1, "one")])
    let viewModel = await timeline(ports)
    viewModel.handle(.historyImported([.bob]))
    viewModel.handle(.messagesStored([message(2, "two", at: 1)]))
    await lifetime.settle()
    #expect(bodies(viewModel) == ["one", "two"])
  }

  @Test func `a message that is stored between two pages while they are read is shown`() async {
    let ports = FakePorts(messages: Self.minutely)
    let viewModel = await scrolledUp(ports)
    viewModel.handle(.historyImported([.bob]))
    viewModel.handle(.historyStored([message(500, "between", at: 100.5)]))
    await lifetime.settle()
    let shown = bodies(viewModel)
    #expect(viewModel.hasNewer)
    #expect(Array(shown.drop { $0 != "m100" }.prefix(3)) == ["m100", "between", "m101"])
  }

  @Test(arguments: [1, 2])
  func `a jump that is under way when imports end goes there all the same`(imports: Int) async {
    let ports = FakePorts(messages: Self.minutely)
    let viewModel = await timeline(ports)
    await ports.add([message(300, "i1", at: 20.5)])
    viewModel.reveal(.init(20))
    for _ in 1...imports { viewModel.handle(.historyImported([.bob])) }
    await lifetime.settle()
    #expect(viewModel.anchor == .init(message: .init(20), line: 0))
    #expect(Array(bodies(viewModel).drop { $0 != "m20" }.prefix(2)) == ["m20", "i1"])
    // Clearing the view ends it.
    viewModel.reveal(.init(190))
    viewModel.handle(.historyImported([.bob]))
    viewModel.clear()
    await lifetime.settle()
    #expect(viewModel.anchor == nil && bodies(viewModel).isEmpty)
  }

  @Test func `a user who has scrolled up stays at their message`() async {
    let ports = FakePorts(messages: Self.minutely)
    let viewModel = await scrolledUp(ports)
    await ports.add((1...9).map { message(Int64(300 + $0), "i\($0)", at: 100 + Double($0) / 10) })
    viewModel.handle(.historyImported([.bob]))
    await lifetime.settle()
    #expect(viewModel.anchor == .init(message: .init(100), line: 0))
    let shown = bodies(viewModel)
    #expect(shown.first == "m40" && shown.last == "m151" && viewModel.hasNewer)
    #expect(Array(shown.drop { $0 != "m100" }.prefix(3)) == ["m100", "i1", "i2"])
  }

  @Test func `a long message that is shown whole stays whole`() async throws {
    let ports = FakePorts(messages: Self.minutely)
    let text = String(repeating: "long ", count: 4000)
    await ports.add([message(100, text, at: 100)])
    let viewModel = await scrolledUp(ports)
    let shown = try #require(viewModel.window.messages.first { $0.id == .init(100) })
    #expect(shown.isShortened)
    LongText.show(shown, in: viewModel)
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(101), line: 0))
    viewModel.handle(.historyImported([.bob]))
    await lifetime.settle()
    #expect(viewModel.window.messages.first { $0.id == .init(100) }?.body == text)
    #expect(viewModel.anchor == .init(message: .init(101), line: 0))
  }

  @Test(arguments: [1, 2])
  func `the whole text of a long message that is being read when imports end is shown`(
    imports: Int
  ) async throws {
    let ports = FakePorts(messages: Self.minutely)
    let text = String(repeating: "long ", count: 4000)
    await ports.add([message(100, text, at: 100)])
    let viewModel = await scrolledUp(ports)
    let shown = try #require(viewModel.window.messages.first { $0.id == .init(100) })
    LongText.show(shown, in: viewModel)
    for _ in 1...imports { viewModel.handle(.historyImported([.bob])) }
    await lifetime.settle()
    #expect(viewModel.window.messages.first { $0.id == .init(100) }?.body == text)
  }

  @Test func `when an import is undone, the message below the removed one is where that was`()
    async
  {
    let ports = FakePorts(messages: Self.minutely)
    let viewModel = await scrolledUp(ports)
    await ports.remove(.init(100))
    viewModel.handle(.historyImported([.bob]))
    await lifetime.settle()
    #expect(viewModel.anchor == .init(message: .init(101), line: 0))
    #expect(bodies(viewModel).contains("m99") && !bodies(viewModel).contains("m100"))
  }

  @Test func `a conversation that was cleared stays clear`() async {
    let ports = FakePorts(messages: [message(1, "one", at: -5)])
    let viewModel = await timeline(ports)
    viewModel.clear()
    await ports.add([message(2, "two", at: -2)])
    viewModel.handle(.historyImported([.bob]))
    await lifetime.settle()
    #expect(bodies(viewModel).isEmpty)
  }
}
