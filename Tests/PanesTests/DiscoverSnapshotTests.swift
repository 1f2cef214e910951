import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Discover on made-up rooms, as the screen has it.
@Suite struct DiscoverSnapshotTests {
  private func harness(
    _ size: Size, _ listing: RoomListing = .wireframe(readAt: .minutes(0)),
    feeds: FeedListing = .wireframe(now: .minutes(0)), language: String = "en"
  ) async -> ShellHarness {
    let harness = await ShellHarness(
      size,
      factories: [
        DiscoverFactory(
          ports: DiscoverPorts(
            rooms: FakeRoomFinder(listing),
            parts: FakeComponentDirectory(.wireframe(readAt: .minutes(0))),
            invitations: FakeComponentDirectory(invitations: [
              AccountInvitation(
                kind: .contact, address: "xmpp:alice@example.org?roster;preauth=aB1",
                expires: .minutes(4320))
            ]), feeds: FakeFeedReader(feeds),
            events: FakeEventPlanner(.wireframe(now: .minutes(0)))))
      ], language: language)
    harness.press(Key(.function(4)))
    await harness.settle()
    return harness
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `help and the palette show what the keys do here, not what they do to contacts`(
    language: String
  ) async {
    let harness = await harness(Size(rows: 24, columns: 80), language: language)
    let localizer = harness.shell.format.localizer
    guard let desktop = harness.coordinator.desktop else { return }
    for page in ["rooms", "feeds", "events", "services", "invitations"] {
      #expect(desktop.keyTexts == page)
      let here =
        HelpPages.pages(
          bindings: .natter, tabs: builtInTabs, context: desktop.context,
          accepted: desktop.acceptedActions,
          keyTexts: desktop.keyTexts, commands: [], localizer: localizer)[0].sections[0].entries
      let palette = Set(
        desktop.paletteActions(bindings: .natter) { _ in }.map { $0.title.lowercased() })
      for action in [KeyAction.open, .add, .remove, .rename]
      where desktop.acceptedActions?.contains(action) == true {
        let (own, general) = (localizer("key.\(page).\(action)"), localizer("key.\(action)"))
        #expect(here.contains { $0.text == own } && !here.contains { $0.text == general })
        #expect(palette.contains(own.lowercased()) && !palette.contains(general.lowercased()))
      }
      harness.press(Key(.right))
    }
    // Elsewhere they do what they do everywhere.
    harness.press(Key(.function(2)))
    #expect(desktop.keyTexts == "")
  }

  @Test func `rooms at 80x24`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    harness.press(Key(.down))
    #expect(
      harness.picture == """
         F2 Chats 3 [F4 Discover]                     alice@example.org  * online  14:02
         [Rooms] Feeds  Events  Services  Invitations    rooms.example.org, as of 14:00
         / filters                                           6 rooms  most people first
        --------------------------------------------------------------------------------
           ROOM                 PEOPLE LANG ACCESS     TOPIC
           natter-dev              128 en   open       Development of Natter, a termin~
        >  swift-fr                 64 fr   members    Le salon francophone autour de ~
           Swift 中文               51 zh   open       Swift 中文讨论
           swiftui                  22 en   password   User interfaces
           embedded-swift            9 en   open       Microcontrollers
           quiet








        --------------------------------------------------------------------------------
         swift-fr@rooms.example.org  64 people  fr  members
         Le salon francophone autour de Swift

        F1 Help  Enter Preview, join  Up/Down Select  / Filter  a Add  Left/Right Page
        """)
  }

  @Test func `rooms at 120x40, narrowed`() async {
    let harness = await harness(Size(rows: 40, columns: 120))
    harness.press(.character("/"))
    harness.type("swift")
    let rows = harness.rows
    #expect(
      rows.prefix(10).joined(separator: "\n") == """
         F2 Chats 3 [F4 Discover]                                                             alice@example.org  * online  14:02
         [Rooms] Feeds  Events  Services  Invitations                                            rooms.example.org, as of 14:00
         Filter: swift                                                                               4 rooms  most people first
        ------------------------------------------------------------------------------------------------------------------------
           ROOM                           PEOPLE LANG ACCESS     TOPIC
        >  swift-fr                           64 fr   members    Le salon francophone autour de Swift
           Swift 中文                         51 zh   open       Swift 中文讨论
           swiftui                            22 en   password   User interfaces
           embedded-swift                      9 en   open       Microcontrollers

        """)
    #expect(
      rows.suffix(5).joined(separator: "\n") == """
        ------------------------------------------------------------------------------------------------------------------------
         swift-fr@rooms.example.org  64 people  fr  members
         Le salon francophone autour de Swift

        F1 Help  Enter Preview, join  Up/Down Select  / Filter  a Add  Left/Right Page  Del Remove  s Sort  u Refresh  ^O Go to
        """)
  }

  @Test func `rooms at 40x15`() async {
    let harness = await harness(Size(rows: 15, columns: 40))
    #expect(
      harness.picture == """
         F2 Chats 4 [F4 Discover] * online 14:02
         [Rooms] Feeds  Events  Services ~
         / filters                            6
        ----------------------------------------
        >  natter-dev         128 en Developme~
           swift-fr            64 fr Le salon ~
           Swift 中文          51 zh Swift 中~
           swiftui             22 en User inte~
           embedded-swift       9 en Microcont~
           quiet

        ----------------------------------------
         natter-dev@rooms.example.org  128
         people  en  open  keeps history
         Development of Natter, a terminal chat
        """)
  }

  @Test func `the other pages are to the right, and round the end is the first`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    harness.press(Key(.right))
    await harness.settle()
    #expect(
      harness.rows.prefix(9).joined(separator: "\n") == """
         F2 Chats 3 [F4 Discover]                     alice@example.org  * online  14:02
          Rooms [Feeds] Events  Services  Invitations              2 feeds, as of 14:00
         / filters                                                             2 unread
        --------------------------------------------------------------------------------
           FROM                             DATE       POST
        >* Bob Martin                       13:55      Seen on the way
           Editors                          12:30      Version 2 is out
         * Bob Martin                       2026-11-18 No title, only a text

        """)
    harness.press(Key(.right))
    harness.press(Key(.right))
    await harness.settle()
    #expect(
      harness.rows.prefix(9).joined(separator: "\n") == """
         F2 Chats 3 [F4 Discover]                     alice@example.org  * online  14:02
          Rooms  Feeds  Events [Services] Invitations          example.org, as of 14:00
         / filters                                                           3 services
        --------------------------------------------------------------------------------
           SERVICE                          KIND       OFFERS
        >  Example                          server     copies to all devices, pings
           Chatrooms                        rooms      rooms
           silent.example.org                          does not answer

        """)
    harness.press(Key(.right))
    await harness.settle()
    #expect(
      harness.rows.prefix(9).joined(separator: "\n") == """
         F2 Chats 3 [F4 Discover]                     alice@example.org  * online  14:02
          Rooms  Feeds  Events  Services [Invitations]                alice@example.org
         / filters                                                         1 invitation
        --------------------------------------------------------------------------------
           WHAT                             UNTIL      ADDRESS
        >  Your address                                xmpp:alice@example.org?roster
           Invite a contact                 2026-11-23 xmpp:alice@example.org?roster;p~


        """)
    harness.press(Key(.right))
    #expect(harness.rows[1].hasPrefix(" [Rooms]"))
    harness.press(Key(.left))
    #expect(harness.rows[1].contains("[Invitations]"))
  }

  /// Opens the page of events.
  private func events(_ size: Size) async -> ShellHarness {
    let harness = await harness(size)
    harness.press(Key(.right))
    harness.press(Key(.right))
    await harness.settle()
    return harness
  }

  @Test(arguments: [
    (40, 15, "No posts"), (80, 24, "No posts yet."), (120, 40, "No posts yet."),
  ])
  func `a feed without posts and one that waits have rows of their own`(
    columns: Int, rows: Int, keyTexts: String
  ) async {
    var feeds = FeedListing.wireframe(now: .minutes(0))
    feeds.feeds.append(
      Feed(id: Feed.ID(JID(local: "kim", domain: "example.net")), readAt: .minutes(0)))
    feeds.waiting = [Feed.ID(JID(local: "zoe", domain: "example.net"))]
    let harness = await harness(Size(rows: rows, columns: columns), feeds: feeds)
    harness.press(Key(.right))
    await harness.settle()
    harness.press(Key(.end))
    let screen = harness.rows
    #expect(screen.contains { $0.hasPrefix(">") && $0.contains("kim@exam") }, "\(harness.picture)")
    #expect(screen.contains { $0.contains(". zoe@exam") }, "\(harness.picture)")
    #expect(screen.contains { $0.contains("kim@exam") && $0.contains(keyTexts) } || columns == 40)
    #expect(screen.contains { $0.contains("Del unfollows it") } || columns == 40)
  }

  @Test func `events at 80x24, as a list and beside the month`() async {
    let harness = await events(Size(rows: 24, columns: 80))
    #expect(
      harness.picture == """
         F2 Chats 3 [F4 Discover]                     alice@example.org  * online  14:02
          Rooms  Feeds [Events] Services  Invitations          2 calendars, as of 14:00
         / filters                                              3 upcoming events  list
        --------------------------------------------------------------------------------
           WHEN                  GOING      YOU        EVENT
        >v 2026-11-21 14:00          2      going      A walk - By the canal
         . 2026-11-21 18:00                 pending    Dinner
         - 2026-12-02 14:00                 cancelled  A talk











        --------------------------------------------------------------------------------
         A walk
         Saturday 21 November 14:00 to 16:00  By the canal

        F1 Help  Enter Open  Up/Down Select  / Filter  a Add  Left/Right Page
        """)
    harness.press(.character("s"))
    #expect(
      harness.picture == """
         F2 Chats 3 [F4 Discover]                     alice@example.org  * online  14:02
          Rooms  Feeds [Events] Services  Invitations          2 calendars, as of 14:00
         / filters                                             3 upcoming events  month
        --------------------------------------------------------------------------------
         November 2026             Saturday 7
         Mo Tu We Th Fr Sa Su      Sunday 8
                            1      Monday 9
          2  3  4  5  6  7  8      Tuesday 10
          9 10 11 12*13 14 15      Wednesday 11
         16 17 18 19 20.21*22      Thursday 12          1    06:00 Long ago
         23 24 25 26 27 28 29      Friday 13
         30                        Saturday 14
                                   Sunday 15
                                   Monday 16
                                   Tuesday 17
                                   Wednesday 18
                                   Thursday 19
                                 * Friday 20
                                >  Saturday 21          2    14:00 A walk, 18:00 Dinner
        --------------------------------------------------------------------------------
         Saturday 21 November 14:00 to 16:00  A walk
         Saturday 21 November 18:00 to 20:00  Dinner

        F1 Help  Enter Open  Up/Down Select  / Filter  a Add  Left/Right Page
        """)
  }

  @Test func `events at 120x40, beside the month`() async {
    let harness = await events(Size(rows: 40, columns: 120))
    harness.press(.character("s"))
    #expect(
      harness.rows.prefix(14).joined(separator: "\n") == """
         F2 Chats 3 [F4 Discover]                                                             alice@example.org  * online  14:02
          Rooms  Feeds [Events] Services  Invitations                                                  2 calendars, as of 14:00
         / filters                                                                                     3 upcoming events  month
        ------------------------------------------------------------------------------------------------------------------------
         November 2026             DAY                  EVENTS                 EVENT
         Mo Tu We Th Fr Sa Su      Friday 23
                            1      Saturday 24
          2  3  4  5  6  7  8      Sunday 25
          9 10 11 12*13 14 15      Monday 26
         16 17 18 19 20.21*22      Tuesday 27
         23 24 25 26 27 28 29      Wednesday 28
         30                        Thursday 29
                                   Friday 30
                                   Saturday 31
        """)
  }

  @Test func `events at 40 columns: the month above the days, where there is room`() async {
    let harness = await events(Size(rows: 24, columns: 40))
    harness.press(.character("s"))
    #expect(
      harness.picture == """
         F2 Chats 4 [F4 Discover] * online 14:02
          Rooms  Feeds [Events] Services ~
         / filters                          487
        ----------------------------------------
         November 2026
         Mo Tu We Th Fr Sa Su
                            1
          2  3  4  5  6  7  8
          9 10 11 12*13 14 15
         16 17 18 19 20.21*22
         23 24 25 26 27 28 29
         30

           Wednesday 18
           Thursday 19
         * Friday 20
        >  Saturday 21          2    14:00 A w~
        ----------------------------------------
         Saturday 21 November 14:00 to 16:00  A
         walk
         Saturday 21 November 18:00 to 20:00
         Dinner

        F1 Help  Enter Open  Up/Down Select
        """)
    let low = await events(Size(rows: 15, columns: 40))
    low.press(.character("s"))
    #expect(
      low.picture == """
         F2 Chats 4 [F4 Discover] * online 14:02
          Rooms  Feeds [Events] Services ~
         / filters                          487
        ----------------------------------------
           Sunday 15
           Monday 16
           Tuesday 17
           Wednesday 18
           Thursday 19
         * Friday 20
        >  Saturday 21          2    14:00 A w~
        ----------------------------------------
         Saturday 21 November 14:00 to 16:00  A
         walk
         Saturday 21 November 18:00 to 20:00
        """)
  }

  @Test func `that nothing is known is shown in a sentence`() async {
    let harness = await harness(Size(rows: 12, columns: 40), RoomListing())
    #expect(harness.picture.contains("No public rooms here."))
  }

  @Test func `the mouse selects, opens, and switches pages; the wheel moves`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    harness.coordinator.handle(.mouse(MouseEvent(.press, button: 1, at: Point(row: 7, column: 5))))
    harness.coordinator.display.drawFrame()
    #expect(harness.rows[7].hasPrefix("> "))
    harness.coordinator.handle(
      .mouse(MouseEvent(.wheelDown, button: 0, at: Point(row: 7, column: 5))))
    harness.coordinator.display.drawFrame()
    #expect(harness.rows[8].hasPrefix("> "))
  }

  @Test func `every width from the least to the widest draws without a fault`() async {
    for columns in [30, 39, 59, 60, 71, 72, 99, 100, 200] {
      let harness = await harness(Size(rows: 14, columns: columns))
      harness.press(.character("/"))
      harness.type("a long text that is longer than the screen is wide, by far and more")
      #expect(harness.rows.allSatisfy { $0.columns <= columns })
    }
  }
}
