import NatterCore
import Testing

@testable import MessagingService

@Suite struct PoisonGuardTests {
  private let waiting = ["m1", "m2", "m3"].map { Message.queued($0) }

  /// A guard after a server ended the connection while these were in progress.
  private func suspecting(_ ids: [String]) -> PoisonGuard {
    var poison = PoisonGuard()
    #expect(poison.noteRefused(written: ids) == nil)
    poison.endAttempt()
    return poison
  }

  @Test func `without suspects everything is written at once`() {
    var poison = PoisonGuard()
    poison.begin("m1")
    #expect(poison.attempt == nil)
    #expect(poison.writable(of: waiting) == waiting)
  }

  @Test func `while there are suspects messages are written one at a time`() {
    var poison = suspecting(["m1", "m2"])
    #expect(poison.writable(of: waiting).map(\.originID) == ["m1"])
    poison.begin("m1")
    #expect(poison.writable(of: waiting).isEmpty)
    // Stanzas that are no messages are acknowledged first.
    #expect(poison.noteAcknowledged(["receipt"]) == false)
    #expect(poison.noteAcknowledged(["receipt", "m1"]) == true)
    #expect(poison.suspects == ["m2"])
    #expect(poison.writable(of: Array(waiting.dropFirst())).map(\.originID) == ["m2"])
  }

  @Test func `when all suspects are through everything is written at once again`() {
    var poison = suspecting(["m1"])
    poison.begin("m1")
    #expect(poison.noteAcknowledged(["m1"]) == true)
    #expect(poison.writable(of: waiting) == waiting)
  }

  @Test func `a suspect that is under way alone at the next such end is at fault`() {
    var poison = suspecting(["m1", "m2"])
    poison.begin("m1")
    #expect(poison.noteRefused(written: ["m1"]) == "m1")
    #expect(poison.suspects == ["m2"])
  }

  @Test func `a message that was under way alone for the first time is a suspect`() {
    var poison = suspecting(["m2"])
    poison.begin("m1")
    #expect(poison.noteRefused(written: ["m1"]) == nil)
    #expect(poison.suspects == ["m1", "m2"])
  }

  @Test func `a message that the connection did not take leaves the next attempt free`() {
    var poison = suspecting(["m1"])
    poison.begin("m1")
    poison.endAttempt()
    #expect(poison.writable(of: waiting).map(\.originID) == ["m1"])
    #expect(poison.suspects == ["m1"])
  }

  @Test func `a message that is no longer queued is no suspect`() {
    var poison = suspecting(["m1", "m2"])
    poison.keepSuspects(among: ["m2", "m3"])
    #expect(poison.suspects == ["m2"])
  }

  @Test func `the suspects of an earlier run are added once`() {
    var poison = suspecting(["m1"])
    poison.recall(["m2"])
    poison.keepSuspects(among: ["m1"])
    poison.recall(["m2"])
    #expect(poison.suspects == ["m1"] && poison.hasRecalled)
  }
}
