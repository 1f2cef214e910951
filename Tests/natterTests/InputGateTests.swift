import Terminal
import Testing

@testable import natter

/// What is typed while nothing can take it.
@Suite struct InputGateTests {
  private final class Log { var events: [InputEvent] = [] }

  private func keys(_ text: String) -> [InputEvent] { text.map { .key(.character($0)) } }

  @Test func `what comes while it is shut is delivered in order when it opens`() {
    let log = Log()
    let gate = InputGate { log.events.append($0) }
    for event in keys("ab") { gate.receive(event) }
    #expect(log.events.isEmpty)
    gate.open(replaying: true)
    gate.receive(.key(.character("c")))
    #expect(log.events == keys("abc"))
    gate.hold()
    for event in keys("de") { gate.receive(event) }
    gate.hold()
    #expect(log.events == keys("abc"))
    gate.open(replaying: true)
    gate.open(replaying: true)
    #expect(log.events == keys("abcde"))
  }

  @Test func `a question is not answered by what was typed before it, and the ways out are open`() {
    let log = Log()
    let gate = InputGate { log.events.append($0) }
    gate.receive(.key(.character("y")))
    gate.receive(.key(.control("q")))
    gate.receive(.hangup)
    gate.open(replaying: false)
    #expect(log.events == [.key(.control("q")), .hangup])
  }

  @Test func `what shuts it again keeps the rest waiting, before what comes later`() {
    let log = Log()
    var gate: InputGate?
    gate = InputGate {
      log.events.append($0)
      if $0 == .key(.character("b")) { gate?.hold() }
    }
    for event in keys("abcd") { gate?.receive(event) }
    gate?.open(replaying: true)
    gate?.receive(.key(.character("e")))
    #expect(log.events == keys("ab"))
    gate?.open(replaying: true)
    #expect(log.events == keys("abcde"))
    gate = nil
  }
}
