import NatterCore
import Terminal
import Text
import ViewModels

/// Assigns the links of a message to the pieces of its text as they are laid out: a link that wraps
/// consists of several, and links of scripts may follow each other in one.
struct LinkPieces {
  /// All links, in order.
  let links: [TimelineItem.Link]
  /// The current link, and the part of it that is not laid out yet, without white space: where a
  /// row ends, that is not laid out.
  private var index = -1
  private var rest: [Character] = []
  private var isFirst = true

  init(of item: TimelineItem) { links = item.linkParts }

  /// A part of a piece of text.
  struct Part {
    var text: String
    /// The index of its link; `nil`: it is no part of the next link, and from then on there is
    /// none.
    let link: Int?
    /// Indicates whether the link begins there.
    let isFirst: Bool
  }

  /// Returns the parts of a piece; the pieces come in their order.
  mutating func parts(of piece: String) -> [Part] {
    var parts: [Part] = []
    var text = ""
    var isEmpty = true
    func part(_ link: Int?) -> Part { Part(text: text, link: link, isFirst: isFirst) }
    for character in piece {
      guard !character.isWhitespace else {
        text.append(character)
        continue
      }
      if rest.isEmpty {
        if !isEmpty {
          parts.append(part(index))
          (text, isEmpty) = ("", true)
        }
        begin()
      }
      if rest.last == character {
        rest.removeLast()
        isEmpty = false
      } else {
        (index, rest, isEmpty) = (links.count, [], true)
      }
      text.append(character)
    }
    guard !text.isEmpty else { return parts }
    let isLink = links.indices.contains(index)
    parts.append(part(isLink ? index : nil))
    if isLink, !isEmpty { isFirst = false }
    return parts
  }

  /// Goes to the next link.
  private mutating func begin() {
    repeat {
      index = min(index + 1, links.count)
      guard index < links.count else { return }
      rest = links[index].text.filter { !$0.isWhitespace }.reversed()
    } while rest.isEmpty
    isFirst = true
  }
}

/// The links of a message that the terminal opens on a click.
struct TimelineLinks {
  private var pieces: LinkPieces
  private let message: Int64?
  /// Links of one message beyond this number are not marked.
  private static let limit = 64

  init(of item: TimelineItem) {
    pieces = LinkPieces(of: item)
    if case .message(let id) = item.id { message = id.rawValue } else { message = nil }
  }

  /// Returns the parts of a piece of text, each with its link; the pieces come in their order.
  mutating func parts(of piece: String) -> [(text: String, link: Hyperlink?)] {
    pieces.parts(of: piece).map { part in (part.text, part.link.flatMap(hyperlink)) }
  }

  private func hyperlink(_ index: Int) -> Hyperlink? {
    guard let message, index < Self.limit else { return nil }
    let link = pieces.links[index]
    // The terminal would open what a script has put below another text without showing it.
    guard link.address.utf8.elementsEqual(link.text.utf8) else { return nil }
    return Hyperlink(link.address, id: message &* Int64(Self.limit) &+ Int64(index))
  }
}
