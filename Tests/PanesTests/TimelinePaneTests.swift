import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

@Suite struct TimelinePaneTests {
  func picture(
    _ messages: [Message], rows: Int, columns: Int, narrow: Bool = false, plain: Bool = false,
    glyphs: Glyphs = .ascii
  ) async -> Surface {
    let lifetime = Lifetime()
    let viewModel = TimelineViewModel(
      format: testFormat(glyphs: glyphs), archive: FakePorts(messages: messages),
      lifetime: lifetime,
      now: { .afternoon })
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let pane = TimelinePane(viewModel: viewModel, glyphs: glyphs, welcome: "welcome")
    pane.isNarrow = narrow
    pane.isPlain = plain
    var surface = Surface(size: Size(rows: rows, columns: columns))
    pane.draw(into: &surface)
    return surface
  }

  @Test func `wide glyphs wrap under their text, never halved`() async {
    let surface = await picture([message(1, "日本語です。これは長いよ")], rows: 4, columns: 41)
    #expect(
      surface.description == """

         --------- Friday 20 November ----------
         14:00 bob    日本語です。これは長い
                      よ
        """)
  }

  @Test func `ticks are at the right edge, failures show why`() async {
    let surface = await picture(
      [
        message(1, "one", from: .alice, delivery: .queued),
        message(2, "two", from: .alice, delivery: .failed(reason: "no such user")),
      ], rows: 5, columns: 60)
    #expect(
      surface.description == """
         ------------------- Friday 20 November -------------------
         14:00 you    one                                         .
                      two                                         !
                      Not sent: no such user. /retry sends it
                      again, /cancel discards it.
        """)
    #expect(surface.roles(row: 3).contains(.tickFailed))
  }

  @Test func `what could not be sent is looked at when its row is on the screen`() async {
    let lifetime = Lifetime()
    let messages =
      [message(1, "lost", from: .alice, delivery: .failed(reason: "no"))]
      + (2...30).map { message(Int64($0), "line \($0)") }
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: FakePorts(messages: messages), lifetime: lifetime,
      now: { .afternoon })
    var seen: [Set<Message.ID>] = []
    viewModel.onFailuresSeen = { seen.append($1) }
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let pane = TimelinePane(viewModel: viewModel, glyphs: .ascii, welcome: "welcome")
    var surface = Surface(size: Size(rows: 6, columns: 60))
    pane.draw(into: &surface)
    #expect(seen == [])
    pane.scrollToOldest()
    pane.draw(into: &surface)
    #expect(seen == [[Message.ID(1)]])
    // Drawn again, it is no news.
    pane.draw(into: &surface)
    #expect(seen.count == 1)
  }

  @Test func `what has arrived has one tick in a look of its own, and two when it was displayed`()
    async
  {
    let surface = await picture(
      [
        message(1, "one", from: .alice, delivery: .sent),
        message(2, "two", from: .alice, delivery: .delivered),
        message(3, "three", from: .alice, delivery: .read),
      ], rows: 4, columns: 40)
    #expect((1...3).map { surface.text(row: $0).split(separator: " ").last } == ["v", "v", "vv"])
    let looks: [StyleRole] = [.tickSent, .tickDelivered, .tickRead]
    for (row, role) in zip(1...3, looks) { #expect(surface.roles(row: row)[38] == role) }
  }

  @Test(arguments: [
    (Delivery.queued, "pending"), (.sent, "sent"), (.delivered, "delivered"), (.read, "read"),
    (.failed(reason: "gone"), "failed"),
  ])
  func `a screen reader reads the status of a message`(
    delivery: Delivery, word: String
  ) async {
    let surface = await picture(
      [message(1, "one", from: .alice, delivery: delivery)], rows: 5, columns: 40, glyphs: .linear)
    #expect(surface.description.contains("you: one (\(word))"), "\(surface)")
  }

  @Test(arguments: [false, true]) func `a link that wraps is one link in each of its rows`(
    plain: Bool
  ) async throws {
    let address = "https://example.org/a-long-path/that-does-not-fit"
    let surface = await picture(
      [message(1, "see \(address) and http://a.b")], rows: 8, columns: 41, plain: plain)
    let texts = surface.links.map { link in
      link.columns.map { String(surface[link.row, $0].glyph) }.joined()
    }
    let long = surface.links.filter { $0.link.address == address }
    #expect(long.count > 1 && Set(long.map(\.link.id)).count == 1)
    #expect(texts.prefix(long.count).joined() == address)
    #expect(texts.dropFirst(long.count) == ["http://a.b"])
    #expect(surface.links.last?.link.id != long[0].link.id)
    for link in surface.links {
      #expect(link.columns.allSatisfy { surface[link.row, $0].role == .link })
    }
  }

  @Test(arguments: [
    "natter://files", "`https://example.org`", "> `https://example.org`", "no link",
  ])
  func `what the terminal should not open is marked as none`(text: String) async {
    let surface = await picture([message(1, text)], rows: 4, columns: 60)
    #expect(surface.links == [])
  }

  @Test func `the time can be behind the text, in every form`() async {
    var glyphs = Glyphs.ascii
    glyphs.timeIsLast = true
    let messages = [
      message(1, "hello there", from: .alice, delivery: .sent), message(2, "and you", at: 0),
      message(3, "```\ncode\n```", at: 0.5),
    ]
    let wide = await picture(messages, rows: 6, columns: 44, glyphs: glyphs)
    #expect(
      wide.description == """
         ----------- Friday 20 November -----------
         you    hello there  14:00                v
         bob    and you  14:00
                ```
                code
                ```
        """)
    #expect(wide.roles(row: 1)[21] == .time)
    let narrow = await picture(
      Array(messages.prefix(2)), rows: 5, columns: 30, narrow: true, glyphs: glyphs)
    #expect(
      narrow.description == """
         ---- Friday 20 November ----
         you
         hello there  14:00         v
         bob
         and you  14:00
        """)
    let plain = await picture(
      Array(messages.prefix(2)), rows: 3, columns: 40, plain: true, glyphs: glyphs)
    #expect(plain.text(row: 1) == "you: hello there  14:00 v")
  }

  @Test func `plain view has no margins`() async {
    let surface = await picture(
      [message(1, "a text that is too long for one row of it"), message(2, "/me waves", at: 9)],
      rows: 5, columns: 24, plain: true)
    #expect(
      surface.description == """
         - Friday 20 November -
        14:00 bob: a text that
        is too long for one row
        of it
        14:09 * bob waves
        """)
  }

  @Test func `a line end in a message does not imitate another sender's line`() async {
    let surface = await picture(
      [message(1, "hello\n14:25 bob: send it\n\nnow"), message(2, "again")], rows: 6, columns: 40,
      plain: true)
    #expect(
      surface.description == """
         --------- Friday 20 November ---------
        14:00 bob: hello
         14:25 bob: send it

         now
        bob: again
        """)
  }

  @Test func `lines of one message stay lines`() async {
    let surface = await picture([message(1, "a\n\nb\nc")], rows: 6, columns: 40, narrow: true)
    #expect(
      surface.description == """
         --------- Friday 20 November ---------
        14:00 bob
              a

              b
              c
        """)
  }

  private var related: [Message] {
    [
      Message(
        id: .init(1), conversation: .bob, sender: .bob, direction: .incoming,
        body: "Then the second, as I said.", sentAt: .minutes(0), originID: "o1",
        reply: .init(id: "x", author: .alice, text: "Which of the two do you mean?\nTell me"),
        edit: .init(originID: "o2")),
      Message(
        id: .init(2), conversation: .bob, sender: .alice, direction: .outgoing, body: "Good",
        sentAt: .minutes(9), originID: "o3", delivery: .read,
        reply: .init(id: "o1", author: nil, text: "Then the first")),
    ]
  }

  @Test func `what is answered is above the answer, and what was corrected says so`() async {
    let wide = await picture(related, rows: 5, columns: 60)
    #expect(
      wide.description == """
         ------------------- Friday 20 November -------------------
         14:00 bob    > you: Which of the two do you mean? Tell~
                      Then the second, as I said. (edited)
         14:09 you    > Then the first                           vv
                      Good
        """)
    let narrow = await picture(related, rows: 8, columns: 40, narrow: true)
    #expect(
      narrow.description == """
         --------- Friday 20 November ---------
        14:00 bob
              > you: Which of the two do you me~
              Then the second, as I said.
              (edited)
        14:09 you
              > Then the first               vv
              Good
        """)
    let plain = await picture(related, rows: 6, columns: 40, plain: true)
    #expect(
      plain.description == """
         --------- Friday 20 November ---------
        > you: Which of the two do you mean? Te~
        14:00 bob: Then the second, as I said.
        (edited)
        > Then the first
        14:09 you: Good vv
        """)
  }

  private var affected: [Message] {
    [
      Message(
        id: .init(1), conversation: .bob, sender: .bob, direction: .incoming,
        body: "The second one, then.", sentAt: .minutes(0), originID: "o1",
        reactions: [
          .init(sender: .bob, isOwn: false, emoji: ["👍"]),
          .init(sender: .alice, isOwn: true, emoji: ["👍", "❤"]),
          .init(sender: .chloe, isOwn: false, emoji: ["🎉", "🎈", "🎂"]),
        ]),
      Message(
        id: .init(2), conversation: .bob, sender: .alice, direction: .outgoing, body: "",
        sentAt: .minutes(9), originID: "o2", delivery: .read, retraction: .author),
      Message(
        id: .init(3), conversation: .bob, sender: .bob, direction: .incoming, body: "",
        sentAt: .minutes(10), originID: "o3", retraction: .moderator),
    ]
  }

  @Test func `reactions are below their message, and a deleted one keeps its position`() async {
    let wide = await picture(affected, rows: 5, columns: 60)
    #expect(
      wide.description == """
         ------------------- Friday 20 November -------------------
         14:00 bob    The second one, then.
                      [👍 2]  [❤]  🎉  🎈  🎂
         14:09 you    (message deleted)
         14:10 bob    (message deleted by a moderator)
        """)
    #expect(wide.roles(row: 2).contains(.reaction) && wide.roles(row: 3).contains(.dim))
    let narrow = await picture(affected, rows: 11, columns: 24, narrow: true)
    #expect(
      narrow.description == """
        14:00 bob
              The second one,
              then.
              [👍 2]  [❤]  🎉
              🎈  🎂
        14:09 you
              (message
              deleted)
        14:10 bob
              (message deleted
              by a moderator)
        """)
    let plain = await picture(affected, rows: 6, columns: 40, plain: true)
    #expect(
      plain.description == """
         --------- Friday 20 November ---------
        14:00 bob: The second one, then.
        [👍 2]  [❤]  🎉  🎈  🎂
        14:09 you: (message deleted)
        14:10 bob: (message deleted by a
        moderator)
        """)
  }

  @Test func `no room at all is no trouble`() async {
    for (rows, columns) in [(0, 0), (1, 1), (1, 200), (30, 2)] {
      _ = await picture([message(1, "hello there")], rows: rows, columns: columns)
      _ = await picture([message(1, "hello there")], rows: rows, columns: columns, narrow: true)
      _ = await picture([message(1, "hello there")], rows: rows, columns: columns, plain: true)
    }
  }
}
