import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

@Suite struct ArchiveLookupTests {
  private let bob = JID(local: "bob", domain: "example.org")
  private let attempt = Date(timeIntervalSince1970: 2000)

  private func needed(
    attempted: Bool = false, refusal: RefusedCopies? = nil, missed: Set<String> = []
  ) -> [String: ArchiveLookup] {
    ArchiveLookup.needed(
      for: [.queued("m1", at: 1000)], attempts: attempted ? ["m1": attempt] : [:],
      refusals: refusal.map { ["m1": $0] } ?? [:], missed: missed)
  }

  @Test func `a message that was never written needs none`() {
    #expect(needed().isEmpty)
  }

  @Test func `a message that was written is looked for since then`() {
    #expect(needed(attempted: true) == ["m1": ArchiveLookup(peer: bob, since: attempt)])
  }

  @Test func `a message is looked for once in a session`() {
    #expect(needed(attempted: true, missed: ["m1"]).isEmpty)
  }

  @Test func `all copies of a message that was refused are looked for, from its time on`() {
    let written = Date(timeIntervalSince1970: 1000)
    let open = RefusedCopies(ids: ["a1"], isOpen: true)
    for attempted in [false, true] {
      #expect(
        needed(attempted: attempted, refusal: open)
          == ["m1": ArchiveLookup(peer: bob, since: written)])
    }
  }

  @Test func `a refused message whose copies are known is looked for since it was sent again`() {
    let closed = RefusedCopies(ids: ["a1"], isOpen: false)
    #expect(needed(refusal: closed).isEmpty)
    #expect(
      needed(attempted: true, refusal: closed) == ["m1": ArchiveLookup(peer: bob, since: attempt)])
  }
}
