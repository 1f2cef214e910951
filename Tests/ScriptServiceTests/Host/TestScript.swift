import Foundation
import JSONLines
import NatterCore
import Synchronization
import TestSupport
import Testing

@testable import ScriptService

/// The program of a script in memory, as a test plays it.
final class TestScript: ScriptProcess, JSONClient {
  /// Its standard input and output.
  final class Streams: BridgeConnection {
    let lines: AsyncStream<LineSplitter.Line>
    fileprivate let output: AsyncStream<LineSplitter.Line>.Continuation
    /// The lines that it was sent.
    let input = Observed<[String]>([])
    /// How many more lines it takes; `nil`: all.
    fileprivate let room = Observed<Int?>(nil)
    let isClosed = Observed(false)

    fileprivate init() { (lines, output) = AsyncStream.makeStream() }

    var isOpen: Bool { !isClosed.value }

    func send(_ line: String) -> Bool {
      #expect(!line.utf8.contains(0x0A))
      guard !isClosed.value else { return false }
      var fits = true
      room.update { room in
        guard let left = room else { return }
        room = max(0, left - 1)
        fits = left > 0
      }
      if fits { input.update { $0.append(line) } }
      return fits
    }

    func waitForRoom(for line: String) async { _ = await room.waits { $0 != 0 } }

    func close() {
      isClosed.update { $0 = true }
      room.update { $0 = nil }
    }
  }

  let processID: Int32 = 4711
  let program: ScriptProgram
  let streams = Streams()
  let errors: AsyncStream<LineSplitter.Line>
  private let errorOutput: AsyncStream<LineSplitter.Line>.Continuation
  let signals = Observed<[Int32]>([])
  /// Its processes and threads.
  let tasks = Observed(1)
  private let ended = Outcome<ScriptExit>()
  private let used = Mutex<(memory: Int, processor: Duration)>((0, .zero))
  private let lastID = Mutex(0)
  /// Ends it when its input is closed, or only by the signal.
  private let deafness: Int32?

  /// - Parameter deafness: the only signal that ends it; `nil`: it ends with its input.
  init(_ program: ScriptProgram, deafUntil deafness: Int32? = nil) {
    (self.program, self.deafness) = (program, deafness)
    (errors, errorOutput) = AsyncStream.makeStream()
    guard deafness == nil else { return }
    let streams = streams
    Task { [weak self] in
      if await streams.isClosed.waits(upTo: .seconds(600), until: { $0 }) { self?.end(.status(0)) }
    }
  }

  var connection: any BridgeConnection { streams }

  func signal(_ number: Int32) {
    signals.update { $0.append(number) }
    if number == 9 || number == deafness { end(.signal(Int(number))) }
  }

  func usage() async -> (memory: Int, processor: Duration)? {
    ended.value == nil ? used.withLock { $0 } : nil
  }

  func exceeds(tasks limit: Int) async -> Bool {
    await tasks.waits(upTo: .seconds(600)) { $0 > limit }
  }

  func exit() async -> ScriptExit { await ended.wait() ?? .status(0) }

  /// Has it end.
  func end(_ exit: ScriptExit) {
    streams.output.finish()
    errorOutput.finish()
    ended.settle(exit)
  }

  var hasEnded: Bool { ended.value != nil }

  func use(memory: Int, processor: Duration) { used.withLock { $0 = (memory, processor) } }

  /// Takes so many more lines; `nil`: all.
  func take(_ count: Int?) { streams.room.update { $0 = count } }

  // MARK: - Lines

  func write(_ line: String) { streams.output.yield(.line(Array(line.utf8))) }
  func write(_ bytes: [UInt8]) { streams.output.yield(.line(bytes)) }
  func writeTooLong() { streams.output.yield(.tooLong) }
  func complain(_ line: String) { errorOutput.yield(.line(Array(line.utf8))) }

  var received: Observed<[String]> { streams.input }

  func nextID() -> Int {
    lastID.withLock { last in
      last += 1
      return last
    }
  }

  /// Sends `hello`.
  @discardableResult func greet() async throws -> JSONValue {
    try await call("hello", #"{"api":1}"#)
  }

  /// Returns a request of Natter to it.
  func request(_ method: String) async throws -> (id: String, parameters: JSONValue) {
    let mark = #","method":"\#(method)","params":"#
    #expect(
      await streams.input.waits { lines in lines.contains { $0.contains(mark) } }, "no \(method)")
    let line = try #require(streams.input.value.last { $0.contains(mark) })
    let value = try JSONValue(parsing: line.utf8)
    return (try #require(value["id"]?.string), try #require(value["params"]))
  }

  /// Answers a request of Natter.
  func reply(to id: String, _ result: String) {
    write(#"{"jsonrpc":"2.0","id":"\#(id)","result":\#(result)}"#)
  }
}

/// Starts programs in memory.
final class TestStarter: ScriptStarting {
  let confinement = ScriptConfinement.closed
  let scripts = Observed<[TestScript]>([])
  private let problem = Mutex<StatusNotice?>(nil)
  private let deafness = Mutex<Int32?>(nil)

  func fail(_ notice: StatusNotice?) { problem.withLock { $0 = notice } }
  /// Has the next ones end only by that signal.
  func makeDeaf(until signal: Int32) { deafness.withLock { $0 = signal } }

  func start(_ program: ScriptProgram) async throws(ScriptStartError) -> any ScriptProcess {
    if let problem = problem.withLock({ $0 }) { throw ScriptStartError(problem) }
    let script = TestScript(program, deafUntil: deafness.withLock { $0 })
    scripts.update { $0.append(script) }
    return script
  }

  /// Waits for the start of a number.
  func script(_ number: Int = 1) async throws -> TestScript {
    #expect(await scripts.waits { $0.count >= number }, "start \(number)")
    let scripts = scripts.value
    try #require(scripts.count >= number)
    return scripts[number - 1]
  }
}
