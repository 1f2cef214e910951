import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The page of events: those to come as a list, or the days beside a month.
package final class EventsPage: CardPage {
  package let id = "events"
  package let rows = FilteredRows<String>()

  let shell: ShellViewModel
  let planner: any EventPlanning
  private(set) var listing = EventListing()
  /// Those that are on the list, the earliest first.
  private var coming: [CalendarEvent] = []
  /// The calendars below them: those still to follow, and others' without upcoming events.
  private var quiet: [EventCalendar.ID] = []
  /// The events of each day, the earliest first.
  private var onDay: [CalendarDay: [CalendarEvent]] = [:]
  private var days: [CalendarDay] = []
  var showsMonth = false
  /// Indicate whether the first read has begun, from when on changes are read, and has ended.
  private var (hasBegun, hasLoaded) = (false, false)
  private var isReading = false

  /// After this many seconds it is read again when the user opens the page.
  private static let freshness: TimeInterval = 600
  /// The number of months before the current one, and from it on, that the days are of.
  private static let months = (before: 3, from: 13)
  /// No event is shown on more days than this.
  private static let longest = 62

  package init(shell: ShellViewModel, planner: any EventPlanning) {
    self.shell = shell
    self.planner = planner
    shell.follow { [weak self] in
      if case .eventsChanged = $0, self?.hasBegun == true { self?.load() }
    }
  }

  var localizer: Localizer { shell.format.localizer }
  var format: ItemFormat { shell.format }
  private var today: CalendarDay { format.calendarDay(shell.now()) }

  package func appeared() { load() }

  private func load() {
    hasBegun = true
    shell.lifetime.inOrder { [weak self, planner] in
      do {
        let listing = try await planner.listing()
        self?.take(listing)
      } catch {
        self?.shell.report(error)
      }
    }
  }

  private func take(_ listing: EventListing) {
    self.listing = listing
    let wanted = listing.events.filter { $0.change != .take }
    let morning = format.date(today, hour: 0, minute: 0)
    coming = wanted.filter { $0.end >= morning }
    let busy = Set(coming.map(\.id.calendar))
    quiet =
      listing.waiting
      + followed.map(\.id).filter { $0.service != format.account && !busy.contains($0) }
    onDay = [:]
    for event in wanted {
      let first = format.calendarDay(event.start)
      // One that ends at midnight is not on the day that begins then.
      let last = format.calendarDay(max(event.start, event.end.addingTimeInterval(-1)))
      for day in 0...max(0, min(Self.longest, last.number - first.number)) {
        onDay[first.adding(day), default: []].append(event)
      }
    }
    showRows()
    guard !hasLoaded else { return }
    hasLoaded = true
    let oldest = followed.map { $0.readAt ?? .distantPast }.min() ?? .distantPast
    guard shell.connectionState.isOnline, !oldest.isRecent(Self.freshness, at: shell.now())
    else { return }
    refresh()
  }

  private var followed: [EventCalendar] { listing.calendars.filter(\.isFollowed) }

  private static func row(_ id: CalendarEvent.ID) -> String {
    "\(id.calendar.service) \(id.calendar.node) \(id.item)"
  }

  private func showRows() {
    if showsMonth {
      let first = today.firstOfMonth(adding: -Self.months.before)
      // As far as there is anything, within ten years.
      let last = min(onDay.keys.max() ?? today, today.firstOfMonth(adding: 120))
      let end = max(
        today.firstOfMonth(adding: Self.months.from), last.firstOfMonth(adding: 1))
      days = (first.number..<end.number).map { CalendarDay(number: $0) }
      rows.load(days.map(\.text)) { [weak self] index in
        guard let self else { return "" }
        return days[index].text + " " + events(on: days[index]).map(\.name).joined(separator: " ")
      }
    } else {
      let names = quiet.map { owner(of: $0) }
      rows.load(
        coming.map { Self.row($0.id) } + quiet.map { "\($0.service) \($0.node)" }
      ) { [coming] in
        guard coming.indices.contains($0) else { return names[$0 - coming.count] }
        return "\(coming[$0].name) \(coming[$0].place) \(coming[$0].text)"
      }
    }
  }

  private func refresh() {
    guard !isReading else { return }
    isReading = true
    rows.onChange()
    shell.lifetime.aside { [weak self, planner] in
      do { try await planner.refresh() } catch { self?.shell.report(error) }
      self?.isReading = false
      self?.rows.onChange()
    }
  }

  func events(on day: CalendarDay) -> [CalendarEvent] { onDay[day] ?? [] }

  /// The selected event; of a day the first.
  var selected: CalendarEvent? {
    guard let index = rows.selectedIndex else { return nil }
    if showsMonth { return events(on: days[index]).first }
    return coming.indices.contains(index) ? coming[index] : nil
  }

  /// The selected calendar that has no events to come.
  private var selectedCalendar: EventCalendar.ID? {
    guard !showsMonth, let index = rows.selectedIndex, index >= coming.count else { return nil }
    return quiet[index - coming.count]
  }

  /// The selected day, or that of the selected event.
  var selectedDay: CalendarDay {
    guard let index = rows.selectedIndex else { return today }
    if showsMonth { return days[index] }
    return coming.indices.contains(index) ? format.calendarDay(coming[index].start) : today
  }

  // MARK: - What is shown

  package func card(_ index: Int) -> CardItem {
    guard showsMonth else {
      return coming.indices.contains(index)
        ? card(of: coming[index]) : card(of: quiet[index - coming.count])
    }
    let day = days[index]
    let events = events(on: day)
    return CardItem(
      glyph: day == today ? "*" : "", title: format.weekday(day),
      number: events.isEmpty ? "" : "\(events.count)",
      text: localizer.list(events.map { "\(format.time($0.start)) \(name(of: $0))" }),
      spokenGlyph: day == today ? localizer("discover.events.today") : "",
      spokenNumber: events.isEmpty
        ? "" : localizer.plural("discover.events.onDay", events.count),
      isStrong: !events.isEmpty)
  }

  private func card(of event: CalendarEvent) -> CardItem {
    let glyphs = format.glyphs
    let (glyph, note): (String, String) =
      if event.refusal != nil {
        (glyphs.failed, localizer("discover.events.refused"))
      } else if event.isWaiting {
        (glyphs.queued, localizer("discover.events.waits"))
      } else if event.isCancelled {
        ("-", localizer("discover.events.cancelled"))
      } else {
        (glyph(of: event.answer), event.answer.map { word(for: $0) } ?? "")
      }
    let going = event.answers.values.count { $0 == .yes }
    return CardItem(
      glyph: glyph, title: when(event), number: going == 0 ? "" : "\(going)", note: note,
      text: [name(of: event), ErrorText.oneLine(event.place)].filter { !$0.isEmpty }
        .joined(separator: " - "),
      spokenNumber: going == 0 ? "" : localizer.plural("discover.events.goingCount", going),
      isStrong: format.calendarDay(event.start) <= today)
  }

  private func card(of calendar: EventCalendar.ID) -> CardItem {
    let waits = listing.waiting.contains(calendar)
    return CardItem(
      glyph: waits ? format.glyphs.queued : "", title: owner(of: calendar),
      note: waits ? localizer("discover.events.waits") : "",
      text: localizer(waits ? "discover.events.toFollow" : "discover.events.nothing"))
  }

  func name(of event: CalendarEvent) -> String { ErrorText.oneLine(event.name) }

  /// `2026-11-28 18:00`, or `Today 18:00`.
  private func when(_ event: CalendarEvent) -> String {
    let day = format.calendarDay(event.start)
    return (day == today ? localizer("discover.events.today") : day.text) + " "
      + format.time(event.start)
  }

  /// The start and end, as text.
  func time(of event: CalendarEvent) -> String {
    let start = format.day(event.start, now: shell.now()) + " " + format.time(event.start)
    let isSameDay = format.calendarDay(event.start) == format.calendarDay(event.end)
    return localizer(
      "discover.events.span",
      [
        "start": start,
        "end": isSameDay
          ? format.time(event.end)
          : format.day(event.end, now: shell.now()) + " " + format.time(event.end),
      ])
  }

  package var headings: CardItem {
    CardItem(
      title: localizer(showsMonth ? "discover.events.day" : "discover.events.time"),
      number: localizer(showsMonth ? "discover.events.number" : "discover.events.going"),
      note: showsMonth ? "" : localizer("discover.events.you"),
      text: localizer("discover.events.event"))
  }

  package var headline: String {
    CardHeadline(
      source: localizer.plural("discover.events.calendars", followed.count), isReading: isReading,
      readAt: followed.compactMap(\.readAt).min(), waiting: listing.waiting.map(\.service)
    ).text(format, now: shell.now())
  }

  package var count: String {
    localizer.plural("discover.events.coming", coming.count) + "  "
      + localizer(showsMonth ? "discover.events.byMonth" : "discover.events.byTime")
  }

  package var emptyText: String {
    localizer(rows.count > 0 ? "sidebar.noneMatch" : "discover.events.none")
  }

  package var month: MonthItem? {
    showsMonth ? format.month(of: selectedDay, today: today, busy: Set(onDay.keys)) : nil
  }

  package var summary: [String] {
    if showsMonth {
      return events(on: selectedDay).prefix(4).map { "\(time(of: $0))  \(name(of: $0))" }
    }
    guard let event = selected else {
      guard let calendar = selectedCalendar else { return [] }
      let card = card(of: calendar)
      return [card.title, card.text, localizer("discover.events.leaveHint")]
    }
    return [
      name(of: event),
      [time(of: event), ErrorText.oneLine(event.place)].filter { !$0.isEmpty }
        .joined(separator: "  "),
      status(of: event) ?? ErrorText.oneLine(event.text),
    ].filter { !$0.isEmpty }
  }

  /// The label of an event that is not published yet, or is cancelled.
  func status(of event: CalendarEvent) -> String? {
    if let refusal = event.refusal {
      return localizer(
        "discover.events.refusedText", ["text": ErrorText.oneLine(localizer(refusal))])
    }
    if event.isWaiting { return localizer("discover.events.waitsText") }
    return event.isCancelled ? localizer("discover.events.cancelledText") : nil
  }

  func isOwn(_ event: CalendarEvent) -> Bool { event.id.calendar.service == format.account }

  /// Returns the name of a calendar's owner.
  func owner(of calendar: EventCalendar.ID) -> String {
    calendar.service == format.account
      ? localizer("timeline.you") : shell.people.name(of: calendar.service)
  }

  // MARK: - Actions of the user

  package var actions: Set<CardAction> {
    [.open, .add, .remove, .rename, .toggle, .sort, .refresh]
  }

  package func perform(_ action: CardAction) {
    switch action {
    case .open: open()
    case .add: add()
    case .remove:
      if let selected { remove(selected) } else if let selectedCalendar { leave(selectedCalendar) }
    case .rename: if let selected { change(selected) }
    case .toggle: if let selected { askForAnswer(to: selected) }
    case .refresh: refresh()
    case .sort:
      let day = selectedDay
      showsMonth.toggle()
      rows.endFilter()
      showRows()
      if showsMonth { rows.select(day.text) }
    }
  }

  private func open() {
    guard showsMonth else {
      if let selected { open(selected) } else if selectedCalendar != nil { refresh() }
      return
    }
    let events = events(on: selectedDay)
    guard events.count > 1 else {
      return events.first.map { open($0) } ?? askForPlan()
    }
    shell.actions.choose(
      ChoiceRequest(
        title: format.weekday(selectedDay),
        labels: events.map { "\(format.time($0.start)) \(name(of: $0))" }, selected: 0
      ) { [weak self] in
        if let index = $0 { self?.open(events[index]) }
      })
  }

  package func show(item: String) {
    if let event = listing.events.first(where: { $0.id.item == item }), !showsMonth {
      rows.select(Self.row(event.id))
    } else {
      rows.setFilter(item)
    }
  }

  private func remove(_ event: CalendarEvent) {
    guard isOwn(event) else { return leave(event.id.calendar) }
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "discover.events.removeTitle", textKey: "discover.events.remove",
        acceptKey: "confirm.removeAccept", arguments: ["name": name(of: event)]
      ) { [weak self, planner] in
        self?.shell.perform(nil) { try await planner.remove(event.id) }
      })
  }

  private func leave(_ calendar: EventCalendar.ID) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "discover.events.leaveTitle", textKey: "discover.events.leave",
        acceptKey: "confirm.removeAccept", arguments: ["address": calendar.service.shown]
      ) { [weak self, planner] in
        self?.shell.perform(nil) { try await planner.leave(calendar) }
      })
  }

  /// An event of one's own, or another calendar to follow.
  private func add() {
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("discover.events.addTitle"),
        labels: [localizer("discover.events.make"), localizer("discover.events.follow")],
        selected: 0
      ) { [weak self] index in
        switch index {
        case 0: self?.askForPlan()
        case 1: self?.askForCalendar()
        default: break
        }
      })
  }

  private func askForCalendar() {
    var address = FormField(.text, "address", label: localizer("discover.addAddress"))
    address.isRequired = true
    address.hint = localizer("discover.events.addressHint")
    let prompt = PromptViewModel(
      title: localizer("discover.events.follow"), text: localizer("discover.events.followText"),
      fields: [address], submit: localizer("discover.events.followAccept"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      guard let jid = JID(typed: typed["address"] ?? "") else {
        return ["address": localizer("discover.feeds.badAddress")]
      }
      shell.perform(nil) { [weak self, planner] in
        let isSent = try await planner.follow(EventCalendar.ID(jid))
        self?.shell.reportChange("status.discover.calendar", of: jid, isSent)
      }
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }
}
