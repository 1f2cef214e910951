import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// Lines that quote somebody, and what is styled in them (interface.md, "Messages").
@Suite struct QuoteTests {
  private func picture(
    _ body: String, rows: Int, columns: Int, glyphs: Glyphs = .ascii, plain: Bool = false
  ) async -> Surface {
    await TimelinePaneTests().picture(
      [message(1, body)], rows: rows, columns: columns, plain: plain, glyphs: glyphs)
  }

  /// The roles of a text at its position.
  private func roles(of text: String, in surface: Surface) throws -> Set<StyleRole> {
    let row = try #require((0..<surface.size.rows).first { surface.text(row: $0).contains(text) })
    let line = surface.text(row: row)
    let start = line.distance(
      from: line.startIndex, to: try #require(line.range(of: text)).lowerBound)
    return Set(surface.roles(row: row)[start..<start + text.count])
  }

  @Test func `each row of a quote begins with the marks of one, and no row of an answer`() async {
    let body =
      "> one two three four five six\n> > seven eight nine ten\n>\n"
      + "and an answer that is as long\n>https://example.org/as/long/as/this"
    let surface = await picture(body, rows: 11, columns: 41)
    #expect(
      surface.description == """

         --------- Friday 20 November ----------
         14:00 bob    > one two three four
                      > five six
                      > > seven eight nine
                      > > ten
                      >
                      and an answer that is
                      as long
                      >https://example.org/
                      >as/long/as/this
        """)
  }

  @Test func `deeper than there is room for, nothing of it is lost`() async {
    let marks = String(repeating: ">", count: 30)
    let surface = await picture(marks + "a b", rows: 8, columns: 41)
    let text = surface.description.filter { ">ab".contains($0) }
    #expect(text.filter { $0 == ">" }.count >= 30 && text.contains("ab"), "\(surface)")
  }

  @Test func `what is copied or heard has the marks that were written, and no more`() async {
    let body = "> one two three four five six seven eight"
    for surface in [
      await picture(body, rows: 6, columns: 24, plain: true),
      await picture(body, rows: 6, columns: 24, glyphs: .linear),
    ] {
      #expect(surface.description.filter { $0 == ">" }.count == 1, "\(surface)")
      #expect(surface.description.contains("eight"))
    }
  }

  @Test func `that it was corrected is shown below a quote, and not in it`() async {
    let surface = await TimelinePaneTests().picture(
      [
        Message(
          id: .init(1), conversation: .bob, sender: .bob, direction: .incoming, body: "> so",
          sentAt: .minutes(0), originID: "o1", edit: .init(originID: "o2"))
      ], rows: 5, columns: 41)
    #expect(surface.description.hasSuffix("> so\n              (edited)"), "\(surface)")
  }

  @Test func `a part can be several things at once`() async throws {
    let surface = await picture(
      "*b _both_ https://a.b* ~s *t*~\n> q *w* _e_ `c` https://c.d", rows: 6, columns: 80)
    #expect(try roles(of: "*b ", in: surface) == [.strong])
    #expect(try roles(of: "_both_", in: surface) == [.strong.adding(.underline)])
    #expect(try roles(of: "https://a.b", in: surface) == [.link.adding(.bold)])
    #expect(try roles(of: "*t*", in: surface) == [.strike.adding(.bold)])
    #expect(try roles(of: "> q ", in: surface) == [.quote])
    #expect(try roles(of: "*w*", in: surface) == [.quote.adding(.bold)])
    #expect(try roles(of: "_e_", in: surface) == [.quote.adding(.underline)])
    #expect(try roles(of: "`c`", in: surface) == [.code])
    #expect(try roles(of: "https://c.d", in: surface) == [.link])
    #expect(surface.links.map(\.link.address) == ["https://a.b", "https://c.d"])
  }

  private static let quoted = "https://quoted.example/path/that/wraps/because/it/is/long"

  @Test func `a link in a quote is numbered, and opens on each row that it is on`() async throws {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 60),
      ports: FakePorts(
        messages: [message(1, "> see *\(Self.quoted)*\nanswer: https://plain.example/x")],
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))],
        contacts: [Contact(jid: .bob, name: "Bob", subscription: .both)], now: .minutes(3)))
    let rows = harness.rows.indices.filter { row in
      harness.screen.shown.roles(row: row).contains(.link.adding(.bold))
    }
    #expect(rows.count > 1 && rows.allSatisfy { harness.rows[$0].contains("> ") })
    for row in rows {
      let column = try #require(
        harness.screen.shown.roles(row: row).lastIndex(of: .link.adding(.bold)))
      for action in [MouseEvent.Action.press, .release] {
        harness.coordinator.handle(
          .mouse(MouseEvent(action, button: 1, at: Point(row: row, column: column))))
      }
    }
    #expect(harness.done == rows.map { _ in "link \(Self.quoted)" })
    harness.press(.control("x"), .character("o"))
    #expect(harness.rows.contains { $0.contains("1ttps://") })
    #expect(harness.rows.contains { $0.contains("2ttps://") })
  }
}
