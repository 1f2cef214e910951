import Sockets
import Synchronization

/// Counts what is heard of a server while a session is set up.
final class SignsOfLife: Sendable {
  private let heard = Atomic<Int>(0)

  private let words = Atomic<Bool>(false)

  var count: Int { heard.load(ordering: .relaxed) }
  /// Whether it said anything: neither that a connection came about nor that it ended is a word.
  var hasWords: Bool { words.load(ordering: .relaxed) }

  func note() { heard.add(1, ordering: .relaxed) }
  func noteWords() { words.store(true, ordering: .relaxed) }
}

/// A connection that notes each time that something arrives.
final class AttendedStream: ByteStream {
  let stream: any ByteStream
  private let signs: SignsOfLife

  /// TLS that is complete is a sign too; that a port takes connections is none.
  init(_ stream: any ByteStream, _ signs: SignsOfLife) {
    self.stream = stream
    self.signs = signs
    if stream.isSecure { signs.note() }
  }

  var isSecure: Bool { stream.isSecure }
  var isLoopback: Bool { stream.isLoopback }
  var channelBinding: [UInt8]? { stream.channelBinding }
  var tlsVersion: String? { stream.tlsVersion }

  func receive() async throws(SocketError) -> [UInt8]? {
    let bytes = try await stream.receive()
    signs.note()
    if bytes?.isEmpty == false { signs.noteWords() }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(SocketError) { try await stream.send(bytes) }

  func close() { stream.close() }
}
