/// The first attempt of a session to read the bookmarks, for callers that need the rooms.
actor BookmarkReading {
  /// The longest wait for it; a server that has not answered by then is not waited for again.
  static let limit = Duration.seconds(10)

  private(set) var isOver = false
  private var waiting: [AsyncStream<Void>.Continuation] = []

  /// Ends the wait of all callers, whether or not the bookmarks were read.
  func end() {
    isOver = true
    for caller in waiting { caller.finish() }
    waiting = []
  }

  /// Returns when the attempt has ended, after the limit, or when the task is cancelled.
  func ended(sleep: @escaping @Sendable (Duration) async throws -> Void) async {
    guard !isOver else { return }
    let (ending, caller) = AsyncStream.makeStream(of: Void.self)
    waiting.append(caller)
    let timer = Task {
      try await sleep(Self.limit)
      end()
    }
    for await _ in ending {}
    timer.cancel()
  }
}
