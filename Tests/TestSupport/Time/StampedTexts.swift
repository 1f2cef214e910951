import CPTY
import Foundation

/// Texts that another program has written to a file, each with the time when it came there: lines
/// of the form `TEXT TIME`, where TIME counts the nanoseconds since the machine was started
/// (CLOCK_BOOTTIME of clock_gettime(2)), as `ContinuousClock` does.
package struct StampedTexts: Sendable {
  private let times: [String: Int64]

  /// - Parameter text: a file that may be being written: what follows the last line end is passed
  ///   over, and so are lines of another form. Of two lines with one text the first counts.
  package init(_ text: String) {
    var times: [String: Int64] = [:]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      guard let blank = line.lastIndex(of: " "),
        let time = Int64(line[line.index(after: blank)...])
      else { continue }
      let text = String(line[..<blank])
      if times[text] == nil { times[text] = time }
    }
    self.times = times
  }

  /// Returns the nanoseconds of a text; `nil`: it is not there.
  package subscript(text: String) -> Int64? { times[text] }

  /// Returns when a text came; `nil`: it is not there.
  package func instant(of text: String) -> ContinuousClock.Instant? {
    times[text].map { ContinuousClock.now + .nanoseconds($0 - Self.now) }
  }

  /// The nanoseconds since the machine was started.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
