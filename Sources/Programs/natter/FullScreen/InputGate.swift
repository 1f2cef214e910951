import Terminal
import ViewModels

/// Holds input while nothing can take it: before anything is on the screen, while one shell
/// replaces another, and while the conversation that it is for is being opened. If the first
/// letters of a command got lost, the rest would become a message, and early input would go to the
/// wrong conversation.
final class InputGate {
  /// The reasons to hold input. Each ends independently.
  nonisolated private enum Reason {
    /// There is nothing on the screen that takes it.
    case shut
    /// The conversation that it is for is being opened.
    case opening
    /// Earlier input is being delivered.
    case replaying
  }

  private var held: [InputEvent] = []
  private var reasons: Set<Reason> = [.shut]
  /// Indicates whether the user's input is discarded, held or not.
  private var isDropping = false
  private let deliver: (InputEvent) -> Void

  var isShut: Bool { reasons.contains(.shut) }

  /// - Parameter deliver: receives the events in the order in which they came.
  init(deliver: @escaping (InputEvent) -> Void) { self.deliver = deliver }

  /// Receives an event, and holds it while there is a reason to. The keys that leave the program
  /// are never held.
  func receive(_ event: InputEvent) {
    if isDropping, event.isOfHand, !event.isWayOut { return }
    // `^C` discards the held input, not the text that is already in the input line.
    if reasons.contains(.opening), !held.isEmpty, event == .key(.control("c")) { return held = [] }
    if reasons.isEmpty || event.isWayOut || event.isFocus {
      deliver(event)
    } else {
      held.append(event)
    }
  }

  /// Discards all input from now on, even if the gate opens meanwhile: it is the rest of a text for
  /// a conversation that is gone.
  func drop() { isDropping = true }

  func stopDropping() { isDropping = false }

  /// Holds input from now on; input that is already held stays.
  func hold() { reasons.insert(.shut) }

  /// Delivers input from now on, unless there is another reason to hold it.
  /// - Parameter replaying: whether held input is delivered as well.
  func open(replaying: Bool) {
    if isShut, !replaying { held = [] }
    reasons.remove(.shut)
    replay()
  }

  /// Holds input while a conversation is being opened, whether the gate is open or not; then
  /// delivers it. If the conversation cannot be opened, only typed text is delivered, so that it
  /// stays visible; no action of the input is run.
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

  /// Discards the held input because another account is on the screen; later input is for that
  /// account.
  func forget() {
    held = []
    reasons.subtract([.shut, .opening])
  }

  private func replay() {
    // A call from within a delivery continues there.
    guard reasons.insert(.replaying).inserted else { return }
    // A delivered event can be a new reason to hold the rest, or discard it.
    while reasons == [.replaying], !held.isEmpty { deliver(held.removeFirst()) }
    reasons.remove(.replaying)
  }
}

extension InputEvent {
  fileprivate var isWayOut: Bool {
    self == .hangup || self == .key(.control("q")) || self == .key(.control("c"))
  }

  /// Indicates whether the user caused it.
  fileprivate var isOfHand: Bool {
    switch self {
    case .key, .paste, .mouse: true
    default: false
    }
  }

  /// Indicates whether it concerns the terminal's window: such events are never too early.
  fileprivate var isFocus: Bool {
    if case .focus = self { true } else { false }
  }

  /// Indicates whether it is plain text.
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
