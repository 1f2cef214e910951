import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

// Own events, and answers to events of others: stored before they are sent, under a permanent item
// ID, and sent until the server has them.
extension CalendarSync {
  /// Creates an event, in the own calendar or in the account's calendar for the room.
  /// - Returns: the event as stored; it may be pending.
  /// - Throws: `NatterError` when the server refuses.
  package func make(
    _ plan: EventPlan, onStored: @MainActor (CalendarEvent) async -> Void
  ) async throws -> CalendarEvent {
    // The node of a room's events is open to anyone who knows its address; the own calendar is open
    // to contacts.
    let calendar = EventCalendar.ID(
      account,
      plan.room.map { "\(XEP0471Event.personalNode)/\($0.bare)" } ?? XEP0471Event.personalNode)
    var event = CalendarEvent(
      id: CalendarEvent.ID(calendar: calendar, item: identifiers.next()), name: plan.name,
      start: plan.start, end: plan.end)
    event.take(plan)
    event.change = .put
    try await inbox.run(in: calendar) { [event] in
      if try await self.calendar(calendar)?.isFollowed != true {
        try await store.save(EventCalendar(id: calendar))
      }
      try await store.save(event)
    }
    return try await submitted(event.id, onStored)
  }

  /// Changes an event; its room stays.
  /// - Returns: the event as stored; the change may be pending.
  /// - Throws: `NatterError` when the server refuses.
  package func change(
    _ id: CalendarEvent.ID, to plan: EventPlan, onStored: @MainActor (CalendarEvent) async -> Void
  ) async throws -> CalendarEvent {
    try await update(id) { event in
      let room = event.room
      event.take(plan)
      // The audience cannot change, because the node depends on it.
      event.room = room
      (event.change, event.refusal) = (.put, nil)
    }
    return try await submitted(id, onStored)
  }

  private func submitted(
    _ id: CalendarEvent.ID, _ onStored: @MainActor (CalendarEvent) async -> Void
  ) async throws -> CalendarEvent {
    await onStored(try await event(id))
    hub.publish(.eventsChanged)
    try await submit(id)
    return try await event(id)
  }

  /// Changes a stored event. Nothing else is stored of its calendar meanwhile: an event is saved
  /// whole.
  private func update(
    _ id: CalendarEvent.ID, _ change: (inout CalendarEvent) -> Void
  ) async throws {
    try await inbox.run(in: id.calendar) {
      var event = try await event(id)
      change(&event)
      try await store.save(event)
    }
  }

  /// Removes an event; without a connection, the removal is pending.
  /// - Throws: `NatterError` when the server refuses.
  package func remove(_ id: CalendarEvent.ID) async throws {
    let isPublished = try await inbox.run(in: id.calendar) {
      var event = try await event(id)
      let isPublished = event.change != .put || event.refusal == nil
      (event.change, event.refusal) = (.take, nil)
      if isPublished { try await store.save(event) } else { try await store.remove([id]) }
      return isPublished
    }
    hub.publish(.eventsChanged)
    if isPublished { try await submit(id) }
  }

  /// Sends a refused change of an event again.
  /// - Throws: `NatterError` when the server refuses.
  package func retry(_ id: CalendarEvent.ID) async throws {
    try await update(id) { $0.refusal = nil }
    hub.publish(.eventsChanged)
    try await submit(id)
  }

  /// Answers an invitation to an event.
  /// - Returns: `false` if the answer is pending.
  /// - Throws: `NatterError` when the server refuses; the previous answer holds then.
  package func answer(_ id: CalendarEvent.ID, _ attendance: CalendarEvent.Attendance) async throws
    -> Bool
  {
    var before: CalendarEvent.Attendance?
    try await update(id) { event in
      before = event.answer
      event.answer = attendance
      event.answerWaits = true
    }
    hub.publish(.eventsChanged)
    do {
      try await submit(id)
    } catch {
      // The answer was refused: the previous one holds.
      if try await store.event(id) != nil {
        try await update(id) { event in
          event.answer = before
          event.answerWaits = false
        }
        hub.publish(.eventsChanged)
      }
      throw error
    }
    return try await !self.event(id).answerWaits
  }

  // MARK: - On the way

  /// Sends the pending changes, the earliest events first.
  func submitChanges() async {
    await queue.submitAll {
      try await store.changedEvents().filter(\.isWaiting)
    } _: {
      try await submit($0.id)
    }
  }

  /// Sends the pending changes of an event, if there is a connection, until none is left.
  /// - Throws: `NatterError` when a change is refused, and storage errors.
  private func submit(_ id: CalendarEvent.ID) async throws {
    guard let channel, underWay.insert(id).inserted else { return }
    defer { underWay.remove(id) }
    while let event = try await store.event(id), event.isWaiting {
      let isSubmitted = try await queue.submit {
        try await submit(event, over: channel)
      } refused: { refusal in
        try await update(id) { refused in
          if event.isSubmittable { refused.refusal = refusal } else { refused.answerWaits = false }
        }
        hub.publish(.eventsChanged)
      }
      guard isSubmitted else { return }
      hub.publish(.eventsChanged)
    }
  }

  /// Sends one of the pending changes of an event.
  private func submit(_ event: CalendarEvent, over channel: any StanzaChannel) async throws {
    let id = event.id
    if event.isSubmittable, event.change == .take {
      try await retract(id, over: channel)
      reads.note([id.item], of: id.calendar)
      try await inbox.run(in: id.calendar) { try await store.remove([id]) }
    } else if event.isSubmittable {
      try await publish(event, over: channel)
      reads.note([id.item], of: id.calendar)
      try await update(id) { current in
        // A change made in the meantime is sent in the next round.
        if current.change == .put, current.plan == event.plan { current.change = nil }
      }
    } else if let answer = event.answer {
      try await publish(answer, to: id, over: channel)
      try await inbox.run(in: id.calendar) {
        answerReads.note([account], of: id)
        var current = try await self.event(id)
        current.answerWaits = current.answer != answer
        try await store.save(current)
        try await store.saveAnswers([account: answer], to: id, isWhole: false)
      }
    }
  }

  private func retract(_ id: CalendarEvent.ID, over channel: any StanzaChannel) async throws {
    do {
      _ = try await channel.insist(
        XEP0060.retraction(of: id.item, from: id.calendar.node))
    } catch let error as StanzaError where error.condition == .itemNotFound {
      // The item is removed already.
    }
  }

  private func publish(_ event: CalendarEvent, over channel: any StanzaChannel) async throws {
    let node = event.id.calendar.node
    let access = event.room == nil ? "presence" : "open"
    try await make(
      node, access, publishers: "publishers", XEP0471Event.namespace, over: channel)
    if event.takesAnswers {
      // Everyone who may see the event may answer, and sees the answers of others.
      let answers = Self.target(of: event.id).attachmentNode
      try await make(
        answers, access, publishers: "open", "urn:xmpp:pubsub-attachments:1", over: channel)
      try await followChanges.subscribe(to: account, answers, over: channel)
    }
    let item = XEP0471Event(
      id: event.id.item, name: event.name, start: event.start, end: event.end, text: event.text,
      place: event.place, room: event.room, takesAnswers: event.takesAnswers
    ).item
    _ = try await channel.insist(XEP0060.publication(of: item, in: node, at: account))
  }

  private func publish(
    _ answer: CalendarEvent.Attendance, to id: CalendarEvent.ID, over channel: any StanzaChannel
  ) async throws {
    let item = XEP0471Answer(jid: account, attendance: answer).item
    _ = try await channel.insist(
      XEP0060.publication(
        of: item, in: Self.target(of: id).attachmentNode, at: id.calendar.service))
  }

  private func make(
    _ node: String, _ access: String, publishers: String, _ type: String,
    over channel: any StanzaChannel
  ) async throws {
    do {
      _ = try await channel.insist(
        XEP0060.feedCreation(
          of: node, at: account, access: access, publishers: publishers, type: type))
    } catch let error as StanzaError where error.condition == .conflict {
      // The node exists, configured as the user wanted it.
    }
  }
}

extension CalendarEvent {
  /// Indicates whether the change of the event itself is sent next; otherwise the answer is.
  fileprivate var isSubmittable: Bool { change != nil && refusal == nil }

  /// The properties that the user sets.
  fileprivate var plan: EventPlan {
    EventPlan(
      name: name, start: start, end: end, text: text, place: place, room: room,
      takesAnswers: takesAnswers)
  }

  /// Applies the properties that the user sets.
  fileprivate mutating func take(_ plan: EventPlan) {
    name = plan.name
    start = plan.start
    end = max(plan.start, plan.end)
    text = plan.text
    place = plan.place
    room = plan.room?.bare
    takesAnswers = plan.takesAnswers
  }
}
