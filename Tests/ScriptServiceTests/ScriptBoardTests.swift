import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ScriptService

/// What scripts have on the screen.
@Suite(.timeLimit(.minutes(1))) struct ScriptBoardTests {
  private let clock = ManualClock()
  private let board: ScriptBoard
  private let ledger: RightsLedger

  init() {
    let clock = clock
    board = ScriptBoard(
      clock: BridgeClock(now: { clock.date }, sleep: { try await clock.sleep(for: $0) }))
    var manifest = ScriptManifest(title: "Bot", version: "1", run: ["./bot"])
    manifest.permissions = [.init(.status, why: "to count"), .init(.panes, why: "to list")]
    var entry = ScriptGrants.Entry()
    for right in [ScriptRight.status, .panes] {
      entry.add(ScriptGrants.StoredGrant(ScriptGrant(right), given: clock.date))
    }
    ledger = RightsLedger(manifest, entry)
  }

  private func item(
    _ text: String, id: String = "count", of script: String = "bot", for time: Duration? = nil
  ) -> ScriptStatusItem {
    ScriptStatusItem(
      script: script, id: id, text: text, role: .plain,
      until: time.map { clock.date.addingTimeInterval($0 / .seconds(1)) })
  }

  private var texts: [String] { board.statusItems.map(\.text) }

  @Test func `the newest item of each script and id is shown, and none without text`() {
    board.set(item("1"), ledger)
    board.set(item("b", id: "build"), ledger)
    board.set(item("a", of: "adder"), ledger)
    board.set(item("2"), ledger)
    #expect(texts == ["a", "b", "2"])
    board.set(item(""), ledger)
    #expect(texts == ["a", "b"])
    board.clear("bot")
    #expect(texts == ["a"])
  }

  @Test func `an item goes when its time has passed, and one that is set again does not`()
    async throws
  {
    board.set(item("short", for: .seconds(10)), ledger)
    #expect(await clock.waits(untilSleeping: 1))
    board.set(item("long", for: .seconds(60)), ledger)
    #expect(try await polls { clock.sleeps == [.seconds(60)] })
    clock.advance(by: .seconds(59))
    #expect(texts == ["long"])
    clock.advance(by: .seconds(1))
    #expect(try await polls { texts.isEmpty })
  }

  @Test func `an item goes with its right, and comes with it`() {
    board.set(item("1"), ledger)
    ledger.revoke(.status)
    board.check("bot", ledger)
    #expect(texts.isEmpty)
    board.set(item("2"), ledger)
    #expect(texts.isEmpty)
    ledger.addSession(ScriptGrant(.status))
    board.set(item("3"), ledger)
    #expect(texts == ["3"])
  }

  @Test func `an item of a right that was given once stays`() {
    var manifest = ScriptManifest(title: "Bot", version: "1", run: ["./bot"])
    manifest.permissions = [.init(.status, why: "to count")]
    let ledger = RightsLedger(manifest, ScriptGrants.Entry())
    board.set(item("1"), ledger)
    board.check("bot", ledger)
    #expect(texts == ["1"])
  }

  @Test func `a pane is there until its right is taken back, or its script ends`() {
    func open(_ id: String, of script: String = "bot") {
      board.set(ScriptPane(script: script, id: id, title: id), ledger)
    }
    open("list")
    open("other")
    open("list", of: "adder")
    #expect(board.pane("list", of: "bot")?.title == "list")
    #expect(board.pane("none", of: "bot") == nil)
    board.clear("bot")
    #expect(board.pane("list", of: "bot") == nil && board.pane("other", of: "bot") == nil)
    #expect(board.pane("list", of: "adder") != nil)
    open("list")
    ledger.revoke(.panes)
    board.check("bot", ledger)
    open("list")
    #expect(board.pane("list", of: "bot") == nil)
  }

  @Test func `only what is different is reported`() async {
    let changes = board.changes.follow()
    board.set(item("1"), ledger)
    board.set(item("1"), ledger)
    board.set(item(""), ledger)
    board.set(item(""), ledger)
    board.clear("bot")
    board.changes.send(.list)
    var count = 0
    for await change in changes {
      if change == .list { break }
      count += 1
    }
    #expect(count == 2)
  }
}
