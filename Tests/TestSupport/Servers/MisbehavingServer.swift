import Foundation
import Synchronization

/// A listener on loopback that does not do what an XMPP server does.
package final class MisbehavingServer: Sendable {
  /// The server's behaviour on each connection.
  package enum Behaviour: Sendable {
    /// Closes it at once.
    case closesAtOnce
    /// Reads, and never says a word.
    case neverAnswers
    /// Says this, then reads on.
    case says([UInt8])
    /// Says this, then closes.
    case saysAndCloses([UInt8])
    /// Opens a stream as a server does, then says this, and may close then.
    case opensStreamAndSays(String, closes: Bool = false)
    /// Sends a new user its form (XEP-0077), takes the answers, and closes without an error.
    case takesNewcomersAndCloses
    /// Waits for each text one after the other, then sends the answer beside it; then reads on.
    case follows([(expecting: String, saying: String)])

    /// Bytes that are no XML and no UTF-8.
    package static var garbage: Behaviour { .says(MisbehavingServer.noise) }
    /// A web server on the XMPP port.
    package static var http: Behaviour {
      .saysAndCloses(
        Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }
    /// A stream error (RFC 6120 §4.9.3), with an optional text.
    package static func streamError(_ condition: String, text: String = "") -> Behaviour {
      let words =
        text.isEmpty
        ? "" : "<text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(text)</text>"
      return .opensStreamAndSays(
        "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>\(words)"
          + "</stream:error></stream:stream>", closes: true)
    }
    /// One stanza of so many bytes, and it does not end there.
    package static func hugeStanza(bytes: Int) -> Behaviour {
      .opensStreamAndSays("<message><body>" + String(repeating: "x", count: bytes))
    }
  }

  /// Bytes that are no XML and no UTF-8.
  package static let noise: [UInt8] = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 129) }

  package let port: UInt16
  private let listener: Int32
  private let connections = Mutex<Set<Int32>>([])
  private let heard = Observed<[UInt8]>([])
  private let count = Observed(0)

  package var address: String { "127.0.0.1:\(port)" }
  /// The bytes of all clients, in the order of their arrival.
  package var received: [UInt8] { heard.value }
  package var receivedText: String { String(decoding: heard.value, as: UTF8.self) }
  /// The number of clients that have connected.
  package var connectionCount: Int { count.value }

  package init(_ behaviour: Behaviour) throws {
    listener = try LoopbackSocket.listener(port: 0)
    port = LoopbackSocket.port(of: listener)
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        guard let self else {
          close(connection)
          break
        }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        serve(connection, behaviour)
      }
    }
  }

  deinit {
    // Ends the thread's `accept`; the descriptor's number is free again only after that.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    for connection in connections.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  /// Waits until what clients said contains `text`.
  package func hears(_ text: String, upTo limit: Duration = .seconds(20)) async -> Bool {
    let wanted = Array(text.utf8)
    return await heard.waits(upTo: limit) { $0.contains(sequence: wanted) }
  }

  /// Waits until so many clients have come.
  package func meets(_ number: Int, upTo limit: Duration = .seconds(20)) async -> Bool {
    await count.waits(upTo: limit) { $0 >= number }
  }

  private func serve(_ connection: Int32, _ behaviour: Behaviour) {
    _ = connections.withLock { $0.insert(connection) }
    count.update { $0 += 1 }
    Thread.detachNewThread { [heard, weak self] in
      Self.converse(connection, behaviour, heard)
      _ = self?.connections.withLock { $0.remove(connection) }
      close(connection)
    }
  }

  private static let header =
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
    + "xmlns:stream='http://etherx.jabber.org/streams' id='1' from='natter.test' version='1.0'>"

  /// The next question, read to its end.
  private static func stanza(_ connection: Int32, into heard: Observed<[UInt8]>) -> String? {
    var text = ""
    while !text.contains("</iq>") {
      guard let more = read(connection, into: heard) else { return nil }
      text += String(decoding: more, as: UTF8.self)
    }
    return text
  }

  private static func converse(
    _ connection: Int32, _ behaviour: Behaviour, _ heard: Observed<[UInt8]>
  ) {
    switch behaviour {
    case .closesAtOnce: return
    case .neverAnswers: while read(connection, into: heard) != nil {}
    case .says(let bytes):
      if say(connection, bytes) { while read(connection, into: heard) != nil {} }
    case .saysAndCloses(let bytes):
      _ = say(connection, bytes)
      shutdown(connection, Int32(SHUT_WR))
      while read(connection, into: heard) != nil {}
    case .takesNewcomersAndCloses:
      guard read(connection, into: heard) != nil,
        say(connection, Array((header + "<stream:features/>").utf8)),
        let question = stanza(connection, into: heard)
      else { return }
      let id = question.split(separator: "id=").dropFirst().first ?? ""
      let name = id.dropFirst().prefix { $0 != id.first }
      let form = "<query xmlns='jabber:iq:register'><username/><password/></query>"
      guard say(connection, Array("<iq type='result' id='\(name)'>\(form)</iq>".utf8)) else {
        return
      }
      _ = stanza(connection, into: heard)
    case .opensStreamAndSays(let text, let closes):
      guard read(connection, into: heard) != nil else { return }
      if say(connection, Array((header + text).utf8)) {
        if closes { shutdown(connection, Int32(SHUT_WR)) }
        while read(connection, into: heard) != nil {}
      }
    case .follows(let turns):
      var unread: [UInt8] = []
      for turn in turns {
        let wanted = Array(turn.expecting.utf8)
        while !unread.contains(sequence: wanted) {
          guard let more = read(connection, into: heard) else { return }
          unread += more
        }
        unread = []
        guard say(connection, Array(turn.saying.utf8)) else { return }
      }
      while read(connection, into: heard) != nil {}
    }
  }

  private static func read(_ connection: Int32, into heard: Observed<[UInt8]>) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 16384)
    let count = recv(connection, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    let bytes = Array(buffer[..<count])
    heard.update { $0 += bytes }
    return bytes
  }

  private static func say(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// `openssl s_server` on loopback: direct TLS with the given certificate, and no XMPP server
/// behind.
package final class TLSGreeter: Sendable {
  package let port: UInt16
  private let run: ServerRun
  private let folder: TemporaryFolder

  package var address: String { "127.0.0.1:\(port)" }

  package init(_ certificate: CertificateAuthority.Certificate) async throws {
    folder = try TemporaryFolder("tls")
    port = try LoopbackPort.free()
    run = try ServerRun(
      "openssl",
      [
        "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate.chain, "-key",
        certificate.key, "-quiet", "-alpn", "xmpp-client",
      ], environment: ["PATH": Programs.searchPath], directory: folder.root.path,
      output: folder.path("stdout.log"))
    let port = port
    guard await run.waits(upTo: .seconds(30), until: { ServerRun.answers(port) }) else {
      throw ServerStartError(name: "openssl s_server", log: tail(folder.path("stdout.log")))
    }
  }

  package func stop() async { await run.child.stop() }
}
