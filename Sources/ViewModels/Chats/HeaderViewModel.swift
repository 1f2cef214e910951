import NatterCore
import XMPP

/// Who the open conversation is with: name, address, availability.
package final class HeaderViewModel {
  package let invalidation = Invalidation()
  package var conversation: JID? { didSet { if conversation != oldValue { invalidation.raise() } } }
  /// Whether the messages below have the keys: the title is marked then.
  package var isFocused = false { didSet { if isFocused != oldValue { invalidation.raise() } } }

  private let format: ItemFormat
  private var people = People()

  package init(format: ItemFormat) { self.format = format }

  package func handle(_ event: DomainEvent) {
    if people.apply(event) { invalidation.raise() }
  }

  package var title: String {
    conversation.map { people.name(of: $0) } ?? format.localizer("header.none")
  }

  /// The bare address, where it says more than the title.
  package var address: String {
    guard let conversation else { return "" }
    let text = conversation.description
    return text == title ? "" : text
  }

  package var availability: Availability? { conversation.map { people.availability(of: $0) } }

  /// The availability's sign.
  package var sign: String { availability.map { format.glyphs.presence($0) } ?? "" }

  /// The availability in a word.
  package var presence: String { availability.map { format.presence($0) } ?? "" }

  /// What the contact says of himself, in quotes.
  package var status: String {
    conversation.flatMap { people.status(of: $0) }
      .map { format.localizer("header.status", ["text": $0]) } ?? ""
  }

  /// The name for the terminal's title; empty when nothing is open.
  package var shortTitle: String { conversation == nil ? "" : title }
}
