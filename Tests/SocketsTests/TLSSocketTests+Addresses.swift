import Foundation
import Glibc
import Testing

@testable import Sockets

extension TLSSocketTests {
  /// Of the two addresses one never answers: to wait for it would take minutes.
  @Test(.timeLimit(.minutes(6)), arguments: [AF_INET, AF_INET6], [true, false])
  func
    `IPv4 and IPv6 raced (RFC 8305): a dead address of one does not hold up a living one of the other`(
      dead: CInt, isFirst: Bool
    ) async throws
  {
    let (deaf, peer) = try deadAndLiving(dead) {
      let deaf = try DeafListener(dead)
      return (deaf, deaf.port)
    }
    let addresses: [SocketAddress] = [
      .ipv4Loopback(port: peer.port), .ipv6Loopback(port: peer.port),
    ]
    let client = try await TLSSocket.connect(
      to: (dead == AF_INET) == isFirst ? addresses : addresses.reversed(), host: "two.example",
      port: peer.port, domain: "natter.test", trust: trust, limit: .seconds(600))
    try await client.send([1])
    #expect(try await client.receive() == [1])
    withExtendedLifetime(deaf) {}
  }

  @Test(arguments: [AF_INET, AF_INET6])
  func `a refusing address of one family leads to the other's`(dead: CInt) async throws {
    let (refusing, peer) = try deadAndLiving(dead) {
      let refusing = try RefusingPort(dead)
      return (refusing, refusing.port)
    }
    let addresses: [SocketAddress] = [
      .ipv4Loopback(port: peer.port), .ipv6Loopback(port: peer.port),
    ]
    let client = try await TLSSocket.connect(
      to: dead == AF_INET ? addresses : addresses.reversed(), host: "two.example", port: peer.port,
      domain: "natter.test", trust: trust, limit: .seconds(20))
    try await client.send([1])
    #expect(try await client.receive() == [1])
    withExtendedLifetime(refusing) {}
  }

  /// Both at one port: one of the family `family`, which takes nobody, and a server of the other.
  private func deadAndLiving<Dead>(
    _ family: CInt, _ dead: () throws -> (Dead, port: Int)
  ) throws -> (Dead, TLSPeer) {
    var tries = 0
    while true {
      let (dead, port) = try dead()
      do { return (dead, try peer(.direct, at: Self.address(besides: family, port: port))) } catch {
        // Somebody else has that port in the other family.
        tries += 1
        if tries == 10 { throw error }
      }
    }
  }

  private static func address(besides family: CInt, port: Int) -> ListeningSocket.Address {
    family == AF_INET ? .ipv6Loopback(port: port) : .ipv4Loopback(port: port)
  }
}
