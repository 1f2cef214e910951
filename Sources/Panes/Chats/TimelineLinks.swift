import NatterCore
import Terminal
import ViewModels

/// The links of a message, handed out to the pieces of its text as they are laid out: one that wraps is in several.
struct TimelineLinks {
  private var waiting: ArraySlice<String>
  /// What has not been laid out of the first of them.
  private var rest: Substring = ""
  private var link: Hyperlink?
  private var id: Int64
  /// More links of one message than these are not marked.
  private static let limit: Int64 = 64

  init(of item: TimelineItem) {
    waiting = item.spans.filter { $0.style.contains(.link) }.map(\.text)[...]
    id = 0
    if case .message(let message) = item.id {
      id = message.rawValue &* Self.limit
    } else {
      waiting = []
    }
  }

  /// The link that a piece of it is a part of; they come in their order. `nil` where what comes is none of them: then none
  /// is marked any more.
  mutating func next(_ piece: String) -> Hyperlink? {
    if rest.isEmpty {
      guard let text = waiting.popFirst() else { return nil }
      link = Hyperlink(text, id: id)
      id &+= 1
      rest = text[...]
      if id % Self.limit == 0 { waiting = [] }
    }
    guard rest.hasPrefix(piece) else {
      (waiting, rest) = ([], "")
      return nil
    }
    rest = rest.dropFirst(piece.count)
    return link
  }
}
