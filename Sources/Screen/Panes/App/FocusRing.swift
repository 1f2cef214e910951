import Keys

/// The panes that take keys, in the order of Tab.
nonisolated package enum FocusTarget: Hashable, Sendable {
  case sidebar, messages, request, input, details
  /// The list after the rows of the sidebar: Tab skips it, and goes on from the sidebar when it has
  /// the focus.
  case accounts

  /// The context of the bindings while it has the focus.
  package var context: KeyBinding.Context {
    switch self {
    case .sidebar, .accounts, .details, .request: .list
    case .messages: .messages
    case .input: .input
    }
  }
}

/// The focus among the panes that are on the screen.
nonisolated package struct FocusRing: Hashable, Sendable {
  package private(set) var targets: [FocusTarget]
  package private(set) var current: FocusTarget

  package init(_ targets: [FocusTarget] = [.input], current: FocusTarget = .input) {
    self.targets = targets
    self.current = current
  }

  /// Sets the panes that are on the screen now; if the focused pane is gone, the focus goes to the
  /// input, or to the last of them.
  package mutating func update(_ targets: [FocusTarget]) {
    self.targets = targets
    guard !targets.contains(current), let last = targets.last else { return }
    current = targets.contains(.input) ? .input : last
  }

  /// Moves the focus to `target`; does nothing if it is not on the screen.
  package mutating func focus(_ target: FocusTarget) {
    if targets.contains(target) { current = target }
  }

  /// Moves the focus by `step` panes, wrapping around.
  package mutating func move(_ step: Int) {
    guard let index = targets.firstIndex(of: current) else { return }
    current = targets[(index + step + targets.count) % targets.count]
  }
}
