import Testing
import XMPP

@testable import PeopleService

/// The contact requests that are kept where more arrive than the user answers.
@Suite struct RequestSharesTests {
  private func address(_ local: String, _ domain: String) -> JID {
    JID(local: local, domain: domain)
  }

  @Test func `the newest of the domain that has the most gives way`() {
    let flood = (0..<9).map { address("s\($0)", "n\($0).flood.example") }
    let pending = [address("alice", "home.example")] + flood + [address("eve", "home.example")]
    #expect(
      RequestShares.givingWay(to: address("bob", "other.example"), among: pending) == flood[8])
    #expect(RequestShares.givingWay(to: address("bob", "home.example"), among: pending) == flood[8])
  }

  @Test func `those of the domain that has the most wait`() {
    let flood = (0..<9).map { address("s\($0)", "flood.example") }
    #expect(RequestShares.givingWay(to: address("more", "x.flood.example"), among: flood) == nil)
    let each = [address("a", "a.example"), address("b", "b.example"), address("c", "localhost")]
    #expect(RequestShares.givingWay(to: address("d", "d.example"), among: each) == nil)
  }
}
