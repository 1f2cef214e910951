import Foundation
import NatterCore
import Synchronization

@testable import MessagingService

extension IdentifierSource {
  /// The ids `m1`, `m2` and so on.
  static func numbered() -> IdentifierSource {
    let counter = Mutex(0)
    return IdentifierSource {
      counter.withLock {
        $0 += 1
        return "m\($0)"
      }
    }
  }
}

extension OutboxOptions {
  /// Options with a time that only a test changes, and without waits: the first one is cancelled,
  /// so that `Outbox.run` looks at the queue once.
  static func fixture(
    identifiers: IdentifierSource = .numbered(),
    now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1000) }
  ) -> OutboxOptions {
    OutboxOptions(
      identifiers: identifiers, now: now, sleep: { _ in throw CancellationError() })
  }
}
