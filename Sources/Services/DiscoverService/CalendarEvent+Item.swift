import NatterCore
import XML
import XMPP

// What is kept of the items of a calendar.
extension CalendarEvent {
  /// The longest text, and the longest name or location, that is kept, in bytes.
  private static let (textLimit, nameLimit) = (40_000, 1200)
  /// The longest identifier, in bytes. A cut one would mean another event, so an event with a
  /// longer one is ignored.
  static let idLimit = 1000

  /// Reads an item; `nil` if it is no event.
  init?(_ item: Element, in calendar: EventCalendar.ID) {
    guard let found = XEP0471Event(item: item), found.id.utf8.count <= Self.idLimit else {
      return nil
    }
    self.init(
      id: CalendarEvent.ID(calendar: calendar, item: found.id),
      name: found.name.beginning(bytes: Self.nameLimit), start: found.start, end: found.end,
      text: found.text.beginning(bytes: Self.textLimit),
      place: found.place.beginning(bytes: Self.nameLimit), room: found.room,
      takesAnswers: found.takesAnswers, isCancelled: found.isCancelled)
  }
}
