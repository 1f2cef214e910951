import Foundation
import NatterCore
import Testing
import XMPP

@testable import ViewModels

@Suite struct TimelineIncidentTests {
  private let format = ItemFormat(
    localizer: formTexts(), account: JID(local: "alice", domain: "example.org"))

  @Test func `what is shown under a room that one is not in has no placeholders`() {
    let jid = JID(local: "tea", domain: "rooms.example.org")
    let exits: [RoomExit?] =
      [nil] + RoomExit.Cause.allCases.map { RoomExit($0, actor: "bob", reason: "noise") }
    for exit in exits {
      let room = Room(jid: jid, nick: "alice", phase: .outside, exit: exit)
      let text = TimelineIncident.absence(in: room, format: format)
      #expect(text?.contains("{") == false, "\(String(describing: exit)): \(text ?? "nothing")")
    }
    let left = TimelineIncident.absence(
      in: Room(jid: jid, nick: "alice", phase: .outside), format: format)
    #expect(left?.contains(jid.description) == true)
    let broken = TimelineIncident.absence(
      in: Room(
        jid: jid, nick: "al\u{85}ice", phase: .outside,
        exit: RoomExit(.kicked, actor: "b\nob", reason: "no\r\nise")), format: format)
    #expect(broken?.contains("b ob") == true && broken?.contains("no ise") == true)
  }

  @Test func `why entry is refused is the room's text, where no one is named`() {
    let jid = JID(local: "tea", domain: "rooms.example.org")
    func reported(_ exit: RoomExit) -> String {
      TimelineIncident.absence(
        in: Room(jid: jid, nick: "alice", phase: .outside, exit: exit), format: format) ?? ""
    }
    #expect(
      reported(RoomExit(.refused, reason: "full of noise"))
        .contains(#"(tea@rooms.example.org says: "full of noise")"#))
    #expect(reported(RoomExit(.kicked, actor: "bob", reason: "noise")).contains("by bob (noise)"))
    #expect(!reported(RoomExit(.refused)).contains("says"))
  }
}
