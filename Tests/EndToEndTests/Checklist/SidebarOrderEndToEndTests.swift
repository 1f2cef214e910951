import Foundation
import TestSupport
import Testing

/// The user's own order and width of the list of conversations, kept over restarts.
@Suite(.limitedConcurrency) struct SidebarOrderEndToEndTests {
  /// The rows of the list, up to its edge.
  static func list(_ screen: VirtualTerminal) -> [String] {
    screen.lines.dropFirst().compactMap { line in
      line.firstIndex(of: "│").map { line[..<$0].split(separator: " ").joined(separator: " ") }
    }.filter { !$0.isEmpty }
  }

  @Test func `pins, numbers and the width are there after a restart`() async throws {
    let run = try await NatterRun.chatting()
    for name in ["ann", "bob"] { try await run.open(chat: "\(name)@localhost") }
    try await run.say("/number 7")
    try await run.shows("bob@localhost has the number 7 now.")
    try await run.say("/pin")
    try await run.shows("bob@localhost is pinned.")
    let order = ["PINNED", ">7 · bob@localhost", "DIRECT", "1 ● Natter", "2 · ann@localhost"]
    try await run.expects("the new order") { Self.list($0) == order }
    // The edge goes where the mouse takes it.
    run.terminal.type("\u{1b}[<0;22;9M\u{1b}[<32;26;9M\u{1b}[<32;31;9M\u{1b}[<0;31;9m")
    try await run.expects("a list of 31 columns") { $0[5, 30].text == "│" }
    #expect(await run.quit() == .exited(0))

    let again = try run.startsAgain(rows: 24, columns: 80)
    try await again.waitsOnline()
    try await again.expects("the same order and width") {
      Self.list($0).map { $0.drop { $0 == ">" } } == order.map { $0.drop { $0 == ">" } }
        && $0[5, 30].text == "│"
    }
    again.terminal.press(.alt("7"))
    try await again.expects("bob open") { $0.text(row: 1, columns: 31..<80).contains("bob") }
    #expect(await again.quit() == .exited(0))
  }
}
