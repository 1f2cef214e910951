import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct PresenceStoreTests {
  @Test func `the own presence comes back, and the default one needs no row`() async throws {
    let account = try await AccountDatabase.inMemory()
    #expect(try await account.presence.storedPresence() == StoredPresence())
    for presence in [
      OwnPresence(availability: .away, status: "tea"), OwnPresence(status: "writing", priority: -3),
    ] {
      try await account.presence.keep(presence)
      #expect(try await account.presence.storedPresence() == StoredPresence(own: presence))
    }
    try await account.presence.keep(OwnPresence())
    #expect(try await account.pendingChanges.pending(PresenceChange.self) == [])
  }

  @Test func `requests come back, the oldest first, until they are removed`() async throws {
    let store = try await AccountDatabase.inMemory().presence
    let paris = JID(local: "paris", domain: "example.org")
    try await store.keepRequest(from: Sample.juliet, at: Sample.date(2))
    try await store.keepRequest(from: paris, at: Sample.date(1))
    #expect(try await store.storedPresence().requests == [paris, Sample.juliet])
    try await store.removeRequest(from: paris)
    #expect(try await store.storedPresence().requests == [Sample.juliet])
  }
}
