import Terminal

/// Keeps what is typed while there is nothing that takes it: before anything is on the screen, and while one shell gives way
/// to another. The first letters of a command that got lost would turn the rest of it into a message.
final class InputGate {
  private var held: [InputEvent]? = []
  private let deliver: (InputEvent) -> Void

  /// - Parameter deliver: gets the events in the order in which they came.
  init(deliver: @escaping (InputEvent) -> Void) { self.deliver = deliver }

  /// Takes an event: keeps it while the gate is shut. The ways out of the program are always open.
  func receive(_ event: InputEvent) {
    let isWayOut = event == .hangup || event == .key(.control("q")) || event == .key(.control("c"))
    if held != nil, !isWayOut {
      held?.append(event)
    } else {
      deliver(event)
    }
  }

  /// Keeps what comes from now on; what is kept already stays.
  func hold() { held = held ?? [] }

  /// Delivers what comes from now on.
  /// - Parameter replaying: whether also what was kept.
  func open(replaying: Bool) {
    guard let events = held else { return }
    held = nil
    guard replaying else { return }
    for (index, event) in events.enumerated() {
      // One of them may have shut it again: the rest waits with what comes.
      if held != nil {
        held = events[index...] + (held ?? [])
        return
      }
      deliver(event)
    }
  }
}
