import CPTY
import Foundation

/// A program on a terminal of its own, as a person would sit before it.
///
/// A thread reads what the program prints, feeds the `VirtualTerminal` and keeps every byte, so
/// the program never waits for the test. The test waits for conditions, never for time. When this
/// is let go of, the terminal is closed and the program killed.
package final class PTYProcess: Sendable {
  /// A condition that did not come to hold; says what the screen showed instead.
  package struct NeverCame: Error, CustomStringConvertible {
    package let what: String
    package let screen: VirtualTerminal
    package let status: ExitStatus?
    package var description: String {
      let border = String(repeating: "-", count: screen.columns)
      let end = status.map { "; the program has ended: \($0)" } ?? ""
      return "\(what) did not come\(end). Cursor \(screen.cursor.row), \(screen.cursor.column):\n"
        + "\(border)\n\(screen.description)\n\(border)"
    }
  }

  package let child: ChildProcess
  private let line: TerminalLine
  private let observed: Observed<VirtualTerminal>

  /// - Parameters:
  ///   - program: a name or a path; `Programs.natter` for ours.
  ///   - environment: all of it (see `Home.environment`).
  ///   - directory: where it starts; this process's own folder without.
  ///   - widened: characters that the terminal draws two columns wide.
  ///   - bytesPerSecond: how much of its output is taken, as by a serial line; the program waits
  ///     for the rest to go.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String],
    rows: Int = 24, columns: Int = 80, directory: String? = nil,
    widened: Set<Unicode.Scalar> = [], bytesPerSecond: Int? = nil
  ) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    let problem = cpty_open(UInt16(rows), UInt16(columns), &master, &slave)
    guard problem == 0 else { throw ChildProcess.StartError(program: "a terminal", code: problem) }
    defer { close(slave) }
    do {
      child = try ChildProcess(
        program, arguments, environment: environment, directory: directory,
        descriptors: (slave, slave, slave), isTerminal: true)
    } catch {
      close(master)
      throw error
    }
    var glass = VirtualTerminal(rows: rows, columns: columns)
    glass.widened = widened
    let observed = Observed(glass)
    self.observed = observed
    line = TerminalLine(master)
    line.startReading(
      bytesPerSecond: bytesPerSecond,
      onOutput: { bytes in
        var answers: [UInt8] = []
        observed.update { screen in
          screen.feed(bytes)
          (answers, screen.answers) = (screen.answers, [])
        }
        return answers
      },
      onEnd: { observed.finish() })
  }

  deinit {
    line.hangUp()
    child.release()
  }

  // MARK: What it shows

  /// The screen as it is now.
  package var screen: VirtualTerminal { observed.value.presented }

  /// Every byte the program has printed.
  package var rawOutput: [UInt8] { line.log.value }

  /// The number of printed bytes; a mark for `output(since:)`.
  package var outputCount: Int { line.log.count }

  /// Returns the output since a mark.
  package func output(since mark: Int) -> [UInt8] { line.log.since(mark) }

  /// When each piece of what it has printed since a mark was read.
  package func outputTimes(since mark: Int) -> [ContinuousClock.Instant] {
    line.log.times(since: mark)
  }

  /// Waits until `condition` holds for the screen; looks after each piece of output.
  /// - Returns: whether it came to hold within `limit`.
  package func waits(
    upTo limit: Duration = .seconds(20),
    until condition: @escaping @Sendable (VirtualTerminal) -> Bool
  ) async -> Bool {
    await observed.waits(upTo: limit) { condition($0.presented) }
  }

  /// Waits until `condition` holds for the screen.
  /// - Parameter what: what should come, for the error.
  /// - Returns: when the output was read that made it so; how long it takes to look at it does not
  ///   count.
  /// - Throws: `NeverCame`, with the screen, when it does not within `limit`.
  package func time(
    of what: String, upTo limit: Duration = .seconds(20),
    until condition: @escaping @Sendable (VirtualTerminal) -> Bool
  ) async throws -> ContinuousClock.Instant {
    let time = Observed(ContinuousClock.now)
    let log = line.log
    try await expects(what, upTo: limit) { screen in
      guard condition(screen) else { return false }
      if let last = log.lastTime { time.update { $0 = last } }
      return true
    }
    return time.value
  }

  /// Waits until `condition` holds for the screen.
  /// - Parameter what: what should come, for the error.
  /// - Throws: `NeverCame`, with the screen, when it does not within `limit`.
  package func expects(
    _ what: String, upTo limit: Duration = .seconds(20),
    until condition: @escaping @Sendable (VirtualTerminal) -> Bool
  ) async throws {
    guard await waits(upTo: limit, until: condition) else {
      throw NeverCame(what: what, screen: screen, status: child.status)
    }
  }

  /// Waits until each of `texts` is on the screen at once.
  package func shows(_ texts: String..., upTo limit: Duration = .seconds(20)) async throws {
    try await expects(texts.map { "“\($0)”" }.joined(separator: " and "), upTo: limit) { screen in
      texts.allSatisfy { screen.contains($0) }
    }
  }

  /// Waits until `text` is nowhere on the screen.
  package func hides(_ text: String, upTo limit: Duration = .seconds(20)) async throws {
    try await expects("the end of “\(text)”", upTo: limit) { !$0.contains(text) }
  }

  /// Waits until `marker` is in the raw output after a mark (see `outputCount`).
  package func prints(_ marker: String, since mark: Int = 0, upTo limit: Duration = .seconds(20))
    async throws
  {
    let wanted = Array(marker.utf8)
    try await expects("“\(marker)” in the output", upTo: limit) { [weak self] _ in
      guard let self else { return false }
      return output(since: mark).contains(sequence: wanted)
    }
  }

  // MARK: What is done to it

  /// Sends text as if typed.
  package func type(_ text: String) { send(Array(text.utf8)) }

  /// Sends keys one after another.
  package func press(_ keys: TerminalKey...) {
    for key in keys {
      send(key.bytes(applicationCursor: screen.modes.contains(1)))
    }
  }

  /// Pastes as a terminal does: between brackets where the program asked for them.
  package func paste(_ text: String) {
    let body = text.replacing("\n", with: "\r")
    type(screen.modes.contains(2004) ? "\u{1b}[200~\(body)\u{1b}[201~" : body)
  }

  /// Presses and lets go of a mouse button at a cell (SGR encoding, mode 1006).
  /// - Parameter button: 0 left, 1 middle, 2 right, 64 wheel up, 65 wheel down.
  package func click(row: Int, column: Int, button: Int = 0) {
    let position = "\(button);\(column + 1);\(row + 1)"
    type("\u{1b}[<\(position)M" + (button < 64 ? "\u{1b}[<\(position)m" : ""))
  }

  package func send(_ bytes: [UInt8]) { line.send(bytes) }

  /// Gives the terminal another size; the program gets SIGWINCH.
  package func resize(rows: Int, columns: Int) {
    observed.update { $0.resize(rows: rows, columns: columns) }
    line.withDescriptor { _ = cpty_resize($0, UInt16(rows), UInt16(columns)) }
  }

  /// Reads nothing any more, or goes on: a terminal that hangs. A piece that is being read is still
  /// taken.
  package func haltReading(_ isHalted: Bool = true) { line.isHalted = isHalted }

  /// Indicates whether the program's terminal accepts no more output.
  package var isFull: Bool {
    let terminal = open("/proc/\(child.identifier)/fd/1", O_WRONLY | O_NOCTTY | O_NONBLOCK)
    defer { close(terminal) }
    var watched = pollfd(fd: terminal, events: Int16(POLLOUT), revents: 0)
    return poll(&watched, 1, 0) == 0
  }

  /// Indicates whether the terminal is as a shell needs it: with echo, line by line.
  package var isCooked: Bool { line.withDescriptor { cpty_is_cooked($0) == 1 } }

  /// Closes the terminal, as a person does who closes the window: the program gets SIGHUP.
  package func hangUp() { line.hangUp() }

  // MARK: How it ends

  package var status: ExitStatus? { child.status }

  /// Waits until it has ended and all its output is in.
  @discardableResult
  package func waitsForEnd(upTo limit: Duration = .seconds(20)) async -> ExitStatus? {
    guard let status = await child.waitsForEnd(upTo: limit) else { return nil }
    if !observed.isFinished { _ = await observed.waits(upTo: .seconds(5)) { _ in false } }
    return status
  }

  package func signal(_ number: Int32) { child.signal(number) }

  /// Ends it with SIGTERM, then by force.
  @discardableResult
  package func stop() async -> ExitStatus? { await child.stop() }
}

extension Collection where Element: Equatable {
  /// Indicates whether it contains `other` in one piece.
  package func contains(sequence other: [Element]) -> Bool {
    guard let first = other.first else { return true }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      if rest[start...].starts(with: other) { return true }
      rest = rest[start...].dropFirst()
    }
    return false
  }
}
