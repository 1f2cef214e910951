import Diagnostics
import Sockets
import Synchronization

/// The count of what is received from a server while a session is set up.
final class StreamActivity: Sendable {
  private let heard = Atomic<Int>(0)

  private let text = Atomic<Bool>(false)
  private let secure = Atomic<Bool>(false)

  var count: Int { heard.load(ordering: .relaxed) }
  /// `true` if it sent any data: neither the connection nor its end counts.
  var hasText: Bool { text.load(ordering: .relaxed) }

  /// `true` if the server was verified, so that its data cannot be forged.
  var isSecure: Bool { secure.load(ordering: .relaxed) }

  func note() { heard.add(1, ordering: .relaxed) }
  func noteSecure() { secure.store(true, ordering: .relaxed) }
  func noteText() { text.store(true, ordering: .relaxed) }
}

/// A connection that counts each arrival. With a debug log of the wire it also logs the scrubbed
/// data.
final class MonitoredByteStream: ByteStream {
  let stream: any ByteStream
  let endpoint: Endpoint?
  private let activity: StreamActivity
  private let log: Log
  /// The largest number of characters of one read or write in a line of the log.
  private static let lineLimit = 4_000

  /// Completed TLS counts as activity; an accepted connection does not.
  init(_ stream: any ByteStream, _ activity: StreamActivity, log: Log, to endpoint: Endpoint? = nil)
  {
    self.stream = stream
    self.endpoint = endpoint
    self.activity = activity
    self.log = log
    if stream.isSecure {
      activity.note()
      activity.noteSecure()
    }
  }

  var isSecure: Bool { stream.isSecure }
  var isLoopback: Bool { stream.isLoopback }
  var channelBindings: [ChannelBinding] { stream.channelBindings }
  var tlsVersion: String? { stream.tlsVersion }
  var tlsCipher: String? { stream.tlsCipher }

  func receive() async throws(SocketError) -> [UInt8]? {
    let bytes = try await stream.receive()
    activity.note()
    if let bytes, !bytes.isEmpty {
      activity.noteText()
      log.debug("in: " + Self.form(of: bytes))
    }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(SocketError) {
    log.debug("out: " + Self.form(of: bytes))
    try await stream.send(bytes)
  }

  /// Returns the data as text, without secrets.
  private static func form(of bytes: [UInt8]) -> String {
    let text = WireScrubber.scrub(String(decoding: bytes, as: UTF8.self))
    guard let end = text.index(text.startIndex, offsetBy: lineLimit, limitedBy: text.endIndex),
      end < text.endIndex
    else { return text }
    return text[..<end] + "…"
  }

  func close() { stream.close() }
}
