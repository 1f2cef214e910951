import XMPP

/// The attempts of a session to read the bookmarks, one at a time; callers that need the rooms wait
/// for the first.
actor BookmarkReading {
  /// The longest wait for it; a server that has not answered by then is not waited for again.
  static let limit = Duration.seconds(10)

  /// `true` once the first attempt has ended, or was waited for in vain.
  private(set) var isOver = false
  private var isUnderWay = false
  private var isRead = false
  private var waiting: [AsyncStream<Void>.Continuation] = []
  /// Callers that would read the bookmarks themselves.
  private(set) var readers: [AsyncStream<Void>.Continuation] = []
  /// The rooms whose bookmarks were sent to the server in the session: what it says of them may be
  /// older.
  private var sent: Set<JID> = []

  /// Begins an attempt if none has succeeded; waits for the end of the one that is under way.
  /// - Returns: `true` if the caller is to read the bookmarks, and to call `end` afterwards.
  func begin() async -> Bool {
    while isUnderWay {
      guard !Task.isCancelled else { return false }
      await attemptEnded()
    }
    guard !isRead else { return false }
    isUnderWay = true
    return true
  }

  /// Returns when no attempt is under way, or when the task is cancelled.
  func attemptEnded() async {
    guard isUnderWay else { return }
    let (ending, reader) = AsyncStream.makeStream(of: Void.self)
    readers.append(reader)
    for await _ in ending {}
  }

  /// Records that the bookmark of `room` is about to be sent to the server.
  func noteSent(_ room: JID) { sent.insert(room) }

  /// Returns `true` if the bookmark of `room` was sent to the server.
  func isSent(_ room: JID) -> Bool { sent.contains(room) }

  /// Ends the attempt and the wait of all callers.
  /// - Parameter isRead: whether the bookmarks were read; otherwise the next caller tries again.
  func end(isRead: Bool) {
    isUnderWay = false
    if isRead { self.isRead = true }
    for reader in readers { reader.finish() }
    readers = []
    release()
  }

  private func release() {
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
      release()
    }
    for await _ in ending {}
    timer.cancel()
  }
}
