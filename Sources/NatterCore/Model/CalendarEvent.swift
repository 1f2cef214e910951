import FoundationEssentials
import XMPP

/// A calendar whose events are shown: the own one, a contact's, or one that is open to everybody (XEP-0471 §5).
package struct EventCalendar: Identifiable, Hashable, Sendable {
  /// Where it is.
  package struct ID: Hashable, Sendable {
    /// Somebody's bare address, or that of a service.
    package let service: JID
    package let node: String

    package init(_ service: JID, _ node: String = XEP0471Event.personalNode) {
      self.service = service.bare
      self.node = node
    }
  }

  package let id: ID
  /// When its events were last read from where it is; `nil`: never.
  package var readAt: Date?
  /// `false`: the person has left it, and what a contact publishes there is not taken.
  package var isFollowed: Bool

  package init(id: ID, readAt: Date? = nil, isFollowed: Bool = true) {
    self.id = id
    self.readAt = readAt
    self.isFollowed = isFollowed
  }
}

/// Something that takes place at some time. All texts are from outside.
package struct CalendarEvent: Identifiable, Hashable, Sendable {
  package typealias Attendance = XEP0471Answer.Attendance

  package struct ID: Hashable, Sendable {
    package let calendar: EventCalendar.ID
    package let item: String

    package init(calendar: EventCalendar.ID, item: String) {
      self.calendar = calendar
      self.item = item
    }
  }

  /// What was done here and is not told yet.
  package enum Change: String, Hashable, Sendable {
    /// It was made or changed.
    case put
    /// It was taken out.
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
  /// Why the change was refused; `nil`: it waits, or there is none.
  package var refusal: StatusNotice?
  /// The person's own answer; `nil`: none yet.
  package var answer: Attendance?
  /// Whether the answer is not told yet.
  package var answerWaits = false
  /// Who answered what, as far as it is known.
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

  /// Whether something of it waits for a connection.
  package var isWaiting: Bool { (change != nil && refusal == nil) || answerWaits }
}

/// An event that the person wants to make.
package struct EventPlan: Hashable, Sendable {
  package var name: String
  package var start: Date
  package var end: Date
  package var text: String
  package var place: String
  /// `nil`: it is for the contacts; else for everybody in the room, and whoever knows its address.
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

/// The calendars that are known, and their events as far as they are.
package struct EventListing: Hashable, Sendable {
  /// Those that were left among them.
  package var calendars: [EventCalendar]
  /// The earliest first.
  package var events: [CalendarEvent]
  /// What is to be followed once there is a connection.
  package var waiting: [EventCalendar.ID] = []

  package init(calendars: [EventCalendar] = [], events: [CalendarEvent] = []) {
    self.calendars = calendars
    self.events = events
  }
}
