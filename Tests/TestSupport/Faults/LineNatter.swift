import Foundation

/// The program in line mode, driven through pipes, as its own user would not notice that it was
/// killed.
package final class LineNatter: Sendable {
  /// The state of the output so far.
  package struct State: Sendable {
    package var isOnline = false
    /// The number of times that it joined a room.
    package var entrances = 0
    /// Lines that report why there is no connection.
    package var problems = 0
    /// Numbers of own messages that are stored.
    package var typed: Set<Int> = []
    /// Numbers of messages that came.
    package var received: Set<Int> = []
    package var tail: [String] = []

    package init() {}
  }

  private let program: PipedNatter
  private let observed = Observed(State())

  /// - Parameter more: added to its environment.
  package init(_ arguments: [String], home: Home, _ more: [String: String] = [:]) throws {
    program = try PipedNatter(
      ["--plain"] + arguments, home: home, more, readsErrors: true, into: observed
    ) { $0.take($1) }
  }

  package var state: State { observed.value }

  package func waits(upTo limit: Duration, until condition: @escaping @Sendable (State) -> Bool)
    async
    -> Bool
  {
    await observed.waits(upTo: limit, until: condition)
  }

  package func type(_ line: String) { program.send(line) }

  package func kill() async {
    program.child.signal(SIGKILL)
    await program.child.waitsForEnd()
  }

  /// `/quit`.
  package func quit() async -> ExitStatus? {
    type("/quit")
    return await program.child.waitsForEnd(upTo: .seconds(30))
  }
}

extension LineNatter.State {
  /// Takes a line that line mode has printed.
  ///
  /// Texts are `a-NUMBER.` where they are local, `b-NUMBER.` where they come from the other side.
  package mutating func take(_ line: String) {
    tail.append(line)
    if tail.count > 30 { tail.removeFirst() }
    if let number = Self.number("a-", in: line) {
      typed.insert(number)
    } else if let number = Self.number("b-", in: line) {
      received.insert(number)
    } else if line == "Online." {
      isOnline = true
    } else if line.hasPrefix("Room ") {
      if line.contains(": you joined as ") { entrances += 1 }
    } else if line.hasPrefix("Connecting to ") {
      isOnline = false
    } else if !line.isEmpty, !Self.remarks.contains(where: line.hasPrefix) {
      isOnline = false
      problems += 1
    }
  }

  /// The beginnings of lines that report no problem.
  private static let remarks = ["Natter, line mode", "You are talking to", "Missed messages from "]

  private static func number(_ mark: String, in line: String) -> Int? {
    guard let position = line.range(of: ": " + mark) else { return nil }
    return Int(line[position.upperBound...].prefix { $0.isNumber })
  }
}
