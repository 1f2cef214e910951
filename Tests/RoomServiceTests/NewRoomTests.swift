import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

extension AccountRoomsTests {
  /// The answer to a server with these settings when a room is made by entering it.
  private func answers(to answers: @escaping @Sendable (Element) throws -> Element?) async throws
    -> [XEP0004DataForm]
  {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel(answers: answers)
    let events = hub.events()
    let isOpen = Mutex(false)
    let listening = Task {
      for await event in events {
        if case .roomIncident(let incident) = event, case .created = incident.kind {
          isOpen.withLock { $0 = true }
        }
      }
    }
    defer { listening.cancel() }
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await service.join(room, nick: nil, password: nil)
      try await until { await channel.sent.contains { $0.name == "presence" } }
      await service.receive([.presence(RoomStanza.presence("alice", codes: [110, 201]))])
      try await until { isOpen.withLock { $0 } }
    }
    return await channel.requests.filter { $0["type"] == "set" }
      .compactMap { $0.first("query", XEP0045.owner)?.first("x", Namespace.dataForms) }
      .compactMap { XEP0004DataForm($0) }
  }

  private func offer(_ fields: XEP0004DataForm.Field...) -> Element {
    XEP0045.ownership(
      "result", room: RoomStanza.room,
      XEP0004DataForm(
        .form,
        fields: [.init("FORM_TYPE", kind: .hidden, values: [XEP0045.configuration])] + fields
      ).element)
  }

  @Test(arguments: ["muc#roomconfig_enablearchiving", "mam"])
  func `a room that is made by entering is opened for others, stays, and keeps what is said`(
    archive: String
  ) async throws {
    let offer = offer(
      .init("muc#roomconfig_persistentroom", kind: .boolean, values: ["0"]),
      .init("muc#roomconfig_publicroom", kind: .boolean, values: ["0"]),
      .init(archive, kind: .boolean, values: ["0"]))
    let given = try await answers { iq in
      iq["type"] == "get" && iq.first("query", XEP0045.owner) != nil ? offer : nil
    }
    #expect(given.map(\.kind) == [.submit])
    let form = try #require(given.first)
    #expect(form.formType == XEP0045.configuration)
    #expect(form["muc#roomconfig_persistentroom"]?.values == ["1"])
    #expect(form[archive]?.values == ["1"])
    #expect(form["muc#roomconfig_publicroom"]?.values == ["0"])
    #expect(form.fields.count == 4, "nothing that was not offered")
  }

  @Test func `a server that has no settings to offer opens the room as it is`() async throws {
    let given = try await answers { _ in nil }
    #expect(given == [XEP0004DataForm(.submit)])
  }

  @Test(arguments: ["get", "set"])
  func `where settings are refused the room is taken as it is`(refused: String) async throws {
    let offer = offer(.init("muc#roomconfig_persistentroom", kind: .boolean, values: ["0"]))
    let given = try await answers { iq in
      guard let query = iq.first("query", XEP0045.owner) else { return nil }
      let isEmpty =
        query.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }?.fields.isEmpty
      if iq["type"] == refused, isEmpty != true { throw StanzaError(.cancel, .notAllowed) }
      return iq["type"] == "get" ? offer : nil
    }
    #expect(given.last == XEP0004DataForm(.submit))
  }
}
