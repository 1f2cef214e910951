import Diagnostics
import Synchronization

/// The lines of a log, in memory.
package final class LogLines: LogSink {
  private let lines = Mutex<[String]>([])

  package init() {}

  /// A log that writes to it.
  package var log: Log { Log(to: self, level: .info) }
  /// The messages, in the order of writing.
  package var messages: [String] { lines.withLock { $0 } }

  package func write(_ entry: LogEntry) { lines.withLock { $0.append(entry.message) } }
}
