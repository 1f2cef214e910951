import FoundationEssentials
import NatterCore
import Text
import XMPP

// One event: all of it, answering it, and making or changing one of one's own.
extension EventsPage {
  package func restore(from other: any CardPage) {
    if let other = other as? EventsPage { showsMonth = other.showsMonth }
  }

  func glyph(of answer: CalendarEvent.Attendance?) -> String {
    switch answer {
    case .yes: format.glyphs.sent
    case .maybe: "?"
    case .no: "-"
    case nil: ""
    }
  }

  func word(for answer: CalendarEvent.Attendance) -> String {
    localizer("discover.events.answer.\(answer.rawValue)")
  }

  private enum Button {
    static let room = "room"
    static let share = "share"
    static let change = "change"
    static let retry = "retry"
    static let close = "close"
  }

  /// Shows an event, and then its attendees from its server.
  func open(_ event: CalendarEvent) {
    let form = FormViewModel(
      title: name(of: event), fields: fields(event),
      keyHints: [localizer.hint("form.keysSubmit"), localizer.wayOut("dialog.keysClose")],
      defaultButton: Button.close)
    let close = shell.actions.showForm(form)
    form.onCancel = close
    form.onPress = { [weak self] id in
      close()
      guard let self else { return }
      if let answer = CalendarEvent.Attendance(rawValue: id) {
        return self.answer(event, answer)
      }
      switch id {
      case Button.room:
        if let room = event.room { join(room) }
      case Button.share: shell.share(address(of: event), title: name(of: event))
      case Button.change: change(event)
      case Button.retry:
        shell.perform(nil) { [planner] in try await planner.retry(event.id) }
      default: break
      }
    }
    guard event.takesAnswers, event.change == nil, shell.connectionState.isOnline else { return }
    shell.lifetime.aside { [weak self, weak form, planner] in
      do {
        try await planner.readAnswers(to: event.id)
        let listing = try await planner.listing()
        guard let self, let form, let event = listing.events.first(where: { $0.id == event.id })
        else { return }
        form.replace(title: name(of: event), fields: fields(event), focus: nil)
      } catch {
        // Answers that may not be read are none.
        form?.message = FormMessage(
          .info, [self?.localizer("discover.events.noAnswers") ?? ""])
      }
    }
  }

  private func fields(_ event: CalendarEvent) -> [FormField] {
    func entry(_ key: String, _ text: String) -> FormField {
      FormField(.entry(term: localizer("discover.events.\(key)")), key, label: text)
    }
    var fields = [
      entry("when", time(of: event)), entry("whose", owner(of: event.id.calendar)),
    ]
    let place = ErrorText.oneLine(event.place)
    if !place.isEmpty { fields.append(entry("where", place)) }
    if let room = event.room { fields.append(entry("room", shell.people.name(of: room))) }
    if let status = status(of: event) {
      fields.append(FormField(.paragraph, "standing", label: status))
    }
    for answer in CalendarEvent.Attendance.allCases {
      let names = event.answers.filter { $0.value == answer }.map {
        $0.key == format.account ? localizer("timeline.you") : shell.people.name(of: $0.key)
      }.sorted()
      guard !names.isEmpty else { continue }
      fields.append(
        FormField(
          .entry(term: "\(word(for: answer)) (\(names.count))"), "answers-\(answer.rawValue)",
          label: localizer.list(names.prefix(30).map { ErrorText.oneLine($0) })))
    }
    let lines = event.text.split(whereSeparator: \.isNewline).prefix(100)
    if !lines.isEmpty { fields.append(FormField(.spacer, "gap-text")) }
    fields += lines.enumerated().map {
      FormField(.paragraph, "text\($0)", label: ErrorText.oneLine(String($1)))
    }
    fields.append(FormField(.spacer, "gap"))
    func button(_ id: String, _ key: String) {
      fields.append(FormField(.button, id, label: localizer(key)))
    }
    if event.takesAnswers, !event.isCancelled {
      for answer in CalendarEvent.Attendance.allCases {
        button(answer.rawValue, "discover.events.say.\(answer.rawValue)")
      }
    }
    if event.room != nil { button(Button.room, "discover.events.openRoom") }
    if event.refusal != nil { button(Button.retry, "discover.feeds.retry") }
    if isOwn(event) { button(Button.change, "discover.events.change") }
    button(Button.share, "discover.share")
    button(Button.close, "discover.close")
    return fields
  }

  private func join(_ room: JID) {
    do {
      try shell.actions.request("rooms/join", ["jid": room.description])
    } catch {
      shell.report(error)
    }
  }

  /// Returns the address of an event, for any program that knows events.
  func address(of event: CalendarEvent) -> String {
    ResourceAddress.xmpp(
      event.id.calendar.service, query: "pubsub",
      parameters: [
        ("action", "retrieve"), ("node", event.id.calendar.node), ("item", event.id.item),
      ])
  }

  // MARK: - Answering

  func askForAnswer(to event: CalendarEvent) {
    guard event.takesAnswers else {
      return shell.show(StatusNotice(.info, "status.discover.asksNoAnswers"))
    }
    let all = CalendarEvent.Attendance.allCases
    shell.actions.choose(
      ChoiceRequest(
        title: name(of: event), labels: all.map { localizer("discover.events.say.\($0.rawValue)") },
        selected: event.answer.flatMap { all.firstIndex(of: $0) } ?? 0
      ) { [weak self] in
        if let index = $0 { self?.answer(event, all[index]) }
      })
  }

  private func answer(_ event: CalendarEvent, _ answer: CalendarEvent.Attendance) {
    shell.perform(nil) { [weak self, planner] in
      let isSent = try await planner.answer(event.id, answer)
      self?.shell.show(
        StatusNotice(.info, isSent ? "status.discover.answered" : "status.discover.postWaits"))
    }
  }

  // MARK: - Planning

  func change(_ event: CalendarEvent) {
    guard isOwn(event) else { return shell.show(StatusNotice(.info, "status.discover.notYours")) }
    askForPlan(event)
  }

  /// - Parameter event: the one to change; `nil`: a new one on the selected day.
  func askForPlan(_ event: CalendarEvent? = nil) {
    func field(_ key: String, _ text: String, isRequired: Bool = false) -> FormField {
      var field = FormField(.text, key, label: localizer("discover.events.plan.\(key)"))
      (field.text, field.cursor) = (text, text.count)
      field.isRequired = isRequired
      return field
    }
    let day =
      event.map { format.calendarDay($0.start) }
      ?? max(selectedDay, format.calendarDay(shell.now()))
    var date = field("day", day.text, isRequired: true)
    date.hint = localizer("discover.events.plan.dayHint")
    let start = event?.start ?? format.date(day, hour: 18, minute: 0)
    var end = field("end", event.map { format.clock($0.end) } ?? "")
    end.hint = localizer("discover.events.plan.endHint")
    let rooms = event == nil ? shell.people.roomsInside.map(\.jid) : []
    var whom = FormField(
      .choice(
        [localizer("discover.events.plan.contacts")] + rooms.map { shell.people.name(of: $0) }),
      "whom", label: localizer("discover.events.plan.whom"))
    whom.hint = localizer("discover.events.plan.whomHint")
    var asks = FormField(.checkbox, "asks", label: localizer("discover.events.plan.asks"))
    asks.isOn = event?.takesAnswers ?? true
    var fields = [
      field("name", event?.name ?? "", isRequired: true), date,
      field("start", format.clock(start), isRequired: true), end,
      field("place", event?.place ?? ""),
      field("text", event?.text.split(whereSeparator: \.isNewline).joined(separator: " ") ?? ""),
    ]
    if event == nil { fields.append(whom) }
    let prompt = PromptViewModel(
      title: localizer(event == nil ? "discover.events.make" : "discover.events.change"),
      fields: fields + [asks], submit: localizer("settings.save"), localizer: localizer)
    let form = prompt.form
    prompt.onSubmit = { [weak self, weak prompt] typed in
      guard let self, let prompt else { return [:] }
      switch plan(typed, wasText: event?.text) {
      case .failure(let wrong): return wrong.fields
      case .success(var plan):
        plan.takesAnswers = form.isOn("asks")
        let place = form["whom"]?.selected ?? 0
        plan.room = place > 0 ? rooms[place - 1] : event?.room
        EventWriting(page: self).put(plan, in: event, from: prompt)
        return [:]
      }
    }
    prompt.close = shell.actions.showForm(form)
  }

  /// The problems of a plan, by field.
  private struct BadPlan: Error {
    let fields: [String: String]
  }

  private func plan(_ typed: [String: String], wasText: String?) -> Result<EventPlan, BadPlan> {
    var wrong: [String: String] = [:]
    let day = CalendarDay(parsing: typed["day"] ?? "")
    if day == nil { wrong["day"] = localizer("discover.events.plan.badDay") }
    let start = format.timeOfDay(typed["start"] ?? "")
    if start == nil { wrong["start"] = localizer("discover.events.plan.badTime") }
    let endText = typed["end"] ?? ""
    let end = format.timeOfDay(endText)
    if end == nil, !endText.isEmpty { wrong["end"] = localizer("discover.events.plan.badTime") }
    guard let day, let start, wrong.isEmpty else { return .failure(BadPlan(fields: wrong)) }
    let begins = format.date(day, hour: start.hour, minute: start.minute)
    var ends = begins.addingTimeInterval(3600)
    if let end {
      ends = format.date(day, hour: end.hour, minute: end.minute)
      // What ends before it begins ends on the next day.
      if ends < begins { ends = format.date(day.adding(1), hour: end.hour, minute: end.minute) }
    }
    // Lines that were not touched stay lines.
    let text = typed["text"] ?? ""
    let flat = wasText?.split(whereSeparator: \.isNewline).joined(separator: " ")
    return .success(
      EventPlan(
        name: typed["name"] ?? "", start: begins, end: ends,
        text: text == flat ? wasText ?? text : text, place: typed["place"] ?? ""))
  }
}
