/// Where a module tells what happened, for whoever has to find out why something did not work.
///
/// A value, handed down from the composition root. Never a message's body, never a secret, at any level: what may
/// hold one is passed through `Redaction` first.
package struct Log: Sendable {
  package enum Level: Int, Comparable, Sendable, CaseIterable {
    case error, warning, info, debug
    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    /// The level called `name` on the command line and in the configuration.
    package init?(name: String) {
      guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }
    package var name: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .info: "info"
      case .debug: "debug"
      }
    }
  }

  /// Takes one line; it must not block.
  package typealias Sink = @Sendable (Level, _ category: String, _ text: String) -> Void

  private let level: Level
  private let category: String
  private let sink: Sink

  /// - Parameters:
  ///   - level: the least important level that is still written.
  ///   - category: which part of the program speaks.
  package init(level: Level, category: String = "natter", sink: @escaping Sink) {
    self.level = level
    self.category = category
    self.sink = sink
  }

  /// Writes nothing.
  package static let silent = Log(level: .error) { _, _, _ in }

  /// The same log for another part of the program.
  package func category(_ category: String) -> Log {
    Log(level: level, category: category, sink: sink)
  }

  package func error(_ text: @autoclosure () -> String) { write(.error, text) }
  package func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
  package func info(_ text: @autoclosure () -> String) { write(.info, text) }
  package func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

  private func write(_ level: Level, _ text: () -> String) {
    guard level <= self.level else { return }
    sink(level, category, text())
  }
}
