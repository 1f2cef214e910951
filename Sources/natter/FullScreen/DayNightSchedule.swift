import Configuration
import Terminal
import ViewModels

/// Whether it is day or night around the program: by the hours of the settings, else as the terminal's background is.
///
/// It is asked at each full minute, when the program is awake anyway: no timer of its own can miss a clock that was set,
/// a night in which the machine slept, or summer time.
struct DayNightSchedule {
  /// When it is day; `nil`: the terminal tells.
  var hours: DayHours?
  /// The terminal's background, once it has told of it.
  var background: Theme.Kind?
  private let now: () -> LocalTime
  private var told: Theme.Kind?

  init(hours: DayHours?, background: Theme.Kind?, now: @escaping () -> LocalTime) {
    self.hours = hours
    self.background = background
    self.now = now
    told = kind
  }

  /// The theme that fits; `nil` where nothing tells.
  var kind: Theme.Kind? {
    guard let hours else { return background }
    return hours.contains(now()) ? .light : .dark
  }

  /// What it has become since this was last asked; `nil` when it is as it was.
  mutating func change() -> Theme.Kind? {
    let kind = kind
    guard kind != told else { return nil }
    told = kind
    return kind
  }
}

extension DayHours {
  func contains(_ time: LocalTime) -> Bool { contains(hour: time.hour, minute: time.minute) }
}
