import NatterCore
import XMPP

/// Who the open conversation is with: name, address, availability.
package final class HeaderViewModel {
  package let invalidation = Invalidation()
  package var conversation: JID? { didSet { if conversation != oldValue { invalidation.raise() } } }
  /// Whether the messages below have the keys: the title is marked then.
  package var isFocused = false { didSet { if isFocused != oldValue { invalidation.raise() } } }

  private let format: ItemFormat
  private var people: People
  private var isOnline = false

  package init(format: ItemFormat) {
    self.format = format
    people = People(own: OwnNames(format))
  }

  /// Knows of people what another one knows.
  func learn(from other: HeaderViewModel) { (people, isOnline) = (other.people, other.isOnline) }

  package func handle(_ event: DomainEvent) {
    var isNews = people.apply(event)
    if case .connectionChanged(let state) = event, state.isOnline != isOnline {
      isOnline = state.isOnline
      isNews = true
    }
    if isNews { invalidation.raise() }
  }

  private var room: Room? {
    conversation.flatMap { people.isRoom($0) ? people.room($0) : nil }
  }

  private var isRoom: Bool { conversation.map { people.isRoom($0) } ?? false }

  package var title: String {
    conversation.map {
      (isRoom ? format.glyphs.room + " " : "") + format.shown(people.name(of: $0))
    }
      ?? format.localizer("header.none")
  }

  /// The bare address, where it says more than the title.
  package var address: String {
    guard let conversation else { return "" }
    // What a room is about says more than where it is.
    if let room, !room.subject.isEmpty { return "" }
    let text = conversation.shown
    return text == title || title.hasSuffix("(\(text))") ? "" : text
  }

  package var availability: Availability? {
    guard let conversation, !isRoom, !people.isOccupant(conversation) else { return nil }
    return people.availability(of: conversation)
  }

  /// The availability's sign.
  package var sign: String {
    guard let conversation, availability != nil else { return "" }
    return format.sign(of: conversation, among: people)
  }

  /// The availability in a word, or how to have it shown; of a room, how many people are in it.
  package var presence: String {
    guard let room else {
      guard let conversation, availability != nil else { return "" }
      return format.presence(of: conversation, among: people)
    }
    switch room.phase {
    case .inside: return format.localizer.plural("header.people", room.people)
    case .entering: return format.localizer(isOnline ? "header.entering" : "header.waiting")
    case .outside: return format.localizer("header.outside")
    }
  }

  /// What the contact says of himself, in quotes; a room's subject.
  package var status: String {
    if let room { return ErrorText.oneLine(room.subject, limit: 1000) }
    return conversation.flatMap { people.status(of: $0) }
      .map { format.localizer("header.status", ["text": format.shown($0)]) } ?? ""
  }

  /// All of it in one line, for somebody who hears it.
  package var line: String {
    format.localizer.list([title, presence, address, status].filter { !$0.isEmpty })
  }

  /// The name for the terminal's title; empty when nothing is open.
  package var shortTitle: String { conversation == nil ? "" : title }
}
