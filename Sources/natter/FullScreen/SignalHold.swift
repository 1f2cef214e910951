import Glibc

/// Keeps the signals that the full screen watches for until it does: between the first byte that the terminal gets and the first
/// frame, one that ends the program would leave the terminal as it is then, and a resize would be missed.
enum SignalHold {
  static let numbers = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH]

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }

  /// From now on they wait.
  static func begin() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// They are delivered again, those first that have come meanwhile, each once.
  static func end() {
    var set = set
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
