import FoundationEssentials
import NatterCore
import Text
import XMPP

/// Formats dates, names and problems as the final text of items, in the user's language and zone.
nonisolated package struct ItemFormat: Sendable {
  package let localizer: Localizer
  package let glyphs: Glyphs
  /// The user's own account, for "you"; bare.
  package let account: JID
  let customs: TimeConventions
  /// True if emoji are shown by their names.
  package let spellsEmoji: Bool
  let local: @Sendable (Date) -> LocalTime

  /// - Parameters:
  ///   - customs: the conventions for times and days in the user's territory.
  ///   - spellsEmoji: whether emoji are shown by their names.
  ///   - local: converts to the user's time zone.
  package init(
    localizer: Localizer, glyphs: Glyphs = .unicode, account: JID,
    customs: TimeConventions = TimeConventions(), spellsEmoji: Bool = false,
    local: @escaping @Sendable (Date) -> LocalTime = { LocalTime.here($0) }
  ) {
    self.localizer = localizer
    self.glyphs = glyphs
    self.account = account.bare
    self.customs = customs
    self.spellsEmoji = spellsEmoji
    self.local = local
  }

  /// Returns `14:02`, or `2:02p` on twelve-hour clocks: never more than six columns.
  package func time(_ date: Date) -> String {
    let time = local(date)
    let minute = time.minute < 10 ? "0\(time.minute)" : "\(time.minute)"
    guard customs.usesTwelveHours else {
      return (time.hour < 10 ? "0" : "") + "\(time.hour):\(minute)"
    }
    let hour = time.hour % 12 == 0 ? 12 : time.hour % 12
    return "\(hour):\(minute)" + localizer(time.hour < 12 ? "date.am" : "date.pm")
  }

  /// The highest number of columns of a time.
  package var timeWidth: Int { customs.usesTwelveHours ? 6 : 5 }

  /// Returns `Friday 20 November`, with the year if it is not that of `now`.
  package func day(_ date: Date, now: Date) -> String {
    let time = local(date)
    return localizer(
      ordered(time.year == local(now).year ? "date.day" : "date.dayOfYear"),
      [
        "weekday": localizer("date.weekday\(time.weekday)"), "day": "\(time.day)",
        "month": localizer("date.month\(time.month)"), "year": "\(time.year)",
      ])
  }

  /// Returns the key of a date form: some territories have the month first.
  private func ordered(_ key: String) -> String {
    customs.monthComesFirst ? key + "MonthFirst" : key
  }

  /// Returns the time of day for a date on `now`'s day; else the day, or a numeric date in another
  /// year.
  package func shortDay(_ date: Date, now: Date) -> String {
    let (time, today) = (local(date), local(now))
    if time.dayNumber == today.dayNumber { return self.time(date) }
    if time.year == today.year {
      return localizer(
        ordered("date.short"),
        ["day": "\(time.day)", "month": localizer("date.month\(time.month)")])
    }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(time.year)-\(two(time.month))-\(two(time.day))"
  }

  /// Returns the same in seven columns: `14:02` today, `11-20` this year, `2025-11` in others.
  package func narrowDay(_ date: Date, now: Date) -> String {
    let (time, today) = (local(date), local(now))
    if time.dayNumber == today.dayNumber { return self.time(date) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return time.year == today.year
      ? "\(two(time.month))-\(two(time.day))" : "\(time.year)-\(two(time.month))"
  }

  /// Returns the time of an event: `14:02` today, preceded by the day on any other.
  package func moment(_ date: Date, now: Date) -> String {
    dayNumber(date) == dayNumber(now) ? time(date) : day(date, now: now) + " " + time(date)
  }

  /// Returns the same in ten columns: `14:02` today, `2026-11-20` on any other day.
  package func shortMoment(_ date: Date, now: Date) -> String {
    guard dayNumber(date) != dayNumber(now) else { return time(date) }
    let time = local(date)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(time.year)-\(two(time.month))-\(two(time.day))"
  }

  /// Returns the calendar day of `date`, as a number that grows with time.
  package func dayNumber(_ date: Date) -> Int { local(date).dayNumber }

  /// Returns `0:23`: minutes and seconds, never below zero.
  package func countdown(to date: Date, now: Date) -> String {
    // Limited to ten years, against the values of a broken clock.
    let left = Int(max(0, min(315_360_000, date.timeIntervalSince(now).rounded(.up))))
    return "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60)"
  }

  /// Returns the reason why there is no connection, as a short phrase.
  package func reason(_ problem: ConnectionProblem) -> String {
    localizer(
      "status.reason.\(problem.kind.rawValue)",
      ["host": problem.subject, "port": problem.port == 0 ? "" : "\(problem.port)"])
  }

  /// Returns the text for `availability`.
  package func presence(_ availability: Availability) -> String {
    localizer("presence.\(availability.rawValue)")
  }

  /// Returns the glyph of a contact's availability; a special one if it is unknown. The own one is
  /// known.
  package func glyph(of jid: JID, among people: People) -> String {
    guard jid.bare != account, case .seen(let availability) = people.sight(of: jid) else {
      return jid.bare == account
        ? glyphs.presence(people.availability(of: jid)) : glyphs.unknown
    }
    return glyphs.presence(availability)
  }

  /// Returns the availability as text.
  package func presence(of jid: JID, among people: People) -> String {
    guard jid.bare != account else { return presence(people.availability(of: jid)) }
    switch people.sight(of: jid) {
    case .seen(let availability): return presence(availability)
    case .asked: return localizer("presence.asked")
    case .hidden: return localizer("presence.hidden")
    case .stranger: return localizer("presence.stranger")
    }
  }

  /// Returns the same for the list of contacts, where a slash opens the filter: without a command.
  package func listedPresence(of jid: JID, among people: People) -> String {
    guard jid.bare != account, case .hidden = people.sight(of: jid) else {
      return presence(of: jid, among: people)
    }
    return localizer("contacts.hidden")
  }

  /// Returns the availability for a row of a list in a screen reader: nothing if it is unknown.
  package func heardPresence(of jid: JID, among people: People) -> String {
    if jid.bare != account {
      guard case .seen = people.sight(of: jid) else { return "" }
    }
    return presence(of: jid, among: people)
  }

  /// Returns the text of `notice`, whose remote parts cannot contain line ends.
  package func text(_ notice: StatusNotice) -> String {
    shown(
      localizer(notice.key, notice.arguments.mapValues { ErrorText.oneLine($0, limit: 1000) }))
  }

  /// Returns remote text for display: emoji by name if the user has enabled that.
  package func shown(_ text: String) -> String { spelling?(text) ?? text }

  /// A function that replaces emoji by their names, if the user has enabled that.
  package var spelling: (@Sendable (String) -> String)? {
    spellsEmoji ? emojiNames.spelledOut : nil
  }

  /// The names of emoji in the user's language.
  package var emojiNames: EmojiNames { EmojiNames(tag: localizer.tag) }
}
