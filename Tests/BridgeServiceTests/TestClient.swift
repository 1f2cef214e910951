import Foundation
import JSONLines
import NatterCore
import Synchronization
import TestSupport
import Testing

/// A client of the bridge, in memory.
final class TestClient: BridgeConnection, JSONClient {
  let lines: AsyncStream<LineSplitter.Line>
  private let input: AsyncStream<LineSplitter.Line>.Continuation
  /// The lines that it has received.
  let output = Observed<[String]>([])
  /// How many more lines it takes; `nil`: all.
  private let room = Observed<Int?>(nil)
  /// How often the bridge has waited for it to take more lines.
  let waits = Observed(0)
  private let lastID = Mutex(0)
  let isClosed = Observed(false)

  init() { (lines, input) = AsyncStream<LineSplitter.Line>.makeStream() }

  func send(_ line: String) -> Bool {
    #expect(!line.utf8.contains(0x0A))
    var fits = true
    room.update { room in
      guard let left = room else { return }
      room = max(0, left - 1)
      fits = left > 0
    }
    guard fits, !isClosed.value else { return false }
    output.update { $0.append(line) }
    return true
  }

  func waitForRoom(for line: String) async {
    waits.update { $0 += 1 }
    _ = await room.waits { $0 != 0 }
  }

  var isOpen: Bool { !isClosed.value }

  /// Sends no more, and reads on.
  func end() { input.finish() }

  func close() {
    isClosed.update { $0 = true }
    take(nil)
    input.finish()
  }

  /// Takes so many more lines; `nil`: all.
  func take(_ count: Int?) { room.update { $0 = count } }

  func write(_ line: String) { input.yield(.line(Array(line.utf8))) }
  func write(_ bytes: [UInt8]) { input.yield(.line(bytes)) }
  func writeTooLong() { input.yield(.tooLong) }

  var received: Observed<[String]> { output }

  func nextID() -> Int {
    lastID.withLock { last in
      last += 1
      return last
    }
  }

  /// Sends `hello`: as the user's own program, or as the program of that name.
  func greet(as name: String? = nil) async throws {
    try await call("hello", name.map { #"{"api":1,"as":"\#($0)"}"# } ?? #"{"api":1}"#)
  }

  /// Returns the parameters of the events of a name, once there are so many.
  func events(_ name: String, _ count: Int) async throws -> [JSONValue] {
    let mark = #""event":"\#(name)""#
    #expect(
      await output.waits { lines in lines.count { $0.contains(mark) } >= count },
      "\(output.value.count { $0.contains(mark) }) of \(count) \(name)")
    return try output.value.filter { $0.contains(mark) }.map { line in
      let value = try JSONValue(parsing: line.utf8)
      return try #require(value["params"])
    }
  }
}
