/// The panes that take keys, in the order Tab goes through them.
nonisolated package enum FocusTarget: Hashable, Sendable {
  case sidebar, messages, request, input, details
  /// What follows on the rows of the sidebar: Tab goes on from there, and not to it.
  case accounts

  /// The bindings that hold while it has the focus.
  package var context: KeyBinding.Context {
    switch self {
    case .sidebar, .accounts, .details, .request: .list
    case .messages: .messages
    case .input: .input
    }
  }
}

/// Which of the panes that are on the screen has the focus.
nonisolated package struct FocusRing: Hashable, Sendable {
  package private(set) var targets: [FocusTarget]
  package private(set) var current: FocusTarget

  package init(_ targets: [FocusTarget] = [.input], current: FocusTarget = .input) {
    self.targets = targets
    self.current = current
  }

  /// Takes the panes that are there now; a focus whose pane is gone goes to the input, or to the last of them.
  package mutating func update(_ targets: [FocusTarget]) {
    self.targets = targets
    guard !targets.contains(current), let last = targets.last else { return }
    current = targets.contains(.input) ? .input : last
  }

  package mutating func focus(_ target: FocusTarget) {
    if targets.contains(target) { current = target }
  }

  /// Goes on by `step` panes, round the end.
  package mutating func move(_ step: Int) {
    guard let index = targets.firstIndex(of: current) else { return }
    current = targets[(index + step + targets.count) % targets.count]
  }
}
