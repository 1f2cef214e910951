import Dispatch
import SQLite
import Synchronization

/// Reads a history on a thread of its own, at most two chunks ahead of what takes them.
final class HistoryReading: Sendable {
  /// The chunks; throws `ImportFailure` where the history cannot be read any further.
  let chunks: AsyncThrowingStream<ImportChunk, any Error>

  private let isCancelled = Mutex(false)
  private let slots = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - path: names the history in errors.
  ///   - read: reads the history to its end, and rethrows what its argument throws.
  init(
    of path: String, _ selection: ImportSelection,
    _ read: @escaping @Sendable ((ImportItem) throws -> Void) throws -> Void
  ) {
    let (chunks, news) = AsyncThrowingStream<ImportChunk, any Error>.makeStream()
    self.chunks = chunks
    slots.signal()
    slots.signal()
    DispatchQueue(label: "natter.import", qos: .utility).async { [self] in
      var chunk = ImportChunk()
      func pass() throws {
        slots.wait()
        if isCancelled.withLock({ $0 }) { throw CancellationError() }
        news.yield(chunk)
        chunk = ImportChunk()
      }
      do {
        try read { item in
          if isCancelled.withLock({ $0 }) { throw CancellationError() }
          chunk.take(item, selection)
          if chunk.isFull { try pass() }
        }
        try pass()
        news.finish()
      } catch {
        let failure = (error as? SQLiteError).map {
          ImportFailure($0, path: $0.path ?? path) as any Error
        }
        // What was read before the failure is used.
        if !(error is CancellationError) { news.yield(chunk) }
        news.finish(throwing: failure ?? error)
      }
    }
  }

  /// Allows another chunk to be read.
  func finishedChunk() { slots.signal() }

  /// Stops soon.
  func cancel() {
    isCancelled.withLock { $0 = true }
    slots.signal()
  }
}
