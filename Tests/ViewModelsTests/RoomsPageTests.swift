import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The page on made-up rooms, and what it has asked for.
final class RoomsFixture {
  let finder: FakeRoomFinder
  let timers = ManualTimers()
  let now = ManualNow(.afternoon)
  let shell: ShellViewModel
  let page: RoomsPage
  var requests: [String] = []
  /// The index of the chosen word of a list.
  var choice = 0
  private(set) var form: FormViewModel?

  init(_ listing: RoomListing = .wireframe(readAt: .afternoon), isOnline: Bool = true) async {
    finder = FakeRoomFinder(listing)
    var actions = ShellActions.forTests()
    weak var fixture: RoomsFixture?
    actions.request = { name, parameters in
      fixture?.requests.append("\(name) \(parameters["jid"] ?? "")")
    }
    actions.showForm = { form in
      fixture?.form = form
      return { fixture?.form = nil }
    }
    actions.choose = { $0.onEnd(fixture?.choice) }
    shell = ShellViewModel(
      FakePorts(connection: isOnline ? .online : .offline, now: .afternoon), timers: timers,
      now: now, actions: actions)
    page = RoomsPage(shell: shell, finder: finder)
    fixture = self
    await shell.load()
    page.appeared()
    await shell.finish()
  }

  var titles: [String] { page.rows.shown.map { page.card($0).title } }
  var buttons: [String] {
    form?.fields.filter { $0.kind == .button }.map(\.label) ?? []
  }
  var texts: [String] { form?.fields.map(\.label) ?? [] }
}

@Suite struct RoomsPageTests {
  @Test func `rooms with the most people come first, or in the order of their names`() async {
    let fixture = await RoomsFixture()
    #expect(
      fixture.titles == [
        "natter-dev", "swift-fr", "Swift 中文", "swiftui", "embedded-swift", "quiet",
      ])
    #expect(fixture.page.card(1).note == "members" && fixture.page.card(3).note == "password")
    #expect(fixture.page.card(0).note == "open" && fixture.page.card(5).note == "")
    #expect(fixture.page.count == "6 rooms  most people first")
    fixture.page.perform(.sort)
    #expect(fixture.titles.first == "embedded-swift" && fixture.titles.last == "swiftui")
    #expect(fixture.page.count == "6 rooms  by name")
  }

  @Test func `the list says how old it is`() async {
    let fixture = await RoomsFixture(.wireframe(readAt: .minutes(-20)), isOnline: false)
    #expect(fixture.page.headline == "rooms.example.org, as of 13:40")
    let old = await RoomsFixture(.wireframe(readAt: .minutes(-3000)), isOnline: false)
    #expect(old.page.headline == "rooms.example.org, as of Wednesday 18 November 12:00")
    var reading = RoomListing.wireframe(readAt: nil)
    reading.isReading = true
    await old.finder.set(reading)
    old.shell.handle(.publicRoomsChanged)
    await old.shell.finish()
    #expect(old.page.headline == "loading rooms.example.org ...")
  }

  @Test func `an old list is read again by itself, a new one is not, and offline nothing is`() async
  {
    #expect(await RoomsFixture().finder.calls == [])
    #expect(await RoomsFixture(.wireframe(readAt: .minutes(-70))).finder.calls == ["refresh"])
    // The clock was ahead when it was read.
    #expect(await RoomsFixture(.wireframe(readAt: .minutes(70))).finder.calls == ["refresh"])
    let offline = await RoomsFixture(RoomListing(), isOnline: false)
    #expect(await offline.finder.calls == [])
    #expect(offline.page.emptyText.contains("loaded when there is a connection"))
    offline.shell.handle(.connectionChanged(.online))
    await offline.shell.finish()
    #expect(await offline.finder.calls == ["refresh"])
  }

  @Test func `a reading that fails says so only to who asked for it`() async {
    let fixture = await RoomsFixture(.wireframe(readAt: nil), isOnline: false)
    await fixture.finder.fail(with: NatterError(.offline, "error.offline"))
    fixture.shell.handle(.connectionChanged(.online))
    await fixture.shell.finish()
    #expect(fixture.shell.status.message.text == "")
    fixture.page.perform(.refresh)
    await fixture.shell.finish()
    #expect(fixture.shell.status.message.text != "")
  }

  @Test func `a room is found by name, address and topic`() async {
    let fixture = await RoomsFixture()
    for (text, found) in [
      ("francophone", ["swift-fr"]), ("中文", ["Swift 中文"]), ("swift-zh@", ["Swift 中文"]),
      ("SWIFT in", ["swiftui"]),
    ] {
      fixture.page.rows.setFilter(text)
      #expect(fixture.titles == found, "\(text)")
    }
    fixture.page.rows.setFilter("nothing at all")
    #expect(
      fixture.page.emptyText == "No match. Esc shows all again." && fixture.page.summary == [])
  }

  @Test func `searches are asked for what is typed, once the typing pauses`() async {
    let fixture = await RoomsFixture()
    fixture.page.rows.setFilter("swift")
    #expect(fixture.timers.count == 0)
    var listing = RoomListing.wireframe(readAt: .afternoon)
    listing.directories.append(
      RoomDirectory(
        jid: JID(local: nil, domain: "search.example.net"), kind: .search, isAdded: true,
        readAt: .afternoon))
    await fixture.finder.set(listing)
    fixture.shell.handle(.publicRoomsChanged)
    await fixture.shell.finish()
    #expect(fixture.page.headline == "2 services, as of 14:00")
    for letter in "ui" { fixture.page.rows.typeFilter(String(letter)) }
    #expect(fixture.timers.count == 1)
    fixture.timers.fire()
    await fixture.shell.finish()
    #expect(await fixture.finder.calls == ["search swiftui"])
    fixture.page.rows.setFilter("s")
    fixture.timers.fire()
    await fixture.shell.finish()
    #expect(await fixture.finder.calls == ["search swiftui"])
  }

  @Test
  func `the preview shows what is known, then what the room says, and joins through the mediator`()
    async
  {
    let fixture = await RoomsFixture()
    var room = RoomListing.wireframe(readAt: nil).rooms[1]
    room.topic = "Now: release \u{1B}]0;evil\u{7}"
    await fixture.finder.set(
      RoomPreview(
        room: room, description: "What it is for", nicks: ["kim", "bob"],
        lines: [
          .init(nick: "bob", text: "/me waits", sentAt: .minutes(-1440)),
          .init(nick: "kim", text: "the new build\npasses", sentAt: .minutes(1)),
        ]))
    fixture.page.perform(.open)
    #expect(fixture.buttons == ["Join", "Share", "Close"])
    #expect(fixture.texts.contains("asking the room ..."))
    await fixture.shell.finish()
    #expect(fixture.texts.contains("bob, kim") || fixture.texts.contains("kim, bob"))
    #expect(fixture.texts.contains("What it is for"))
    #expect(fixture.texts.contains("14:01 kim: the new build passes"))
    #expect(fixture.texts.contains("Thursday 19 November 14:00 * bob waits"))
    #expect(!fixture.texts.contains("asking the room ..."))
    #expect(!fixture.texts.contains { $0.contains("\u{1B}") })
    fixture.form?.onPress("join")
    #expect(fixture.requests == ["rooms/join natter-dev@rooms.example.org"])
    #expect(fixture.form == nil)
  }

  @Test func `a room that does not answer can still be joined, and says why it shows no more`()
    async
  {
    let fixture = await RoomsFixture()
    fixture.page.perform(.open)
    await fixture.shell.finish()
    #expect(fixture.form?.message?.lines == ["natter-dev@rooms.example.org is not a room."])
    #expect(fixture.buttons.first == "Join")
    fixture.form?.onPress("share")
    #expect(fixture.texts.contains("xmpp:natter-dev@rooms.example.org?join"))
    fixture.form?.onCancel()
    #expect(fixture.form == nil && fixture.requests == [])
  }

  @Test func `where nothing is listed, a room is gone to by its address, or made`() async {
    let fixture = await RoomsFixture(RoomListing())
    #expect(fixture.page.emptyText.contains("Enter"))
    fixture.page.perform(.open)
    #expect(fixture.form?["address"]?.isRequired == true && fixture.form?["nick"] != nil)
    fixture.form?.update("address") { $0.text = "@" }
    fixture.form?.onPress("submit")
    #expect(fixture.form?["address"]?.error != nil)
    fixture.form?.update("address") { $0.text = "tea@rooms.example.org" }
    fixture.form?.onPress("submit")
    #expect(fixture.form == nil)
    // The same where there are some.
    let full = await RoomsFixture()
    full.page.perform(.add)
    #expect(full.form?["nick"] != nil)
  }

  @Test func `a service is added by its address, and one that was added is removed`() async {
    var listing = RoomListing.wireframe(readAt: .afternoon)
    let fixture = await RoomsFixture(listing)
    fixture.page.perform(.remove)
    #expect(await fixture.finder.calls == [])
    #expect(fixture.shell.status.message.text.contains("To leave a room: /leave"))
    #expect(fixture.page.hintKeys == [.open: "discover.rooms.hint.open"])
    fixture.choice = 1
    fixture.page.perform(.add)
    fixture.form?.update("address") { $0.text = "rooms..example" }
    fixture.form?.onPress("submit")
    #expect(fixture.form?["address"]?.error != nil)
    fixture.form?.update("address") { $0.text = "rooms.example.net" }
    fixture.form?.onPress("submit")
    await fixture.shell.finish()
    #expect(await fixture.finder.calls == ["add rooms.example.net"])
    listing.directories[0].isAdded = true
    await fixture.finder.set(listing)
    fixture.shell.handle(.publicRoomsChanged)
    await fixture.shell.finish()
    fixture.choice = 0
    fixture.page.perform(.remove)
    await fixture.shell.finish()
    #expect(await fixture.finder.calls.last == "remove rooms.example.org")
  }

  @Test func `what is looked for before the list is there is looked for when it is`() async {
    let fixture = await RoomsFixture()
    let page = RoomsPage(shell: fixture.shell, finder: fixture.finder)
    page.appeared()
    page.show(item: "zh")
    await fixture.shell.finish()
    #expect(page.rows.shown.count == 1 && page.rows.filter == "zh")
  }

  @Test func `Discover can be asked for by name, and asks before it contacts a stranger's server`()
    async throws
  {
    let fixture = await RoomsFixture()
    var shown: [String] = []
    var asked: [ConfirmRequest] = []
    var actions = ShellActions.forTests()
    actions.confirm = { asked.append($0) }
    let shell = ShellViewModel(FakePorts(now: .afternoon), actions: actions)
    let mediator = Mediator()
    shell.publishDiscover(
      to: mediator,
      ports: DiscoverPorts(
        rooms: fixture.finder, parts: FakeComponentDirectory(),
        invitations: FakeComponentDirectory(),
        feeds: FakeFeedReader(), events: FakeEventPlanner())
    ) {
      shown.append("\($0) \($1)")
    }
    try mediator.open("natter://discover/search?text=swift%20ui")
    try mediator.open("xmpp:rooms.example.net?disco")
    #expect(shown == ["rooms swift ui"] && asked.count == 1)
    await shell.finish()
    #expect(await fixture.finder.calls == [])
    asked.first?.onAccept()
    await shell.finish()
    #expect(await fixture.finder.calls == ["add rooms.example.net"])
    #expect(throws: NatterError.self) { try mediator.perform("discover/add", ["jid": "a b"]) }
    // A slash opens the filter in Discover: the palette joins.
    #expect(
      throws: NatterError(.invalidInput, "error.room.notJoined", ["room": "tea@rooms.example.net"])
    ) {
      try mediator.open("natter://discover/room?jid=tea@rooms.example.net")
    }
    // What somebody else wrote takes nothing away unasked.
    try mediator.open("natter://discover/remove?jid=rooms.example.net", isForeign: true)
    await shell.finish()
    #expect(await fixture.finder.calls.count == 1)
    #expect(asked.last?.textKey == "discover.removeQuestion")
    asked.last?.onAccept()
    await shell.finish()
    #expect(await fixture.finder.calls.last == "remove rooms.example.net")
  }

  @Test(arguments: [
    ("info", "server/x", "info pubsub.example.net a/b"),
    ("items", "Chatrooms  rooms.example.org  a/b/1", "items pubsub.example.net a/b"),
  ])
  func `a service is asked of its node, after a question, and what it says is shown`(
    request: String, line: String, call: String
  ) async throws {
    let guide = FakeComponentDirectory(.wireframe(readAt: nil))
    var asked: [ConfirmRequest] = []
    var forms: [FormViewModel] = []
    var actions = ShellActions.forTests()
    actions.confirm = { asked.append($0) }
    actions.showForm = {
      forms.append($0)
      return {}
    }
    let shell = ShellViewModel(FakePorts(now: .afternoon), actions: actions)
    let mediator = Mediator()
    shell.publishDiscover(
      to: mediator,
      ports: DiscoverPorts(
        rooms: await RoomsFixture().finder, parts: guide, invitations: guide,
        feeds: FakeFeedReader(), events: FakeEventPlanner())
    ) { _, _ in }
    try mediator.open("xmpp:pubsub.example.net?disco;node=a%2Fb;request=\(request)")
    await shell.finish()
    #expect(await guide.calls == [] && asked.count == 1)
    #expect(asked.first?.arguments["node"] == "a/b")
    asked.first?.onAccept()
    await shell.finish()
    #expect(await guide.calls == [call])
    #expect(forms.first?.fields.contains { $0.label.contains(line) } == true)
    #expect(forms.first?.fields.contains { $0.label == "a/b" } == true)
  }
}
