import Dispatch
import Synchronization

/// Reads a history on a thread of its own, at most two chunks ahead of their consumer.
final class HistoryReading: Sendable {
  /// The chunks; throws `ImportFailure` where the history cannot be read any further.
  let chunks: AsyncThrowingStream<ImportChunk, any Error>

  private static let lead = 2
  private let isCancelled = Mutex(false)
  private let permits: ReadingPermits

  /// - Parameters:
  ///   - path: names the history in errors.
  ///   - read: reads the history to its end, and rethrows what its argument throws.
  /// - Throws: `ImportFailure.unreadable`.
  init(
    of path: String, _ selection: ImportSelection,
    _ read: @escaping @Sendable ((ImportItem) throws -> Void) throws -> Void
  ) throws(ImportFailure) {
    permits = try ReadingPermits(path: path)
    let (chunks, news) = AsyncThrowingStream<ImportChunk, any Error>.makeStream()
    self.chunks = chunks
    for _ in 0..<Self.lead { permits.add() }
    DispatchQueue(label: "natter.import", qos: .utility).async { [self] in
      var chunk = ImportChunk()
      func pass() throws {
        permits.take()
        try checkCancellation()
        news.yield(chunk)
        chunk = ImportChunk()
      }
      do {
        try read { item in
          try checkCancellation()
          chunk.take(item, selection)
          if chunk.isFull { try pass() }
        }
        try pass()
        news.finish()
      } catch {
        // What was read before the failure is used.
        if !(error is CancellationError) { news.yield(chunk) }
        news.finish(throwing: error)
      }
    }
  }

  private func checkCancellation() throws {
    if isCancelled.withLock({ $0 }) { throw CancellationError() }
  }

  /// Allows another chunk to be read.
  func finishedChunk() { permits.add() }

  /// Stops soon.
  func cancel() {
    isCancelled.withLock { $0 = true }
    permits.add()
  }
}
