import NatterCore
import XMPP

// The answers to events.
extension CalendarSync {
  /// Stores the answers that are published, live and at login.
  func take(answers news: XEP0060Event, to target: XEP0471Answer.Target) async throws {
    let answers = news.items.compactMap { XEP0471Answer(item: $0) }
    guard !answers.isEmpty || news.isEmptied else { return }
    let id = CalendarEvent.ID(target)
    try await inbox.run(in: id.calendar) {
      if news.isEmptied { answerReads.noteAll(of: id) }
      answerReads.note(answers.map(\.jid), of: id)
      try await store.saveAnswers(
        Dictionary(answers.map { ($0.jid, $0.attendance) }, uniquingKeysWith: { $1 }), to: id,
        isWhole: news.isEmptied)
    }
    hub.publish(.eventsChanged)
  }

  /// Reads the answers to an event.
  /// - Throws: `NatterError`, also without a connection.
  package func readAnswers(to id: CalendarEvent.ID) async throws {
    let channel = try openChannel()
    let read = answerReads.begin(id)
    defer { answerReads.end(read) }
    do {
      let answer = try await channel.request(
        XEP0060.newestItems(
          Self.eventLimit, of: Self.target(of: id).attachmentNode, at: id.calendar.service))
      let answers = XEP0060.items(in: answer).compactMap { XEP0471Answer(item: $0) }
      try await inbox.run(in: id.calendar) { try await keep(answers, by: read) }
      hub.publish(.eventsChanged)
    } catch let error as StanzaError where error.condition == .itemNotFound {
      // The event takes no answers, or has none.
    } catch {
      throw NatterError(answering: error)
    }
  }

  /// Stores all answers to an event. It is called from the inbox.
  private func keep(
    _ answers: [XEP0471Answer], by read: OpenReads<CalendarEvent.ID, JID>.Read
  ) async throws {
    guard var event = try await store.event(read.node) else { return }
    let changes = answerReads.changes(during: read)
    var whole = event.answers.filter { !changes.accept($0.key) }
    for answer in answers where changes.accept(answer.jid) { whole[answer.jid] = answer.attendance }
    try await store.saveAnswers(whole, to: read.node, isWhole: true)
    // Another client of the account may have answered.
    if let own = whole[account], !event.answerWaits, event.answer != own {
      event.answer = own
      try await store.save(event)
    }
  }

  static func target(of id: CalendarEvent.ID) -> XEP0471Answer.Target {
    XEP0471Answer.Target(service: id.calendar.service, node: id.calendar.node, item: id.item)
  }
}

extension CalendarEvent.ID {
  fileprivate init(_ target: XEP0471Answer.Target) {
    self.init(calendar: EventCalendar.ID(target.service, target.node), item: target.item)
  }
}
