import Diagnostics
import Foundation
import NatterCore
import Panes
import RoomService
import Storage
import Terminal
import TestSupport
import Text
import ViewModels
import XML
import XMPP

/// The time to join a room with many occupants: from the bytes of their presences to the list on
/// the screen.
struct RoomBenchmark {
  let people: Int
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let account = JID(local: "alice", domain: "example.org")

  func run() async throws {
    let bytes = presences()
    let stanzas = try parse(bytes)
    let parsing = try best { _ = try parse(bytes) }
    let hub = EventHub()
    let database = try await AccountDatabase.inMemory()
    let service = AccountRooms(
      account: account, store: database.bookmarks, hub: hub, log: .none, readsArchives: false)
    let work = Task { await service.run() }
    defer { work.cancel() }
    await service.sessionStarted(.fixture, over: RecordingChannel())
    try await service.join(room, nick: "alice", password: nil)
    let events = hub.events()
    let applying = await ContinuousClock().measure {
      // As many stanzas as one read of the connection yields.
      for start in stride(from: 0, to: stanzas.count, by: 150) {
        await service.receive(Array(stanzas[start..<min(start + 150, stanzas.count)]))
      }
    }
    let entered = await service.occupants(of: room).count
    precondition(entered == people + 1)
    let end = StatusNotice(.info, "end")
    hub.publish(.notice(end))
    var news: [DomainEvent] = []
    for await event in events {
      if event == .notice(end) { break }
      news.append(event)
    }
    let (showing, scrolling, change) = await screen(news)
    print("\(people) people, \(bytes.count) bytes of presences, \(news.count) events")
    report("parse the presences", parsing)
    report("apply them", applying)
    report("take the events, draw the members", showing)
    report("draw after one more came", change)
    report("select the next, draw", scrolling)
    report("all until the list is drawn", parsing + applying + showing)
  }

  @MainActor private func screen(_ news: [DomainEvent]) -> (Duration, Duration, Duration) {
    let model = MembersViewModel(
      format: ItemFormat(localizer: Localizer(tag: "en", texts: [:]), account: account))
    let pane = MembersPane(viewModel: model, glyphs: .unicode)
    model.show(room)
    var surface = Surface(size: Size(rows: 48, columns: 30))
    let clock = ContinuousClock()
    let showing = clock.measure {
      for event in news { model.handle(event) }
      pane.draw(into: &surface)
    }
    model.isFocused = true
    pane.draw(into: &surface)
    let scrolling = clock.measure {
      model.moveSelection(1)
      pane.draw(into: &surface)
    }
    let change = clock.measure {
      model.handle(
        .occupantsChanged(OccupantChanges(room: room, changed: [Occupant(nick: "newcomer")])))
      pane.draw(into: &surface)
    }
    return (showing, scrolling, change)
  }

  private func presences() -> [UInt8] {
    func presence(_ nick: String, _ status: String) -> String {
      "<presence from='\(room)/\(nick)' to='\(account)/x'><c xmlns='http://jabber.org/protocol/caps'"
        + " hash='sha-1' node='https://example.org' ver='q07IKJEyjvHSyhy//CH0CxmKi8w='/>"
        + "<x xmlns='http://jabber.org/protocol/muc#user'>"
        + "<item affiliation='none' role='participant'/>\(status)</x></presence>"
    }
    let others = (0..<people).map { presence("occupant \($0 &* 7919 % 100_003)", "") }
    return Array(
      ("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
        + others.joined() + presence("alice", "<status code='110'/>")).utf8)
  }

  private func parse(_ bytes: [UInt8]) throws -> [Stanza] {
    let parser = XMLStreamParser()
    let events = try bytes.withUnsafeBufferPointer { try parser.feed($0) }
    return events.compactMap { event in
      if case .element(let element) = event { Stanza(element) } else { nil }
    }
  }

  private func best(_ work: () throws -> Void) rethrows -> Duration {
    let clock = ContinuousClock()
    return try (0..<5).map { _ in try clock.measure(work) }.min() ?? .zero
  }

  private func report(_ name: String, _ duration: Duration) {
    print(
      name.padding(toLength: 36, withPad: " ", startingAt: 0)
        + String(format: "%8.2f ms", duration / .milliseconds(1)))
  }
}
