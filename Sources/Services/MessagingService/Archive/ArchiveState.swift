import NatterCore
import XMPP

/// The state that the parts of the archive service share. It belongs to the service's actor, as the
/// parts do: they run there, and other calls come in wherever one of them waits.
final class ArchiveState {
  let account: JID
  /// The knowledge of the current session; empty without one.
  var session = ArchiveSession()
  /// The number of readings of archives that began in this run.
  private var readings = 0
  /// Connections in this run.
  var connections = 0
  /// The connection on which a query for the newest messages had no answer: others would fail, too.
  var silentConnection: Int?
  /// The times at which live messages arrive.
  var arrivals = MonotonicArrivalClock()
  /// The order of the work on archives.
  let inbox = SerialInbox<ArchiveWork>()
  /// Indicates whether there is an unhandled reason to look for gaps.
  var isWoken = false
  /// The number of reasons to look for gaps so far.
  private(set) var reasons = 0
  let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// The tasks that wait for the session to be set up.
  private var starts: [AsyncStream<Void>.Continuation] = []

  init(account: JID) { self.account = account }

  /// Indicates whether there is a connection whose session is not set up yet.
  var isSigningIn: Bool { session.channel != nil && !session.hasStarted }

  /// Returns a stream that ends when the session is set up, or has ended.
  func start() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    if isSigningIn { starts.append(continuation) } else { continuation.finish() }
    return stream
  }

  /// Continues the tasks that wait for the session to be set up.
  func endStart() {
    for start in starts { start.finish() }
    starts = []
  }

  /// Reports a reason to look for gaps.
  func wakeUp() {
    isWoken = true
    reasons += 1
    wakeUps.continuation.yield()
  }

  /// Returns the number of a new reading.
  func nextReading() -> Int {
    readings += 1
    return readings
  }

  /// Indicates whether everything new was read: a page requested before that would be taken for
  /// old.
  var isReadToItsEnd: Bool {
    session.hasStarted && !session.unreadable.contains(account)
      && session.open[account]?.isBehind == false
  }

}

/// The lanes of the work on archives, from the outermost: an operation requests lanes further down
/// only. Each operation ends: a query ends with its connection, or by its timeout.
enum ArchiveWork: Hashable {
  /// Reads the newest page of a conversation that nothing is known of: one at a time, so that a
  /// conversation that the user opens does not wait behind hundreds.
  case newestPage
  /// Reads an archive and stores its pages. Between a query and the write of its result, no other
  /// task may change what is known of the archive: two tasks on one gap would store a page twice,
  /// the later one as if the earlier did not exist, and its messages would move.
  case reading(JID)
  /// Writes the ranges of an archive: a task with a stale copy cannot overwrite a newer one.
  case writing(JID)
}
