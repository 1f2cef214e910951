import Terminal
import ViewModels

/// Keeps what is typed while there is nothing that takes it: before anything is on the screen, while one shell gives way to
/// another, and while the conversation that it is for is being opened. The first letters of a command that got lost would
/// turn the rest of it into a message, and words that came too early would go to somebody else.
final class InputGate {
  /// Why what comes is kept. One does not end with another.
  nonisolated private enum Reason {
    /// There is nothing on the screen that takes it.
    case shut
    /// The conversation that it is for is being opened.
    case opening
    /// What came before it is being delivered.
    case replaying
  }

  private var held: [InputEvent] = []
  private var reasons: Set<Reason> = [.shut]
  /// Whether what a person types is for nobody, kept or not.
  private var isDropping = false
  private let deliver: (InputEvent) -> Void

  var isShut: Bool { reasons.contains(.shut) }

  /// - Parameter deliver: gets the events in the order in which they came.
  init(deliver: @escaping (InputEvent) -> Void) { self.deliver = deliver }

  /// Takes an event: keeps it while there is a reason to. The ways out of the program are always open.
  func receive(_ event: InputEvent) {
    if isDropping, event.isOfHand, !event.isWayOut { return }
    // Who takes back what he has typed means what waits, not what stands in the input before it.
    if reasons.contains(.opening), !held.isEmpty, event == .key(.control("c")) { return held = [] }
    if reasons.isEmpty || event.isWayOut || event.isFocus {
      deliver(event)
    } else {
      held.append(event)
    }
  }

  /// Throws away what is typed from now on, whoever opens the gate meanwhile: the rest of words to somebody who is gone.
  func drop() { isDropping = true }

  func stopDropping() { isDropping = false }

  /// Keeps what comes from now on; what is kept already stays.
  func hold() { reasons.insert(.shut) }

  /// Delivers what comes from now on, unless it has to wait.
  /// - Parameter replaying: whether also what was kept.
  func open(replaying: Bool) {
    if isShut, !replaying { held = [] }
    reasons.remove(.shut)
    replay()
  }

  /// Keeps what comes while a conversation is being opened, whether the gate is open or not; then it is delivered. Where
  /// there is no such conversation, what was typed stays where it can be seen, and nothing of it is done.
  func follow(_ change: PendingOpens.Change) {
    switch change {
    case .waiting: reasons.insert(.opening)
    case .open: reasons.remove(.opening)
    case .failed:
      reasons.remove(.opening)
      held = Array(held.prefix(while: \.isTyped))
    }
    replay()
  }

  /// Another account is on the screen: what was kept is for nobody, and what comes from now on is for that one.
  func forget() {
    held = []
    reasons.subtract([.shut, .opening])
  }

  private func replay() {
    // Done within one that is being delivered, it goes on there.
    guard reasons.insert(.replaying).inserted else { return }
    // One of them may be a new reason: the rest waits with what comes. One may also give up the rest.
    while reasons == [.replaying], !held.isEmpty { deliver(held.removeFirst()) }
    reasons.remove(.replaying)
  }
}

extension InputEvent {
  fileprivate var isWayOut: Bool {
    self == .hangup || self == .key(.control("q")) || self == .key(.control("c"))
  }

  /// Whether a person did it to what is on the screen.
  fileprivate var isOfHand: Bool {
    switch self {
    case .key, .paste, .mouse: true
    default: false
    }
  }

  /// Whether it tells of the terminal, not of what is in it: never too early.
  fileprivate var isFocus: Bool {
    if case .focus = self { true } else { false }
  }

  /// Whether it is text, and no more than that.
  fileprivate var isTyped: Bool {
    switch self {
    case .paste: return true
    case .key(let key):
      guard key.modifiers.isEmpty, case .character = key.code else { return false }
      return true
    default: return false
    }
  }
}
