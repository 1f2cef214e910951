import Diagnostics
import NatterCore
import Sockets

extension ConnectionSupervisor {
  /// Checks the connection at once: it may be dead without notice, or may be possible again.
  package func networkChanged(_ change: NetworkChange) {
    log.info("the network changed: \(change)")
    switch current {
    case .waiting:
      backoff.reset()
      wakeUp?.finish()
    case .online: beatAtOnce()
    // The problem may have been a captive portal with a certificate of its own.
    case .refused(let problem) where problem.mayPass: wakeUp?.finish()
    // An attempt in progress ends by itself, and another one follows.
    case .connecting: backoff.hurry()
    // A problem that the user has to solve does not depend on the network.
    case .offline, .refused: break
    }
  }
}
