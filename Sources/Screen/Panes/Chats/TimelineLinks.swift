import NatterCore
import Terminal
import Text
import ViewModels

/// Assigns the links of a message to the pieces of its text as they are laid out: a link that wraps
/// consists of several.
struct TimelineLinks {
  private var waiting: ArraySlice<String>
  /// The part of the current link that is not laid out yet.
  private var rest: Substring = ""
  private var link: Hyperlink?
  private var id: Int64
  /// Links of one message beyond this number are not marked.
  private static let limit: Int64 = 64

  init(of item: TimelineItem) {
    waiting = item.links[...]
    id = 0
    if case .message(let message) = item.id {
      id = message.rawValue &* Self.limit
    } else {
      waiting = []
    }
  }

  /// The link that a piece of text belongs to; the pieces come in their order. `nil` for a piece
  /// that is no part of the next link: from then on no link is marked.
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
