import NatterCore
import Text
import XMPP

/// The header of the open conversation: name, address, availability.
package final class HeaderViewModel {
  package let invalidation = Invalidation()
  package var conversation: JID? { didSet { if conversation != oldValue { invalidation.raise() } } }
  /// True if the messages below have the focus, which highlights the title.
  package var isFocused = false { didSet { if isFocused != oldValue { invalidation.raise() } } }

  private let format: ItemFormat
  private let notifications: ConversationNotifications
  private var people: People
  private var isOnline = false

  package init(
    format: ItemFormat, notifications: ConversationNotifications = ConversationNotifications()
  ) {
    (self.format, self.notifications) = (format, notifications)
    people = People(own: OwnNames(format))
  }

  /// Copies the data about people from another header.
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

  /// The bare address, if it adds to the title.
  package var address: String {
    guard let conversation else { return "" }
    // A room's subject is more useful than its address.
    if let room, !room.subject.isEmpty { return "" }
    let text = conversation.shown
    return text == title || title.hasSuffix("(\(text))") ? "" : text
  }

  package var availability: Availability? {
    guard let conversation, !isRoom, !people.isOccupant(conversation) else { return nil }
    return people.availability(of: conversation)
  }

  /// The glyph of the availability.
  package var glyph: String {
    guard let conversation, availability != nil else { return "" }
    return format.glyph(of: conversation, among: people)
  }

  /// The availability as a word, or how to request it; for a room, the number of occupants.
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

  /// Says that the conversation is muted, and until when; empty if it is not.
  package var muted: String { conversation.map { notifications.text(of: $0, format) } ?? "" }

  /// The contact's status message, in quotes; a room's subject.
  package var status: String {
    if let room { return ErrorText.oneLine(room.subject, limit: 1000) }
    return conversation.flatMap { people.status(of: $0) }
      .map { format.localizer("header.status", ["text": format.shown($0)]) } ?? ""
  }

  /// All of it in one line, for screen readers.
  package var line: String {
    format.localizer.list([title, presence, muted, address, status].filter { !$0.isEmpty })
  }

  /// The name for the terminal's title; empty if no conversation is open.
  package var shortTitle: String { conversation == nil ? "" : title }
}
