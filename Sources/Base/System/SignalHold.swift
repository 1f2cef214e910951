import CLinux
import Glibc

/// Blocks the signals that the full screen handles until it is ready: between the first byte to the
/// terminal and the first frame, a signal that ends or stops the program would leave the terminal
/// in that state, and a resize would be missed.
package enum SignalHold {
  package static let numbers = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]

  /// Blocks the signals from now on.
  package static func begin() {
    for number in numbers { natter_hold_signal(number) }
  }

  /// Returns whether one of them has arrived meanwhile; true only once.
  package static func takes(_ number: Int32) -> Bool { natter_take_held_signal(number) != 0 }

  /// Restores the default action of signals without a handler, also if they have arrived meanwhile.
  package static func end() {
    for number in numbers { natter_release_signal(number) }
  }
}
