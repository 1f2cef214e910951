import ConnectionService
import NatterCore
import Storage
import TestSupport
import Testing
import ViewModels
import XML
import XMPP

@testable import natter

/// A session with a room at the other end, which lets in or refuses by the nick.
private actor RoomStream: LiveStream {
  nonisolated let session = Session.fixture
  nonisolated let incoming: AsyncStream<[Stanza]>
  nonisolated let acknowledged: AsyncStream<[String]>
  private let arrivals: AsyncStream<[Stanza]>.Continuation
  /// The condition with which the room refuses a nick; `nil`: it lets them in.
  private let refusal: @Sendable (_ nick: String) -> String?
  /// Indicates whether the request to join creates the room.
  private let isNew: Bool
  private(set) var sent: [Element] = []
  /// The number of queries what the room is; only the first one is answered.
  private(set) var questions = 0
  var endReason: StreamFailure? { nil }

  init(
    isNew: Bool = false, refusal: @escaping @Sendable (_ nick: String) -> String? = { _ in nil }
  ) {
    self.isNew = isNew
    self.refusal = refusal
    (incoming, arrivals) = AsyncStream<[Stanza]>.makeStream()
    acknowledged = AsyncStream { $0.finish() }
  }

  func send(_ stanza: Element) async throws {
    sent.append(stanza)
    let address = stanza["to"] ?? ""
    let nick = address.split(separator: "/").last.map { String($0) } ?? ""
    let answer: String
    if stanza.name == "message" {
      answer = """
        <message from='\(address)/alice' type='groupchat' id='\(stanza["id"] ?? "")'>\
        <body>hello</body></message>
        """
    } else if let condition = refusal(nick) {
      answer = """
        <presence from='\(address)' type='error'><error type='auth'>\
        <\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>
        """
    } else {
      answer = """
        <presence from='\(address)'><x xmlns='http://jabber.org/protocol/muc#user'>\
        <item affiliation='none' role='participant'/><status code='110'/>\
        \(isNew ? "<status code='201'/>" : "")</x></presence>
        """
    }
    if let arrival = Stanza(try Element(xml: answer)) { arrivals.yield([arrival]) }
  }

  func request(_ iq: Element, timeout: Duration) async throws -> Element {
    guard iq.first("query", Namespace.discoInfo) != nil else {
      throw StanzaError(.cancel, .itemNotFound)
    }
    questions += 1
    guard questions == 1 else { throw ChannelError.timedOut }
    return try Element(
      xml: """
        <iq type='result'><query xmlns='http://jabber.org/protocol/disco#info'>\
        <identity category='conference' type='text'/></query></iq>
        """)
  }

  func run() async {}
  func markHandled(_ count: Int) async {}
  func probe(limit: Duration) async throws {}
  func close() async { arrivals.finish() }
}

/// Messages of `natter send` over a session of their own.
@Suite struct DirectSendingTests {
  private let alice = JID(local: "alice", domain: "natter.test")
  private let room = JID(local: "den", domain: "rooms.natter.test")

  private func outcome(of stream: RoomStream) async throws -> SendOutcome {
    let localizer = try SendCommandTests.context(["send", "a@b", "x"], home: Home()).localizer
    let sending = DirectSending(stream: stream, account: alice, localizer: localizer) { _ in }
    return await sending.send("hello", id: "o1", to: room)
  }

  @Test func `a room is entered, and hears the message`() async throws {
    let stream = RoomStream()
    let outcome = try await outcome(of: stream)
    guard case .accepted = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let recipients = await stream.sent.map { $0["to"] }
    #expect(recipients == ["den@rooms.natter.test/alice", "den@rooms.natter.test"])
  }

  @Test func `nothing is said in a room that the request created`() async throws {
    let stream = RoomStream(isNew: true)
    let outcome = try await outcome(of: stream)
    guard case .failed(let reason) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reason.contains("there is no room den@rooms.natter.test"), "\(reason)")
    let sent = await stream.sent.map(\.name)
    #expect(sent == ["presence"])
  }

  @Test func `a room that has identified itself is not asked again`() async throws {
    let stream = RoomStream()
    let localizer = try SendCommandTests.context(["send", "a@b", "x"], home: Home()).localizer
    let sending = DirectSending(stream: stream, account: alice, localizer: localizer) { _ in }
    #expect(await sending.isRoom(room) == true)
    let outcome = await sending.send("hello", id: "o1", to: room)
    guard case .accepted = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(await stream.questions == 1)
    let types = await stream.sent.map { $0["type"] }
    #expect(types == [nil, "groupchat"])
  }

  @Test func `another nick is tried where one is taken`() async throws {
    let stream = RoomStream { $0 == "alice" ? "conflict" : nil }
    let outcome = try await outcome(of: stream)
    guard case .accepted = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let tried = await stream.sent.prefix(2).map { $0["to"] }
    #expect(tried == ["den@rooms.natter.test/alice", "den@rooms.natter.test/alice_"])
  }

  @Test(arguments: [
    ("conflict", "/join den@rooms.natter.test", 4), ("registration-required", "members only", 1),
    ("not-authorized", "has a password", 1), ("forbidden", "banned", 1),
  ])
  func `a room that lets no one in is a failure that names a way on`(
    condition: String, reported: String, attempts: Int
  ) async throws {
    let stream = RoomStream { _ in condition }
    let outcome = try await outcome(of: stream)
    guard case .failed(let reason) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reason.contains(reported), "\(reason)")
    let sent = await stream.sent.map(\.name)
    #expect(sent == Array(repeating: "presence", count: attempts))
  }

  @Test func `only an address elsewhere that is on no list may be a room that is new`()
    async throws
  {
    let context = try SendCommandTests.context(["send", "a@b", "x"], home: Home())
    let database = try await AccountDatabase.inMemory()
    let services = try context.services(
      for: Account(jid: alice), database: database, credentials: context.credentials,
      hub: EventHub())
    #expect(try await services.mayBeRoom(room))
    #expect(try await !services.mayBeRoom(JID(local: "bob", domain: "natter.test")))
    #expect(try await !services.mayBeRoom(JID(local: nil, domain: "rooms.natter.test")))
    // Without a connection nothing is known.
    #expect(await services.refusal(outside: room) == nil)
    _ = try await database.conversations.open(room, kind: .direct)
    #expect(try await !services.mayBeRoom(room))
    // As a message that was refused leaves it.
    try await database.conversations.hide(room)
    #expect(try await services.mayBeRoom(room))
    _ = try await database.conversations.open(room, kind: .room)
    #expect(try await !services.mayBeRoom(room))
  }
}
