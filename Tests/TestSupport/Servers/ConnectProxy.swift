import Foundation
import Synchronization

/// A proxy on loopback (RFC 9110 §9.3.6) that leads every tunnel to one port, whatever was asked
/// for, and keeps what was.
package final class ConnectProxy: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let upstream: UInt16
  private let asked = Observed<[String]>([])

  package var address: String { "http://127.0.0.1:\(port)" }
  /// `host:port` of each tunnel.
  package var targets: [String] { asked.value }

  /// Listens at once.
  package init(to upstream: UInt16) throws {
    self.upstream = upstream
    listener = try LoopbackSocket.listener(port: 0)
    port = LoopbackSocket.port(of: listener)
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { break }
        guard let self else {
          close(client)
          break
        }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        serve(client)
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ client: Int32) {
    Thread.detachNewThread { [upstream, asked] in
      defer { close(client) }
      guard let target = Self.target(client), let server = try? LoopbackSocket.connect(to: upstream)
      else { return }
      defer { close(server) }
      asked.update { $0.append(target) }
      guard Self.write(Array("HTTP/1.1 200 Go ahead\r\n\r\n".utf8)[...], to: client) else { return }
      Self.pass(client, server)
    }
  }

  /// Reads the request's head byte by byte: what follows it belongs to the tunnel.
  private static func target(_ client: Int32) -> String? {
    var head: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while head.suffix(4) != end[...] {
      var byte: UInt8 = 0
      guard head.count < 8192, recv(client, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    let words = String(decoding: head, as: UTF8.self).split(separator: " ")
    return words.count > 2 && words[0] == "CONNECT" ? String(words[1]) : nil
  }

  /// Passes bytes on both ways until one end is done.
  private static func pass(_ one: Int32, _ other: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      var ends = [one, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&ends, 2, -1) > 0 else { continue }
      for (index, end) in ends.enumerated() where end.revents != 0 {
        let count = recv(end.fd, &buffer, buffer.count, 0)
        guard count > 0, write(buffer[..<count], to: index == 0 ? other : one) else { return }
      }
    }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
