import NatterCore
import XMPP

// Whether the server is there, and hears.
extension ConnectionSupervisor {
  /// Whether the server took up the session and does not hear what is sent in it (`XMPPStream.confirm`).
  ///
  /// A line that died says the same: it is resumed once more, over another one. Where that is not heard either the session is
  /// given up: what is under way is looked for in the archive and sent in the next one, as with every session that is gone.
  /// - Parameter setUp: how many seconds it took to set up this connection.
  func isDeaf(_ stream: any LiveStream, setUp: Double) async -> Bool {
    guard stream.isResumed else { return false }
    do {
      try await stream.confirm(limit: heartbeat.silenceLimit(setUp: setUp))
      trials.wasHeard()
    } catch ChannelError.timedOut {
      guard !Task.isCancelled else { return false }
      trials.wasDeaf()
      return true
    } catch {
      // The connection is gone: that says nothing of the session.
    }
    return false
  }

  /// Has a beat follow at once where what was written stays without an acknowledgement for as long as an answer may take: a
  /// person waits for it, and the line may be dead.
  func watchAnswers(of stream: any LiveStream) async {
    let (written, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    wroteMessage = continuation
    for await _ in written {
      guard let oldest = await stream.unacknowledged.first else { continue }
      do { try await sleep(heartbeat.answerLimit) } catch { return }
      switch await stream.unacknowledged.first {
      case nil: break
      case oldest: beatAtOnce()
      default: continuation.yield()
      }
    }
  }

  func beatAtOnce() {
    isBeatDue = true
    beatNow?.finish()
  }

  /// Waits for the next beat.
  func waitForBeat(_ interval: Duration) async throws {
    guard !isBeatDue else {
      isBeatDue = false
      return
    }
    let (end, continuation) = AsyncStream<Void>.makeStream()
    beatNow = continuation
    defer { beatNow = nil }
    try await wait(interval, orUntil: end)
    isBeatDue = false
    try Task.checkCancellation()
  }
}
