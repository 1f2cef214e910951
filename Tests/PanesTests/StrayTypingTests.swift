import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Typed text goes to the input, whatever pane has the focus.
@Suite struct StrayTypingTests {
  private let size = Size(rows: 24, columns: 80)
  private let room = JID(local: "den", domain: "rooms.example.org")

  private func inMembers() async -> ShellHarness {
    let harness = await ShellHarness(size)
    harness.handle(.conversationsChanged([Conversation(jid: room, kind: .room)]))
    harness.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    harness.handle(
      .occupantsChanged(
        OccupantChanges(room: room, changed: [Occupant(nick: "alice"), Occupant(nick: "bob")])))
    harness.shell.open(room)
    await harness.settle()
    harness.press(.alt("m"))
    return harness
  }

  @Test func `the list of members has its own keys in the hint bar, and no others`() async throws {
    let harness = await inMembers()
    #expect(harness.shell.members.isFocused)
    let hints = try #require(harness.rows.last { !$0.isEmpty })
    for word in ["Filter", "Add", "Remove"] { #expect(!hints.contains(word), "\(hints)") }
    #expect(hints.contains("Open"), "\(hints)")
  }

  @Test(arguments: ["/msg bob@example.net hello", "add milk", "what now", "see you"])
  func `what is typed over the list of members is whole in the input`(text: String) async {
    let harness = await inMembers()
    harness.type(text)
    #expect(harness.shell.input.text == text)
  }

  @Test func `the list of conversations takes what it has keys for, and no other letters`() async {
    let harness = await ShellHarness(size)
    harness.press(.alt("m"), .escape, Key(.tab))
    while !harness.shell.sidebar.isFocused { harness.press(Key(.tab)) }
    harness.type("well then")
    #expect(harness.shell.input.text == "well then")
  }

  private final class Chosen { var all: [String] = [] }

  private func alert(_ harness: ShellHarness, _ chosen: Chosen) {
    harness.coordinator.present(
      DialogPane(
        viewModel: DialogViewModel(
          Dialog(
            title: "Not connected", level: .error, lines: [.text("why")],
            buttons: [.init("tryNow", "Try now"), .init("hide", "Hide")]),
          onPress: { chosen.all.append($0) }, onCancel: { chosen.all.append("gone") }),
        glyphs: .ascii, localizer: english(), comesByItself: true))
  }

  @Test func `a dialog that came by itself goes when the user types, and takes no letter of it`()
    async
  {
    let harness = await ShellHarness(size)
    let chosen = Chosen()
    alert(harness, chosen)
    harness.type(" try this now")
    #expect(harness.shell.input.text == " try this now")
    #expect(harness.coordinator.openOverlays.isEmpty && chosen.all == ["gone"])
    alert(harness, chosen)
    harness.coordinator.handle(.paste(" or that"))
    #expect(harness.shell.input.text == " try this now or that")
    #expect(harness.coordinator.openOverlays.isEmpty)
  }

  @Test func `its own keys are its own`() async {
    let harness = await ShellHarness(size)
    let chosen = Chosen()
    alert(harness, chosen)
    harness.press(Key(.right), .enter)
    #expect(chosen.all == ["hide"])
    alert(harness, chosen)
    harness.press(.escape)
    #expect(chosen.all == ["hide", "gone"])
    #expect(harness.shell.input.text.isEmpty)
  }
}
