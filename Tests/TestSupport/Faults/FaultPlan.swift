/// One thing that goes wrong.
package enum Fault: Hashable, Sendable, CustomStringConvertible {
  /// Both ends of the connection are reset.
  case drop
  /// So many more bytes pass in one direction, then both ends are closed: inside a TLS record, a
  /// stanza, an escape.
  case cut(FaultRelay.Direction, after: Int)
  /// Nothing passes for so many milliseconds.
  case stall(milliseconds: Int)
  /// Nothing passes in one direction for so many milliseconds.
  case stallOne(FaultRelay.Direction, milliseconds: Int)
  /// Nothing passes for so many milliseconds, then both ends are reset.
  case stallAndDrop(milliseconds: Int)
  /// From now on everything takes so many milliseconds longer on this connection.
  case delay(milliseconds: Int)
  /// One direction ends; the other goes on.
  case halfClose(FaultRelay.Direction)
  /// The connection is reset, and so many further attempts are refused.
  case refuse(times: Int)
  /// `kill -9`, and a new start on the same data.
  case killServer
  case killClient

  package var description: String {
    switch self {
    case .drop: "drop"
    case .cut(let direction, let count): "cut \(direction) after \(count) bytes"
    case .stall(let time): "stall \(time) ms"
    case .stallOne(let direction, let time): "stall \(direction) \(time) ms"
    case .stallAndDrop(let time): "stall \(time) ms, drop"
    case .delay(let time): "delay \(time) ms"
    case .halfClose(let direction): "half-close \(direction)"
    case .refuse(let times): "refuse \(times) times"
    case .killServer: "kill -9 server"
    case .killClient: "kill -9 client"
    }
  }
}

/// The faults and their times, all of which follow from the seed.
package struct FaultPlan: Sendable, CustomStringConvertible {
  package struct Step: Hashable, Sendable {
    /// The fault happens before this message, counted from 0.
    package let message: Int
    package let fault: Fault
    /// Indicates whether it waits until messages pass both ways again after the fault before.
    package let waits: Bool
  }

  package let seed: UInt64
  package let messages: Int
  package let steps: [Step]

  /// - Parameters:
  ///   - messages: each way.
  ///   - faults: how many.
  package init(seed: UInt64, messages: Int, faults: Int) {
    self.seed = seed
    self.messages = messages
    var generator = SeededGenerator(seed: seed)
    let positions = (0..<faults).map { _ in Int.random(in: 1..<max(2, messages), using: &generator)
    }
    // Every kind comes up in a plan of a dozen, in an order of the seed's choosing.
    var kinds: [Int] = []
    while kinds.count < faults { kinds += Array(0..<10).shuffled(using: &generator) }
    steps = zip(positions.sorted(), kinds).map { position, kind in
      let direction: FaultRelay.Direction =
        Bool.random(using: &generator) ? .toServer : .toClient
      let fault: Fault =
        switch kind {
        case 0: .drop
        case 1: .cut(.toServer, after: Int.random(in: 1...3000, using: &generator))
        case 2: .cut(.toClient, after: Int.random(in: 1...3000, using: &generator))
        case 3: .cut(direction, after: Int.random(in: 1...60, using: &generator))
        case 4: .stallAndDrop(milliseconds: Int.random(in: 20...400, using: &generator))
        case 5: .halfClose(direction)
        case 6: .refuse(times: Int.random(in: 1...4, using: &generator))
        case 7: .killServer
        case 8: .killClient
        default:
          Bool.random(using: &generator)
            ? .stall(milliseconds: Int.random(in: 20...600, using: &generator))
            : .delay(milliseconds: Int.random(in: 5...80, using: &generator))
        }
      return Step(
        message: position, fault: fault, waits: Int.random(in: 0..<4, using: &generator) > 0)
    }
  }

  package var description: String {
    "seed \(seed), \(messages) messages each way, \(steps.count) faults:\n"
      + steps.map { "  before \($0.message): \($0.fault)\($0.waits ? "" : ", at once")" }
      .joined(separator: "\n")
  }
}
