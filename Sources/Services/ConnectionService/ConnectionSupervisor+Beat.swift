import NatterCore
import XMPP

// The checks that the server is alive and receives stanzas.
extension ConnectionSupervisor {
  /// Returns `true` if the server resumed the session and does not receive what is sent in it
  /// (`XMPPStream.confirm`).
  ///
  /// A dead line has the same symptom: the session is resumed once more, over another connection.
  /// If that fails too, the session is given up: stanzas in transit are searched in the archive and
  /// sent in the next session, as with every session that is gone.
  /// - Parameter setUp: the duration of the setup of this connection, in seconds.
  func isDeaf(_ stream: any LiveStream, setUp: Double) async -> Bool {
    guard stream.isResumed else { return false }
    do {
      try await stream.confirm(limit: heartbeat.silenceLimit(setUp: setUp))
      resumptionHealth.wasHeard()
    } catch ChannelError.timedOut {
      guard !Task.isCancelled else { return false }
      resumptionHealth.wasDeaf()
      return true
    } catch {
      // The connection is gone: that says nothing about the session.
    }
    return false
  }

  /// Makes a beat due at once when a written message is not acknowledged within the time limit of a
  /// response: the user waits for it, and the line may be dead.
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
