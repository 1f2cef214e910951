import CCrash
import Glibc

/// Keeps the signals that the full screen watches for until it does: between the first byte that the terminal gets and the first
/// frame, one that ends or stops the program would leave the terminal as it is then, and a resize would be missed.
enum SignalHold {
  static let numbers = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]

  /// From now on they wait.
  static func begin() {
    for number in numbers { natter_hold_signal(number) }
  }

  /// Whether one of them has come meanwhile; it is told once.
  static func takes(_ number: Int32) -> Bool { natter_take_held_signal(number) != 0 }

  /// Those that nobody watches for yet have their usual effect again, also if they have come meanwhile.
  static func end() {
    for number in numbers { natter_release_signal(number) }
  }
}
