import Terminal
import Testing
import ViewModels

@testable import natter

/// Input that arrives while no pane can take it.
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

  @Test func `what waits for an account that goes is dropped, and what comes then is delivered`() {
    let log = Log()
    let gate = InputGate { log.events.append($0) }
    gate.open(replaying: true)
    gate.follow(.waiting)
    for event in keys("ab") { gate.receive(event) }
    gate.forget()
    for event in keys("cd") { gate.receive(event) }
    #expect(log.events == keys("cd"))
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

  @Test func `what is typed while a conversation is being opened waits for it, however often`() {
    let log = Log()
    var gate: InputGate?
    gate = InputGate {
      log.events.append($0)
      if $0 == .key(.character("/")) { gate?.follow(.waiting) }
    }
    gate?.open(replaying: true)
    for event in keys("a/b/c") { gate?.receive(event) }
    #expect(log.events == keys("a/"))
    // Another reason to keep it is over; this one is not.
    gate?.hold()
    gate?.open(replaying: true)
    #expect(log.events == keys("a/"))
    gate?.receive(.key(.control("q")))
    #expect(log.events == keys("a/") + [.key(.control("q"))])
    log.events = []
    gate?.follow(.open)
    #expect(log.events == keys("b/"))
    gate?.hold()
    gate?.follow(.open)
    #expect(log.events == keys("b/"))
    gate?.open(replaying: true)
    #expect(log.events == keys("b/c"))
    gate = nil
  }

  @Test func `where nothing was opened what was typed stays, and nothing of it is done`() {
    let log = Log()
    let gate = InputGate { log.events.append($0) }
    gate.open(replaying: true)
    gate.follow(.waiting)
    for event in keys("ab") + [.key(.enter)] + keys("c") { gate.receive(event) }
    gate.follow(.failed)
    #expect(log.events == keys("ab"))
    gate.receive(.key(.enter))
    #expect(log.events == keys("ab") + [.key(.enter)])
  }

  @Test func `where one of them opens nothing, at once, what was typed after it stays`() {
    let log = Log()
    var gate: InputGate?
    gate = InputGate {
      log.events.append($0)
      guard $0 == .key(.enter) else { return }
      gate?.follow(.waiting)
      gate?.follow(.failed)
    }
    var typed = keys("a1bc2d")
    (typed[1], typed[4]) = (.key(.enter), .key(.control("x")))
    for event in typed { gate?.receive(event) }
    gate?.open(replaying: true)
    #expect(log.events == Array(typed.prefix(4)))
    gate = nil
  }

  @Test func `what one of them gives up is dropped, and what comes after that is for the next`() {
    let log = Log()
    var gate: InputGate?
    gate = InputGate {
      log.events.append($0)
      guard $0 == .key(.enter) else { return }
      gate?.forget()
      gate?.receive(.key(.character("z")))
    }
    var typed = keys("ab1cd")
    typed[2] = .key(.enter)
    for event in typed { gate?.receive(event) }
    gate?.open(replaying: true)
    #expect(log.events == Array(typed.prefix(3)) + keys("z"))
    gate = nil
  }

  @Test func `what was pasted stays like what was typed, and the focus waits for nothing`() {
    let log = Log()
    let gate = InputGate { log.events.append($0) }
    gate.open(replaying: true)
    gate.follow(.waiting)
    for event in keys("a") + [.focus(false), .paste("b c"), .key(.enter)] { gate.receive(event) }
    #expect(log.events == [.focus(false)])
    gate.follow(.failed)
    #expect(log.events == [.focus(false)] + keys("a") + [.paste("b c")])
  }

  @Test func `^C takes away what waits, and is done with that`() {
    let log = Log()
    let gate = InputGate { log.events.append($0) }
    gate.open(replaying: true)
    gate.follow(.waiting)
    for event in keys("secret") + [.key(.control("c"))] + keys("x") { gate.receive(event) }
    #expect(log.events.isEmpty)
    gate.follow(.open)
    #expect(log.events == keys("x"))
    gate.follow(.waiting)
    gate.receive(.key(.control("c")))
    #expect(log.events == keys("x") + [.key(.control("c"))])
  }

  @Test func `the rest of a text for a pane that is gone is for none, whichever opens the gate`() {
    let log = Log()
    let gate = InputGate { log.events.append($0) }
    gate.open(replaying: true)
    gate.drop()
    for event in keys("st") + [.paste("x"), .focus(true), .key(.enter)] { gate.receive(event) }
    gate.hold()
    gate.receive(.key(.character("y")))
    gate.open(replaying: true)
    #expect(log.events == [.focus(true)])
    gate.receive(.key(.control("q")))
    gate.stopDropping()
    for event in keys("ab") { gate.receive(event) }
    #expect(log.events == [.focus(true), .key(.control("q"))] + keys("ab"))
  }
}
