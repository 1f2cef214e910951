import Terminal

/// The mouse at the edge of a list at the side: it takes hold of it, drags it, lets it go.
struct EdgeDrag {
  enum Step: Hashable { case held, moved(columns: Int), released }

  private(set) var isHeld = false

  /// What `mouse` does to the edge of a list that is at `side`; `nil`: nothing.
  /// - Parameter side: `nil` where the list has no edge, as it is a page of its own or not shown.
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
