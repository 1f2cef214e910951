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

/// The top row where there is little space.
@Suite struct TabBarPaneTests {
  private func row(
    _ columns: Int, active: SubAppID = .contacts, badges: [SubAppID: String] = [.chats: "12"],
    connection: ConnectionState = .online, own: Availability = .online
  ) -> String {
    let viewModel = TabBarViewModel(format: testFormat(), now: { .afternoon })
    let ids: [SubAppID] = [.chats, .contacts, .discover, .files, .me]
    viewModel.show(
      ids.enumerated().map { SubAppTab($1, position: $0 + 1) }, active: active)
    for (id, badge) in badges { viewModel.show(badge: badge, on: id) }
    viewModel.handle(.connectionChanged(connection))
    viewModel.show(own: own)
    var surface = Surface(size: Size(rows: 1, columns: columns))
    TabBarPane(viewModel: viewModel).draw(into: &surface)
    return surface.description
  }

  @Test(arguments: [40, 36, 32, 30])
  func `what is unread never goes`(columns: Int) {
    let row = row(columns)
    #expect(row.contains("F2 12") && row.contains("[Contacts]"))
  }

  @Test(arguments: [80, 40, 30])
  func `with several accounts the number of the one that is shown never goes`(
    columns: Int
  ) async {
    let states = [JID.alice, .chloe].map { AccountState($0, connection: .online) }
    let harness = await ShellHarness(
      Size(rows: 24, columns: columns), factories: [ContactsFactory(), FilesFactory()],
      files: FilesSnapshotTests.files())
    harness.handle(.connectionChanged(.online))
    harness.press(Key(.function(5)))
    harness.shell.show(states)
    await harness.settle()
    #expect(harness.rows[0].contains("1 *"))
    harness.shell.show([states[0]])
    await harness.settle()
    #expect(!harness.rows[0].contains("1*"))
  }

  @Test func `at 40 columns the open one has its name, the others their keys`() {
    let row = row(40)
    #expect(row.hasPrefix(" F2 12 [Contacts] F4  F5  F6 ") && row.hasSuffix("* 14:00"))
  }

  @Test
  func `the clock stays longer than the word while all is well, and no longer where it is not`() {
    #expect(row(80, badges: [:]).hasSuffix("* online 14:00"))
    #expect(row(40).hasSuffix(" * 14:00"))
    #expect(row(40, connection: .offline).hasSuffix(" . offline"))
  }

  @Test(arguments: [(Availability.away, "o away"), (.busy, "x busy"), (.chatty, "* free to chat")])
  func
    `that one is seen as away or busy is told in a sign and a word, which the clock gives way to`(
      own: Availability, text: String
    )
  {
    #expect(row(80, badges: [:], own: own).hasSuffix("\(text) 14:00"))
    let narrow = row(40, active: .chats, badges: [:], own: own)
    #expect(narrow.hasSuffix(text) || narrow.hasSuffix("\(text) 14:00"), "\(narrow)")
    #expect(row(21, own: own).hasSuffix(" " + text.prefix(1)))
    // Without a connection nobody sees it.
    #expect(row(80, badges: [:], connection: .offline, own: own).contains(". offline"))
  }

  @Test(arguments: [
    ("en", ["! not connected", "Not connected (no answer). Trying", "now."]),
    ("fr", ["! pas connecté", "Pas connecté (", "Essai en cours"]),
    ("zh-Hans", ["! 未连接", "未连接（", "正在尝试"]),
  ])
  func `why there is no connection, and that it is tried, is said in 40 columns`(
    language: String, words: [String]
  ) {
    let format = ItemFormat(
      localizer: localizer(language), glyphs: .ascii, account: .alice, local: { LocalTime.utc($0) })
    let status = StatusViewModel(format: format, scheduler: ManualTimers().scheduler)
    let tabBar = TabBarViewModel(format: format, now: { .afternoon })
    let host = "a-chat-server-with-a-long-name.example.org"
    for state in [
      ConnectionState.waiting(
        until: .afternoon, reason: ConnectionProblem(.timedOut, host: host)),
      .connecting(host: host),
    ] {
      status.handle(.connectionChanged(state))
      tabBar.handle(.connectionChanged(state))
    }
    var top = Surface(size: Size(rows: 1, columns: 40))
    TabBarPane(viewModel: tabBar, isLinear: false).draw(into: &top)
    let pane = StatusPane(viewModel: status, glyphs: .ascii)
    let rows = pane.rows(width: 40, screenRows: 10)
    var line = Surface(size: Size(rows: rows, columns: 40))
    pane.draw(into: &line)
    #expect(line.size.rows <= 3)
    let reported =
      top.description
      + line.description.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for word in words { #expect(reported.contains(word), "\(reported)") }
  }
}
