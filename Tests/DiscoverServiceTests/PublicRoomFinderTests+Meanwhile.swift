import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

// Searches while a directory is read.
extension PublicRoomFinderTests {
  @Test func `what a search finds while the whole list is read stays, and gone rooms go`()
    async throws
  {
    let search = JID(local: nil, domain: "search.example.org")
    func room(_ name: String) -> JID { JID(local: name, domain: "rooms.example.net") }
    let store = MemoryDirectoryStore(
      [RoomDirectory(jid: search, kind: .search, isAdded: true)],
      [PublicRoom(jid: room("gone"), directory: search)])
    let server = ServerOfRooms(parts: [])
    let (finder, _) = await finder(server, store)
    @Sendable func text(_ iq: Element) -> String? {
      iq.first("search", XEP0433.namespace)?.first("x", Namespace.dataForms)
        .flatMap { XEP0004DataForm($0) }?["q"]?.values.first
    }
    let held = HeldChannel(holding: {
      $0.first("search", XEP0433.namespace) != nil && text($0) == nil
    }) { iq in
      guard iq.first("search", XEP0433.namespace) != nil else { return try server.answer(iq) }
      let address = (text(iq) ?? "popular") + "@rooms.example.net"
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "result", XEP0433.namespace, [:],
            [Element("item", XEP0433.namespace, ["address": address])])
        ])
    }
    await finder.channelOpened(held)
    try await held.holds {
      try await finder.refresh()
    } meanwhile: {
      try await finder.search(for: "swift")
      // Another search is done before the list is stored.
      await store.afterSaving {
        await #expect(throws: Never.self) { try await finder.search(for: "tea") }
      }
    }
    let listed = [room("popular"), room("swift"), room("tea")]
    let names = try await finder.listing().rooms.map(\.jid.description).sorted()
    #expect(names == listed.map(\.description))
    #expect(await store.publicRooms().map(\.jid.description).sorted() == names)
  }
}
