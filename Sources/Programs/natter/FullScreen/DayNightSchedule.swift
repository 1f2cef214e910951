import Configuration
import Terminal
import Text
import ViewModels

/// The choice of day or night: by the hours of the settings, or by the terminal's background.
///
/// It is evaluated at each full minute, when the program is awake anyway: a separate timer could
/// miss a changed clock, a night in which the machine slept, or daylight saving time.
struct DayNightSchedule {
  /// The hours of the day; `nil`: the terminal decides.
  var hours: DayHours?
  /// The terminal's background, once it has reported it.
  var background: Theme.Brightness?
  private let now: () -> LocalTime
  private var reported: Theme.Brightness?

  init(hours: DayHours?, background: Theme.Brightness?, now: @escaping () -> LocalTime) {
    self.hours = hours
    self.background = background
    self.now = now
    reported = kind
  }

  /// The kind of theme that fits; `nil` if unknown.
  var kind: Theme.Brightness? {
    guard let hours else { return background }
    return hours.contains(now()) ? .light : .dark
  }

  /// The new kind if it has changed since the last call; otherwise `nil`.
  mutating func change() -> Theme.Brightness? {
    let kind = kind
    guard kind != reported else { return nil }
    reported = kind
    return kind
  }
}

extension DayHours {
  func contains(_ time: LocalTime) -> Bool { contains(hour: time.hour, minute: time.minute) }
}
