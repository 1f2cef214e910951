import Diagnostics
import Sockets
import Synchronization
import Testing

@testable import ConnectionService

/// The log entries of a connection.
@Suite struct MonitoredByteStreamTests {
  private final class Sink: LogSink {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func write(_ entry: LogEntry) {
      lines.withLock { $0.append("\(entry.level.rawValue) \(entry.message)") }
    }
  }

  /// Says the same again and again.
  private final class Repeating: ByteStream {
    let text: String
    init(_ text: String) { self.text = text }
    let isSecure = true
    let isLoopback = false
    func receive() async throws(SocketError) -> [UInt8]? { Array(text.utf8) }
    func send(_ bytes: [UInt8]) async throws(SocketError) {}
    func close() {}
  }

  private func talk(_ text: String, at level: LogLevel) async throws -> [String] {
    let sink = Sink()
    let stream = MonitoredByteStream(
      Repeating(text), StreamActivity(), log: Log(to: sink, level: level))
    try await stream.send(Array("<message to='a@b'><body>secret</body></message>".utf8))
    #expect(try await stream.receive() == Array(text.utf8))
    return sink.all
  }

  @Test func `the most detailed log has the form of what is said, and no text`() async throws {
    #expect(
      try await talk("<success>c2VjcmV0</success>", at: .debug) == [
        "debug out: <message to='a@b'><body>[6]</body></message>",
        "debug in: <success>[8]</success>",
      ])
  }

  @Test func `a long read is cut short in it`() async throws {
    let long = String(repeating: "<a/>", count: 5_000)
    let line = try #require(try await talk(long, at: .debug).last)
    #expect(line.hasSuffix("<a/>…") && line.count < 4_100)
  }

  @Test(arguments: [LogLevel.error, .warning, .info])
  func `other levels have nothing of it`(level: LogLevel) async throws {
    #expect(try await talk("<success/>", at: level) == [])
  }
}
