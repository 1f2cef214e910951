import Foundation
import NatterCore
import Panes
import Terminal
import TestSupport
import Text
import ViewModels
import XMPP

/// The cost of a key in lists of many contacts and many rooms, and in the palette over many
/// contacts: from the key to the finished frame.
///
/// The floor is the same with as many rows as the screen has: as much is drawn, only the list is
/// short.
@MainActor struct ListBenchmark {
  let rows: Int
  let lists: [List]
  private static let size = Size(rows: 40, columns: 120)
  /// The longest time of a frame at 60 frames per second.
  private static let frame = Duration.milliseconds(16)

  enum List: String { case contacts, rooms, palette }

  func run() async throws {
    let texts = try englishTexts()
    for list in lists {
      let floor = try await measure(list, rows: Self.size.rows - 4, texts)
      let many = try await measure(list, rows: rows, texts)
      print("\(list.rawValue): \(rows) rows, screen \(Self.size.columns)x\(Self.size.rows)")
      for (step, least) in zip(many, floor) {
        let ratio = step.median / least.median
        let name = step.name.padding(toLength: 12, withPad: " ", startingAt: 0)
        print(
          "  \(name) median \(milliseconds(step.median)), worst \(milliseconds(step.worst)); floor "
            + "\(milliseconds(least.median)), ratio \(String(format: "%.2f", ratio))"
            + (step.worst > Self.frame ? "  LONGER THAN A FRAME" : ""))
      }
    }
  }

  private func milliseconds(_ time: Duration) -> String {
    String(
      format: "%.3f ms",
      Double(time.components.attoseconds) / 1e15
        + Double(time.components.seconds) * 1000)
  }

  private struct Step {
    let name: String
    let median: Duration
    let worst: Duration
  }

  private func measure(_ list: List, rows: Int, _ texts: [String: String]) async throws -> [Step] {
    let (shell, coordinator) = await desktop(list, rows: rows, texts)
    defer { withExtendedLifetime(shell) {} }
    coordinator.handle(.key(Key(.function(list == .rooms ? 4 : 3))))
    await shell.finish()
    coordinator.display.drawFrame()
    let clock = ContinuousClock()
    /// - Parameter after: keys that are typed after each of the keys, outside the measurement.
    func time(_ name: String, _ keys: [Key], after: [Key] = []) -> Step {
      let times = keys.map { key in
        defer { for key in after { coordinator.handle(.key(key)) } }
        return clock.measure {
          coordinator.handle(.key(key))
          coordinator.display.drawFrame()
        }
      }.sorted()
      return Step(name: name, median: times[times.count / 2], worst: times[times.count - 1])
    }
    let word = "person1234"
    if list == .palette {
      // The entries that are made in the background at the first opening are not there yet.
      let first = time("first open", [.control("o")])
      await shell.finish()
      coordinator.handle(.key(Key(.escape)))
      let opened = time("open", Array(repeating: .control("o"), count: 9), after: [Key(.escape)])
      coordinator.handle(.key(.control("o")))
      return [
        first, opened,
        time("first letter", word.prefix(1).map { .character($0) }),
        time("type", word.dropFirst().map { .character($0) }),
        time("take back", word.map { _ in Key(.backspace) }),
        time("down", Array(repeating: Key(.down), count: 50)),
      ]
    }
    // Not measured: the first use creates some objects.
    _ = time("", [Key(.down), Key(.up)])
    var steps = [
      time("down", Array(repeating: Key(.down), count: 50)),
      time("page down", Array(repeating: Key(.pageDown), count: 50)),
      time("end, home", (0..<50).map { Key($0.isMultiple(of: 2) ? .end : .home) }),
    ]
    steps.append(time("filter", [.character("/")]))
    steps.append(time("type", word.map { .character($0) }))
    steps.append(time("take back", word.map { _ in Key(.backspace) }))
    return steps
  }

  private func desktop(_ list: List, rows: Int, _ texts: [String: String]) async -> (
    ShellViewModel, AppCoordinator
  ) {
    let first = ["Anna", "Bob", "Chloe", "Dave", "Eva", "Finn", "Greta", "Hugo"]
    var contacts: [Contact] = []
    var presence: [ContactPresence] = []
    var listing = RoomListing()
    let service = JID(local: nil, domain: "rooms.example.org")
    switch list {
    case .contacts, .palette:
      for number in 0..<rows {
        let jid = JID(local: "person\(number)", domain: "server\(number % 97).example.org")
        contacts.append(
          Contact(
            jid: jid, name: "\(first[number % first.count]) \(number)", subscription: .both,
            groups: ["Group \(number % 20)"]))
        if number.isMultiple(of: 3) {
          presence.append(ContactPresence(jid: jid, availability: .online, status: "Here"))
        }
      }
    case .rooms:
      listing.directories = [RoomDirectory(jid: service, readAt: Date())]
      listing.rooms = (0..<rows).map { number in
        PublicRoom(
          jid: JID(local: "room\(number)", domain: "rooms.example.org"), directory: service,
          name: "\(first[number % first.count])'s room", topic: "What person\(number) talks about",
          people: number * 7919 % 500, language: "en", isDescribed: true)
      }
    }
    let ports = FakePorts(contacts: contacts, presence: presence)
    let scheduler = Scheduler { _, _ in {} }
    let actions = ShellActions(parseAddress: { JID(userInput: $0) })
    let format = ItemFormat(
      localizer: Localizer(tag: "en", texts: texts), account: JID(local: "me", domain: "here"))
    let shell = ShellViewModel(
      ports: .init(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports),
      format: format, scheduler: scheduler, actions: actions)
    let coordinator = AppCoordinator(
      screen: MemoryScreen(size: Self.size), localizer: format.localizer, glyphs: .unicode,
      scheduler: scheduler, actions: actions)
    coordinator.show(
      Desktop(
        shell: shell,
        factories: [
          ContactsFactory(),
          DiscoverFactory(
            ports: DiscoverPorts(
              rooms: FakeRoomFinder(listing), parts: FakeComponentDirectory(),
              invitations: FakeComponentDirectory(), feeds: FakeFeedReader(),
              events: FakeEventPlanner())),
        ]))
    await shell.load()
    return (shell, coordinator)
  }
}
