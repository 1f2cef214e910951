import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct NameColourTests {
  @Test func `one address has one colour, and all colours are used`() {
    let colours = (0..<200).map { NameColour.of(JID(local: "user\($0)", domain: "example.org")) }
    #expect(Set(colours) == Set(0..<8))
    #expect(
      NameColour.of(.bob) == NameColour.of(JID(local: "bob", domain: "example.net", resource: "x")))
  }
}
