import Diagnostics
import NatterCore
import Storage

/// Completes the search index of an account in the background: after a change of the index, which
/// is then filled part by part, and after deletions.
nonisolated struct SearchUpkeep: Sendable {
  /// The time before the first part: the start of the program, and a burst of deletions, come
  /// first.
  private static let delay = Duration.seconds(5)
  /// The time between two parts, in which others can write.
  private static let pause = Duration.milliseconds(200)

  let search: SearchStore
  let log: Log
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Works until the task is cancelled. What is then left is done at the next start.
  func run(_ events: AsyncStream<DomainEvent>) async {
    // Events are read while it works, too: they would be kept until then. The work that follows is
    // for all deletions until then.
    let (deletions, deletion) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    async let watching: Void = Self.watch(events, reporting: deletion)
    await complete()
    for await _ in deletions { await complete() }
    await watching
  }

  private static func watch(
    _ events: AsyncStream<DomainEvent>, reporting deletion: AsyncStream<Void>.Continuation
  ) async {
    for await event in events where deletes(event) { deletion.yield() }
    deletion.finish()
  }

  private func complete() async {
    do {
      try await sleep(Self.delay)
      while try await search.maintain() { try await sleep(Self.pause) }
    } catch {
      guard !Task.isCancelled else { return }
      // Searching works without it, in one conversation.
      log.warning("the search index is not completed: \(error)")
    }
  }

  /// Indicates whether an event takes a text out of the index.
  private static func deletes(_ event: DomainEvent) -> Bool {
    switch event {
    case .messagesChanged(let messages): messages.contains(where: \.isRetracted)
    case .messagesRemoved, .historyImported: true
    default: false
    }
  }
}
