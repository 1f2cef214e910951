/// The severity of a line of the log.
package enum LogLevel: String, Comparable, Sendable, CaseIterable {
  /// A failure.
  case error
  /// Unexpected behaviour.
  case warning
  /// Normal activity, a few lines a minute.
  case info
  /// Details for debugging.
  case debug

  /// The more severe level is the lesser one.
  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    }
  }
}

/// One line of the log.
package struct LogEntry: Hashable, Sendable {
  package let level: LogLevel
  /// The part of the program: "connection", "storage".
  package let category: String
  package let message: String

  package init(level: LogLevel, category: String, message: String) {
    self.level = level
    self.category = category
    self.message = message
  }
}

/// A destination of log lines. `write` returns at once.
package protocol LogSink: Sendable {
  func write(_ entry: LogEntry)
}

/// A value with which a part of the program writes to the log.
///
/// Addresses may be written. Message bodies, passwords and authentication proofs may not: see
/// `Redacted` and `WireScrubber`.
package struct Log: Sendable {
  private let sink: (any LogSink)?
  /// Lines of lower severity are not even composed.
  package let level: LogLevel
  private let category: String

  package init(to sink: any LogSink, level: LogLevel, category: String = "natter") {
    self.init(sink: sink, level: level, category: category)
  }

  private init(sink: (any LogSink)?, level: LogLevel, category: String) {
    self.sink = sink
    self.level = level
    self.category = category
  }

  /// A log that discards all lines.
  package static let none = Log(sink: nil, level: .error, category: "")

  /// Returns the same log for another part of the program.
  package func category(_ category: String) -> Log {
    Log(sink: sink, level: level, category: category)
  }

  /// Writes a line; the message is composed only if the level is enabled.
  package func error(_ message: @autoclosure () -> String) { write(.error, message) }
  /// Writes a line; the message is composed only if the level is enabled.
  package func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
  /// Writes a line; the message is composed only if the level is enabled.
  package func info(_ message: @autoclosure () -> String) { write(.info, message) }
  /// Writes a line; the message is composed only if the level is enabled.
  package func debug(_ message: @autoclosure () -> String) { write(.debug, message) }

  private func write(_ level: LogLevel, _ message: () -> String) {
    guard let sink, level <= self.level else { return }
    sink.write(LogEntry(level: level, category: category, message: message()))
  }
}
