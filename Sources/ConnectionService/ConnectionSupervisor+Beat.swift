import NatterCore
import XMPP

// Whether the server is there, and hears.
extension ConnectionSupervisor {
  /// Whether the server took up the session and does not hear what is sent in it (`XMPPStream.confirm`): to resume it once
  /// more would not help. What is under way is looked for in the archive and sent in the next session, as with every session
  /// that is gone.
  func isDeaf(_ stream: any LiveStream) async -> Bool {
    guard stream.isResumed else { return false }
    do { try await stream.confirm(limit: heartbeat.answerLimit) } catch ChannelError.timedOut {
      isSessionDeaf = !Task.isCancelled
    } catch {
      // The connection is gone: that says nothing of the session.
    }
    return isSessionDeaf
  }

  /// Waits for the next beat.
  func waitForBeat(_ interval: Duration) async throws {
    guard !isBeatDue else {
      isBeatDue = false
      return
    }
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    beatNow = continuation
    defer { beatNow = nil }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in stream {} }
      group.addTask { [sleep] in try await sleep(interval) }
      defer { group.cancelAll() }
      try await group.next()
    }
    isBeatDue = false
    try Task.checkCancellation()
  }
}
