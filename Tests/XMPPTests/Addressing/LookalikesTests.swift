import Testing

@testable import XMPP

@Suite struct LookalikesTests {
  private let lookalikes = Lookalikes()
  private let bob = JID(local: "bob", domain: "example.org")

  private func address(_ local: String, _ domain: String = "example.org") -> JID {
    JID(local: local, domain: domain)
  }

  @Test(arguments: ["b\u{43E}b", "b0b", "b\u{3BF}b"])
  func `letters of other scripts, and digits, look like plain ones`(local: String) {
    #expect(lookalikes.lookalikes(of: address(local), among: [bob]) == [bob])
  }

  @Test(arguments: ["bob\u{115F}", "b\u{200D}ob"])
  func `what is drawn as nothing hides no look-alike`(local: String) {
    #expect(lookalikes.lookalikes(of: address(local), among: [bob]) == [bob])
  }

  @Test func `rn looks like m, and 1 like l`() {
    #expect(lookalikes.lookalikes(of: address("rnary"), among: [address("mary")]).count == 1)
    #expect(lookalikes.lookalikes(of: address("pau1"), among: [address("paul")]).count == 1)
    #expect(lookalikes.lookalikes(of: address("bob", "examp1e.org"), among: [bob]) == [bob])
  }

  @Test func `other letters, and the address itself, are no look-alikes`() {
    let others = [address("bobby"), address("rob"), address("böb"), address("bob", "example.net")]
    #expect(lookalikes.lookalikes(of: bob, among: others + [bob]) == [])
    #expect(lookalikes.lookalikes(of: address("张伟"), among: [address("張偉")]) == [])
  }

  @Test func `what no one writes: two scripts in one word`() {
    #expect(lookalikes.mixesScripts(address("p\u{430}ul")))
    #expect(lookalikes.mixesScripts(address("bob", "ex\u{430}mple.org")))
    for local in ["paul", "павел", "пётр", "alice7", "müller", "张伟", "王-li", "παύλος"] {
      #expect(!lookalikes.mixesScripts(address(local)), "\(local)")
    }
    #expect(!lookalikes.mixesScripts(address("иван.petrov", "пример.example.org")))
  }
}
