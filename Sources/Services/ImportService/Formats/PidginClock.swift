import FoundationEssentials

/// The times of the entries of one log of Pidgin, in the form of its user's language: mostly a time
/// only, for which the day follows from the entries before.
struct PidginClock {
  /// The age from which Pidgin writes the date of a message, too, in seconds.
  private static let datedAge = 20 * 60
  private static let day = 86_400

  /// The offset from UTC in the name of the log, in seconds.
  private let offset: Int?
  private let context: ImportContext
  /// The time of the last entry without a date, in seconds since 1970 on the local clock.
  private var last: Int

  init(_ stamp: PidginLog.Stamp, context: ImportContext) {
    offset = stamp.offset
    self.context = context
    last = stamp.start.seconds
  }

  /// Returns whether a text is a time.
  static func isTime(_ text: ArraySlice<UInt8>) -> Bool { Reading(text) != nil }

  /// Returns the time of the next entry; `nil` if `text` is none.
  mutating func time(_ text: ArraySlice<UInt8>) -> Date? {
    guard let reading = Reading(text) else { return nil }
    let local: Int
    if let numbers = reading.date {
      // Which number is the day depends on the language. A dated message is an old one that was
      // delivered now: the best reading is the nearest.
      let candidates = Self.dates(numbers).map { $0.seconds + reading.second }
      guard let nearest = candidates.min(by: { distance($0) < distance($1) }) else { return nil }
      local = nearest
    } else {
      local = sameOrNextDay(reading.second)
      last = local
    }
    return HistoryText.time(Double(local - (offset ?? context.offset(local))))
  }

  private func distance(_ seconds: Int) -> Int { abs(seconds - last) }

  /// Returns the moment of a time of day: entries follow one another, but an undated message may be
  /// older than the entry before.
  private func sameOrNextDay(_ second: Int) -> Int {
    let moment = last - last % Self.day + second
    if moment < last - Self.datedAge { return moment + Self.day }
    if moment > last + Self.day - Self.datedAge { return moment - Self.day }
    return moment
  }

  private static func dates(_ numbers: [Reading.Number]) -> [LocalTime] {
    let values = numbers.map(\.value)
    func year(_ number: Reading.Number) -> Int {
      guard number.digits <= 2 else { return number.value }
      return number.value + (number.value < 70 ? 2000 : 1900)
    }
    let first = LocalTime(year: year(numbers[0]), month: values[1], day: values[2])
    if numbers[0].digits == 4 { return [first].compactMap(\.self) }
    let last = year(numbers[2])
    return [
      LocalTime(year: last, month: values[1], day: values[0]),
      LocalTime(year: last, month: values[0], day: values[1]),
      numbers[2].digits == 4 ? nil : first,
    ].compactMap(\.self)
  }

  /// The numbers of a time.
  private struct Reading {
    struct Number {
      var value = 0
      var digits = 0
      /// The byte that follows.
      var separator: UInt8 = 0
    }

    /// The three numbers of the date, in their order.
    let date: [Number]?
    /// Seconds since midnight.
    let second: Int

    private static let longest = 64
    private static let afternoon = [
      "pm", "p.m", "\u{4E0B}\u{5348}", "\u{5348}\u{5F8C}", "\u{C624}\u{D6C4}",
    ]
    private static let morning = [
      "am", "a.m", "\u{4E0A}\u{5348}", "\u{5348}\u{524D}", "\u{C624}\u{C804}",
    ]

    init?(_ text: ArraySlice<UInt8>) {
      guard text.count <= Self.longest, let numbers = Self.numbers(text) else { return nil }
      // A translation may put the time before the date.
      let timeFirst = numbers.count > 3 && numbers[0].separator == UInt8(ascii: ":")
      let date: [Number]
      let time: [Number]
      switch (numbers.count, timeFirst) {
      case (2...3, _): (date, time) = ([], numbers)
      case (5...6, false): (date, time) = (Array(numbers[..<3]), Array(numbers[3...]))
      case (5...6, true): (date, time) = (numbers.suffix(3), numbers.dropLast(3))
      default: return nil
      }
      let second = time.count > 2 ? time[2].value : 0
      guard time.allSatisfy({ $0.digits <= 2 }), time[0].value < 24, time[1].value < 60,
        second <= 60
      else { return nil }
      self.second = Self.hour(time[0].value, text) * 3600 + time[1].value * 60 + second
      self.date = date.isEmpty ? nil : date
    }

    private static func numbers(_ text: ArraySlice<UInt8>) -> [Number]? {
      var numbers: [Number] = []
      var current: Number?
      for byte in text + [0] {
        if byte >= 0x30, byte <= 0x39 {
          var number = current ?? Number()
          number.value = number.value * 10 + Int(byte - 0x30)
          number.digits += 1
          guard number.digits <= 4 else { return nil }
          current = number
        } else if var number = current {
          number.separator = byte
          numbers.append(number)
          current = nil
        }
      }
      return numbers
    }

    private static func hour(_ hour: Int, _ text: ArraySlice<UInt8>) -> Int {
      guard (1...12).contains(hour) else { return hour }
      let text = String(decoding: text, as: UTF8.self).lowercased()
      if afternoon.contains(where: text.contains) { return hour % 12 + 12 }
      return morning.contains(where: text.contains) ? hour % 12 : hour
    }
  }
}
