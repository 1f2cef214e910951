import ChatsFixtures
import NatterCore
import Terminal
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// The occupants of a room, and its settings.
@Suite struct RoomSnapshotTests {
  private static let room = JID(local: "den", domain: "rooms.example.org")

  private static let people = [
    Occupant(nick: "bob", role: .moderator, affiliation: .owner),
    Occupant(nick: "alice", role: .participant, affiliation: .admin, availability: .away),
    Occupant(nick: "Chloé", role: .participant, affiliation: .member),
    Occupant(nick: "張偉 from the other side of the world", role: .participant),
    Occupant(nick: "lurker", role: .visitor, availability: .busy),
  ]

  private func members(_ people: [Occupant], focused: Bool = false) -> MembersPane {
    let model = MembersViewModel(format: testFormat())
    model.show(Self.room)
    model.load(people, of: Self.room)
    model.handle(.roomsChanged([Room(jid: Self.room, nick: "alice", phase: .inside)]))
    model.isFocused = focused
    if focused { model.moveSelection(.max) }
    return MembersPane(viewModel: model, glyphs: .ascii)
  }

  private func picture(_ pane: MembersPane, _ columns: Int, _ rows: Int) -> String {
    var surface = Surface(size: Size(rows: rows, columns: columns))
    pane.draw(into: &surface)
    return surface.description
  }

  @Test func `the members at 24x12: moderators first, then by name`() {
    #expect(
      picture(members(Self.people), 24, 12) == """
        | 5 people
        | MODERATORS
        | * bob               *
        | PEOPLE
        | o alice (you)       +
        | * Chloé
        | * 張偉 from the othe~
        | VISITORS
        | x lurker
        |
        |
        |
        """)
  }

  @Test func `the members at 14x5, the last selected, scrolled`() {
    let pane = members(Self.people, focused: true)
    #expect(
      picture(pane, 14, 5) == """
        |>5 people
        | * Chloé
        | * 張偉 fro~
        | VISITORS
        |>x lurker
        """)
  }

  @Test func `a room with no one in it`() {
    #expect(
      picture(members([]), 24, 4) == """
        | 0 people
        |
        |
        |
        """)
  }

  @Test func `of two thousand only those in sight are drawn`() {
    let many = (1...2000).map { Occupant(nick: "somebody \($0)") }
    #expect(
      picture(members(many), 24, 5) == """
        | 2000 people
        | PEOPLE
        | * somebody 1
        | * somebody 10
        | * somebody 100
        """)
  }

  private func settings() -> FormPane {
    let model = RoomFormViewModel(
      DataForm(
        instructions: ["What others see of the room, and who comes in."],
        fields: [
          .init(name: "name", kind: .text, label: "Name", values: ["The den"]),
          .init(name: "secret", kind: .secret, label: "Password", values: ["sesame"]),
          .init(name: "members", kind: .boolean, label: "Members only", values: ["1"]),
          .init(
            name: "whois",
            kind: .choice([
              .init(label: "Moderators", value: "moderators"),
              .init(label: "Anyone", value: "anyone"),
            ]), label: "Who sees addresses", values: ["moderators"]),
          .init(name: "", kind: .note, label: "The rest is for experts."),
        ]), title: "Settings of The den", localizer: english())
    return FormPane(glyphs: .ascii, localizer: english()) { model.form }
  }

  @Test func `the settings at 80x24`() {
    #expect(
      PanesTests.picture(settings(), 80, 24) == """
        +- Settings of The den ------------------------------------------+
        |                                                                |
        |  What others see of the room, and who comes in.                |
        |>Name                  [The den                               ] |
        | Password              [******                                ] |
        | [x] Members only                                               |
        | Who sees addresses    < Moderators >                           |
        |  The rest is for experts.                                      |
        |                                                                |
        |                                                                |
        |                                                                |
        |                                                                |
        |                                                                |
        | [ Save ]   [ Cancel ]                                          |
        |                                                                |
        | Enter save   Esc close                                         |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `the settings at 40x15`() {
    #expect(
      PanesTests.picture(settings(), 40, 15) == """
        +- Settings of The den ----------------+
        | What others see of the room, and who |
        | comes in.                            |
        |>Name         [The den              ] |
        | Password     [******               ] |
        | [x] Members only                     |
        | Who sees     < Moderators >          |
        | addresses                            |
        | The rest is for experts.             |
        |                                      |
        |                                      |
        |                                      |
        | [ Save ] [ Cancel ]                  |
        +--------------------------------------+
        Enter save  Esc close
        """)
  }
}
