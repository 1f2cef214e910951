import Terminal

/// A drag of the edge of a list at the side with the mouse.
struct EdgeDrag {
  enum Step: Hashable { case held, moved(columns: Int), released }

  private(set) var isHeld = false

  /// The effect of `mouse` on the edge of a list at `side`; `nil`: none.
  /// - Parameter side: `nil` where the list has no edge, because it is a separate page or hidden.
  mutating func take(_ mouse: MouseEvent, side: Rect?) -> Step? {
    switch mouse.action {
    case .press where mouse.button == 1:
      guard let side, side.contains(mouse.at),
        mouse.at.column == side.origin.column + side.size.columns - 1
      else { return nil }
      isHeld = true
      return .held
    case .drag where isHeld: return .moved(columns: mouse.at.column + 1)
    case .release where isHeld:
      isHeld = false
      return .released
    default: return nil
    }
  }
}
