import Diagnostics
import NatterCore
import Sockets

extension ConnectionSupervisor {
  /// Looks after the connection at once: it may be dead without a word, or may be possible again.
  package func networkChanged(_ change: NetworkChange) {
    log.info("the network changed: \(change)")
    switch current {
    case .waiting:
      backoff.reset()
      wakeUp?.finish()
    case .online: beatAtOnce()
    // Another network may be one whose gate does not show a certificate of its own.
    case .refused(let problem) where problem.mayPass: wakeUp?.finish()
    // An attempt under way ends by itself, and another one follows.
    case .connecting: backoff.hurry()
    // What a person has to settle no network does.
    case .offline, .refused: break
    }
  }
}
