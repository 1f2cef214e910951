import Diagnostics
import Sockets
import Synchronization

/// Counts what is heard of a server while a session is set up.
final class StreamActivity: Sendable {
  private let heard = Atomic<Int>(0)

  private let words = Atomic<Bool>(false)
  private let secure = Atomic<Bool>(false)

  var count: Int { heard.load(ordering: .relaxed) }
  /// Whether it said anything: neither that a connection came about nor that it ended is a word.
  var hasWords: Bool { words.load(ordering: .relaxed) }

  /// Whether the server was verified, and nobody else can have said what it said.
  var isSecure: Bool { secure.load(ordering: .relaxed) }

  func note() { heard.add(1, ordering: .relaxed) }
  func noteSecure() { secure.store(true, ordering: .relaxed) }
  func noteWords() { words.store(true, ordering: .relaxed) }
}

/// A connection that notes each time that something arrives. A log that wants everything gets the form of what goes over it.
final class MonitoredByteStream: ByteStream {
  let stream: any ByteStream
  let endpoint: Endpoint?
  private let signs: StreamActivity
  private let log: Log
  /// How many characters of one read or write a line of the log has at most.
  private static let lineLimit = 4_000

  /// TLS that is complete is a sign too; that a port takes connections is none.
  init(_ stream: any ByteStream, _ signs: StreamActivity, log: Log, to endpoint: Endpoint? = nil) {
    self.stream = stream
    self.endpoint = endpoint
    self.signs = signs
    self.log = log
    if stream.isSecure {
      signs.note()
      signs.noteSecure()
    }
  }

  var isSecure: Bool { stream.isSecure }
  var isLoopback: Bool { stream.isLoopback }
  var channelBindings: [ChannelBinding] { stream.channelBindings }
  var tlsVersion: String? { stream.tlsVersion }
  var tlsCipher: String? { stream.tlsCipher }

  func receive() async throws(SocketError) -> [UInt8]? {
    let bytes = try await stream.receive()
    signs.note()
    if let bytes, !bytes.isEmpty {
      signs.noteWords()
      log.debug("in: " + Self.form(of: bytes))
    }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(SocketError) {
    log.debug("out: " + Self.form(of: bytes))
    try await stream.send(bytes)
  }

  /// What was said, without what nobody may read there.
  private static func form(of bytes: [UInt8]) -> String {
    let text = WireScrubber.scrub(String(decoding: bytes, as: UTF8.self))
    guard let end = text.index(text.startIndex, offsetBy: lineLimit, limitedBy: text.endIndex),
      end < text.endIndex
    else { return text }
    return text[..<end] + "…"
  }

  func close() { stream.close() }
}
