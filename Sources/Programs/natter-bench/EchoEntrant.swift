import Foundation
import TestSupport

/// One of the compared programs, and its figures.
struct EchoEntrant {
  /// Sends messages until the observed value becomes true, and returns the text of the last one.
  typealias Talk = @Sendable (_ isOver: Observed<Bool>) async throws -> String

  /// The output after a change of the terminal's size.
  struct Repaint {
    let milliseconds: Double
    /// Pieces of output with more than 20 ms between them.
    let bursts: Int
    /// Frames that the program has shown as a whole (synchronised output).
    let frames: Int
    let byteCount: Int
  }

  let name: String
  let terminal: PTYProcess
  private let keeper: any Sendable
  private let talk: Talk
  /// The column where the input begins.
  private var column = 0

  /// From a key to the screen, in milliseconds.
  private(set) var idle: [Double] = []
  private(set) var busy: [Double] = []
  /// From the end of the messages to the last one on the screen, in milliseconds.
  private(set) var lags: [Double] = []
  private(set) var repaints: [Repaint] = []

  /// - Parameter keeper: an object that lives as long as the program.
  init(
    _ name: String, _ terminal: PTYProcess, keeping keeper: any Sendable, talk: @escaping Talk
  ) async throws {
    (self.name, self.terminal, self.keeper, self.talk) = (name, terminal, keeper, talk)
    _ = try await quiet(since: 0)
    column = terminal.screen.cursor.column
  }

  /// Types a key before each of the pauses, then discards the line.
  mutating func type(_ pauses: [Duration], isBusy: Bool) async throws {
    guard isBusy else { return idle += try await echoes(pauses) }
    let clock = ContinuousClock()
    let (terminal, talk) = (terminal, talk)
    let isOver = Observed(false)
    async let last = talk(isOver)
    do {
      defer { isOver.update { $0 = true } }
      let before = terminal.screen.cells
      try await terminal.expects("messages") { $0.cells != before }
      busy += try await echoes(pauses)
    }
    let end = clock.now
    let text = try await last
    let shown = try await terminal.time(of: text, upTo: .seconds(60)) { $0.contains(text) }
    lags.append(max(.zero, shown - end) / .milliseconds(1))
  }

  private func echoes(_ pauses: [Duration]) async throws -> [Double] {
    let clock = ContinuousClock()
    var times: [Double] = []
    for (number, pause) in pauses.enumerated() {
      let letter = String(Unicode.Scalar(UInt8(ascii: "a") + UInt8(number % 26)))
      let position = column + number
      let pressed = clock.now
      terminal.type(letter)
      let seen = try await terminal.time(of: "the key “\(letter)”") {
        $0.cursor.column == position + 1 && $0[$0.cursor.row, position].text == letter
      }
      times.append((seen - pressed) / .milliseconds(1))
      // The pause imitates a typing rhythm; it does not wait for anything.
      try await Task.sleep(until: pressed + pause, clock: clock)
    }
    terminal.press(.control("u"))
    let start = column
    try await terminal.expects("an empty line") { $0.cursor.column == start }
    return times
  }

  mutating func resize(rows: Int, columns: Int) async throws {
    _ = try await quiet(since: 0)
    let mark = terminal.outputCount
    let start = ContinuousClock.now
    terminal.resize(rows: rows, columns: columns)
    let times = try await quiet(since: mark)
    let output = terminal.output(since: mark)
    repaints.append(
      Repaint(
        milliseconds: ((times.last ?? start) - start) / .milliseconds(1),
        bursts: 1 + zip(times, times.dropFirst()).count { $1 - $0 > .milliseconds(20) },
        frames: output.ranges(of: Array("\u{1b}[?2026h".utf8)).count,
        byteCount: output.count))
  }

  /// Waits until there was output after a mark, and none for 150 ms.
  /// - Returns: when its pieces were read.
  private func quiet(since mark: Int) async throws -> [ContinuousClock.Instant] {
    let isQuiet = try await polls {
      guard let last = terminal.outputTimes(since: mark).last else { return false }
      return ContinuousClock.now - last > .milliseconds(150)
    }
    guard isQuiet else {
      throw TimedProcess.Failure(description: "\(name) is not quiet:\n\(terminal.screen)")
    }
    return terminal.outputTimes(since: mark)
  }
}
