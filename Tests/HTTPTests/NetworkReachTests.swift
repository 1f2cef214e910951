import Sockets
import TestSupport
import Testing

@testable import HTTP

/// Where requests may go whose address others have chosen.
@Suite struct NetworkReachTests {
  @Test(arguments: [
    "127.0.0.1", "127.1", "0x7f.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::",
    "fe80::1", "fe80::1%lo",
    "fd00::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::10.0.0.1",
    "2002:c0a8:0101::1",
    "fec0::1",
  ])
  func `private addresses are known in every form`(host: String) throws {
    #expect(PrivateNetwork.contains(try #require(PrivateNetwork.bytes(of: host))))
  }

  @Test(arguments: [
    "1.1.1.1", "172.32.0.1", "172.15.0.1", "192.0.2.1", "100.63.0.1", "2001:db8::1",
    "2606:4700::1111", "64:ff9b::1.1.1.1",
    "::ffff:1.1.1.1",
  ])
  func `public ones are not`(host: String) throws {
    #expect(!PrivateNetwork.contains(try #require(PrivateNetwork.bytes(of: host))))
    #expect(PrivateNetwork.bytes(of: "a.example") == nil)
  }

  private func error(_ address: String, _ reach: NetworkReach) async throws -> HTTPError? {
    var request = HTTPRequest(.get, try #require(WebAddress(address)), redirects: .anyServer)
    request.reach = reach
    do throws(HTTPError) {
      _ = try await CurlTransport().send(request)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func `numbers and names that lead to this machine are refused before anything is sent`(
    host: String
  ) async throws {
    let peer = try HTTPPeer { _ in .answer(200) }
    let address = peer.address.replacing("127.0.0.1", with: host)
    let reach = NetworkReach(home: ["192.0.2.1"])
    guard case .privateNetwork(let reported, _) = try await error(address, reach) else {
      Issue.record("it was not refused")
      return
    }
    #expect(reported == host && peer.requests.isEmpty)
    reach.agree(to: host)
    #expect(try await error(address, reach) == nil)
    #expect(peer.requests.count == 1)
  }

  @Test func `where the account's own server is there too, it may be asked`() async throws {
    let peer = try HTTPPeer { _ in .answer(200) }
    #expect(try await error(peer.address, NetworkReach(home: ["localhost"])) == nil)
    #expect(try await error(peer.address, NetworkReach(home: ["127.0.0.1"])) == nil)
    let other = NetworkReach(home: ["10.1.2.3"])
    #expect(try await error(peer.address, other) != nil)
    #expect(!other.permits("files.a.example", at: [10, 9, 9, 9]))
    let household = NetworkReach(home: ["localhost"])
    await household.findHome()
    #expect(household.permits("upload.localhost", at: [10, 9, 9, 9]))
    #expect(!household.permits("evil.example", at: [10, 9, 9, 9]))
    #expect(household.permits("evil.example", at: [1, 1, 1, 1]))
  }

  @Test func `names of a server on a private network do not open this machine`() async {
    let home = NetworkReach(home: ["10.1.2.3"])
    await home.findHome()
    #expect(home.permits("upload.10.1.2.3", at: [10, 9, 9, 9]))
    for address in ["127.0.0.1", "127.1.2.3", "0.0.0.0", "::1", "::", "::127.0.0.1"] {
      let bytes = PrivateNetwork.bytes(of: address) ?? []
      #expect(!home.permits("upload.10.1.2.3", at: bytes))
    }
  }
}
