import FoundationEssentials
import XMPP

/// A calendar whose events are shown: the account's own, a contact's, or a public one
/// (XEP-0471 §5).
package struct EventCalendar: Identifiable, Hashable, Sendable {
  /// The address of the calendar.
  package struct ID: Hashable, Sendable {
    /// The bare address of its owner or of a service.
    package let service: JID
    package let node: String

    package init(_ service: JID, _ node: String = XEP0471Event.personalNode) {
      self.service = service.bare
      self.node = node
    }
  }

  package let id: ID
  /// The time when its events were last read from the server; `nil`: never.
  package var readAt: Date?
  /// `false` if the user unfollowed it; then events that a contact publishes there are ignored.
  package var isFollowed: Bool

  package init(id: ID, readAt: Date? = nil, isFollowed: Bool = true) {
    self.id = id
    self.readAt = readAt
    self.isFollowed = isFollowed
  }
}

/// An event of a calendar. All texts are untrusted.
package struct CalendarEvent: Identifiable, Hashable, Sendable {
  package typealias Attendance = XEP0471Answer.Attendance

  /// The calendar, and the id of the item in its node.
  package struct ID: Hashable, Sendable {
    package let calendar: EventCalendar.ID
    package let item: String

    package init(calendar: EventCalendar.ID, item: String) {
      self.calendar = calendar
      self.item = item
    }
  }

  /// A change that was made here and that the server has not accepted yet.
  package enum Change: String, Hashable, Sendable, Codable {
    /// The event was created or changed.
    case put
    /// The event was removed.
    case take
  }

  package let id: ID
  package var name: String
  package var start: Date
  package var end: Date
  /// May have several lines, or be empty.
  package var text: String
  package var place: String
  /// The room that it is for; `nil`: none.
  package var room: JID?
  package var takesAnswers: Bool
  package var isCancelled: Bool
  package var change: Change?
  /// The reason why the change was refused; `nil` if it is pending, or there is none.
  package var refusal: StatusNotice?
  /// The user's own answer; `nil`: none yet.
  package var answer: Attendance?
  /// Indicates whether the server does not have the answer yet.
  package var answerWaits = false
  /// The known answers, by the bare address of the attendee.
  package var answers: [JID: Attendance] = [:]

  package init(
    id: ID, name: String, start: Date, end: Date, text: String = "", place: String = "",
    room: JID? = nil, takesAnswers: Bool = true, isCancelled: Bool = false
  ) {
    self.id = id
    self.name = name
    self.start = start
    self.end = end
    self.text = text
    self.place = place
    self.room = room
    self.takesAnswers = takesAnswers
    self.isCancelled = isCancelled
  }

  /// Indicates whether a change or the answer waits for a connection.
  package var isWaiting: Bool { (change != nil && refusal == nil) || answerWaits }
}

/// An event that the user wants to create.
package struct EventPlan: Hashable, Sendable {
  package var name: String
  package var start: Date
  package var end: Date
  package var text: String
  package var place: String
  /// `nil` if it is for the contacts; otherwise it is visible to everyone in the room and anyone
  /// who knows the room's address.
  package var room: JID?
  package var takesAnswers: Bool

  package init(
    name: String, start: Date, end: Date, text: String = "", place: String = "", room: JID? = nil,
    takesAnswers: Bool = true
  ) {
    self.name = name
    self.start = start
    self.end = end
    self.text = text
    self.place = place
    self.room = room
    self.takesAnswers = takesAnswers
  }
}

/// The known calendars and their known events.
package struct EventListing: Hashable, Sendable {
  /// Includes the calendars that were unfollowed.
  package var calendars: [EventCalendar]
  /// Earliest first.
  package var events: [CalendarEvent]
  /// The calendars to follow once there is a connection.
  package var waiting: [EventCalendar.ID] = []

  package init(calendars: [EventCalendar] = [], events: [CalendarEvent] = []) {
    self.calendars = calendars
    self.events = events
  }
}
