import Testing
import XMPP

@testable import Text

@Suite struct NameHueTests {
  // XEP-0392 §13.2.
  @Test(arguments: [
    ("Romeo", 327.255249), ("juliet@capulet.lit", 209.410400), ("😺", 331.199341),
    ("council", 359.994507),
  ])
  func `hue angles are those of the specification`(_ text: String, _ angle: Double) {
    #expect(abs(NameHue.angle(of: text) - angle) < 0.0001)
  }

  @Test func `one address has one hue, wherever it writes from`() {
    let bob = JID(local: "bob", domain: "example.net")
    #expect(NameHue.of(bob) == NameHue.of(JID(local: "bob", domain: "example.net", resource: "x")))
    #expect(NameHue.of(bob) != NameHue.of(JID(local: "chloe", domain: "example.net")))
  }
}
