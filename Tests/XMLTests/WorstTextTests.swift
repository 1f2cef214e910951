import BoundedText
import Glibc
import Testing
import XML
import XMPP

/// Text that a sender makes to keep the program busy: it takes as long as any other.
@Suite struct WorstTextTests {
  /// As much as a stanza may bring, of what is sorted, looked back through or counted from its
  /// beginning.
  static let kinds: [@Sendable (Int) -> String] = [
    {
      "a" + String(repeating: "\u{301}", count: $0 / 4)
        + String(repeating: "\u{316}", count: $0 / 4)
    },
    { String(repeating: "\u{1F469}\u{200D}", count: $0 / 7) },
    { String(repeating: "\u{1F1E6}", count: $0 / 4) },
    { String(repeating: "\u{1161}", count: $0 / 3) },
    { String(repeating: "\u{915}\u{94D}", count: $0 / 6) },
    { String(repeating: "\u{600}", count: $0 / 2) },
  ]

  private static func stanza(_ text: String) throws -> XML.Element {
    try parsed(
      """
      <stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>\(text)
      """)
  }

  private static func parsed(_ text: String) throws -> XML.Element {
    let parser = XMLStreamParser(stanzaLimit: 8 << 20)
    for case .element(let element) in try parser.feed(Array(text.utf8)) { return element }
    throw CancellationError()
  }

  private func longestCluster(_ text: String) -> Int {
    text.reduce(0) { max($0, $1.unicodeScalars.count) }
  }

  @Test(arguments: kinds.indices)
  func `every text and attribute that is read has clusters that end`(kind: Int) throws {
    let text = Self.kinds[kind](4000)
    let references = text.unicodeScalars.map { "&#\($0.value);" }.joined()
    let element = try Self.stanza(
      """
      <message a='\(text)' b='\(references)' xmlns:p='urn:\(text)' p:c='\(text)'>\(text)\
      <x/>\(text)<x/>\(references)<y><![CDATA[\(text)]]>\(text)</y></message>
      """)
    var built = element
    built["d"] = "d"
    for found in [element, built] {
      let inner = try #require(found.first("y", "jabber:client"))
      var texts = found.attributes.flatMap { [$0.key, $0.value] } + [found.text, inner.text]
      texts += ["a", "b"].compactMap { found[$0] }
      for case .text(let part) in found.children { texts.append(part) }
      #expect(texts.count >= 13)
      for text in texts { #expect(longestCluster(text) <= 62) }
    }
  }

  @Test func `pieces of a text that are put together are bounded once more`() throws {
    let piece = "\u{301}\u{316}\u{301}\u{316}\u{301}"
    let pieces = String(repeating: "\(piece)<b/>", count: 500)
    let element = try Self.stanza("<message><body>a\(pieces)</body></message>")
    let body = try #require(MessageStanza(element).body)
    #expect(longestCluster(body) == 31)
    let ranges = (0..<500).map { "<p:body start='\($0 * 10)' end='\($0 * 10 + 5)'/>" }.joined()
    let quoted = try Self.stanza(
      """
      <message><body>\(String(repeating: "xxxxx\(piece)", count: 500))</body>\
      <p:fallback xmlns:p='urn:xmpp:fallback:0' for='f'>\(ranges)</p:fallback></message>
      """)
    let parts = try #require(MessageStanza(quoted).body(withoutFallbackFor: "f"))
    #expect(longestCluster(parts.kept) <= 31)
    #expect(parts.dropped == String(repeating: "xxxxx", count: 500))
  }

  @Test(arguments: kinds.indices) func `an address of that is refused`(kind: Int) {
    let text = Self.kinds[kind](4000)
    for address in ["\(text)@a.example", "a@\(text)", "a@a.example/\(text)", text] {
      #expect(JID(parsing: address) == nil)
      #expect(JID(userInput: address) == nil)
    }
    #expect(throws: JIDError.tooLong) { try JID.parse("a@a.example/" + text) }
    #expect(throws: JIDError.tooLong) {
      try JID.parse("a@a.example/" + String(repeating: "x", count: 1024))
    }
    // What was cut on its way in is not the address that was sent.
    let cut = ("a@a.example/b" + String(text.unicodeScalars.prefix(200))).bounded
    if cut.unicodeScalars.contains("\u{200B}") { #expect(JID(parsing: cut) == nil) }
  }

  /// Everything that is read of a message, a presence, an iq, wherever the text is in it.
  private func read(_ text: String) throws {
    let delay = "<delay xmlns='urn:xmpp:delay' stamp='2024-01-01T00:00:00Z' from='\(text)'/>"
    let message = MessageStanza(
      try Self.stanza(
        """
        <message from='\(text)' to='\(text)' id='\(text)' type='chat'><body>\(text)</body>\
        <subject>\(text)</subject>\(delay)<stanza-id xmlns='urn:xmpp:sid:0' id='\(text)' by='\(text)'/>\
        <origin-id xmlns='urn:xmpp:sid:0' id='\(text)'/><reply xmlns='urn:xmpp:reply:0' id='\(text)' to='\(text)'/>\
        <replace xmlns='urn:xmpp:message-correct:0' id='\(text)'/><occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(text)'/>\
        <reactions xmlns='urn:xmpp:reactions:0' id='\(text)'><reaction>\(text)</reaction></reactions>\
        <x xmlns='http://jabber.org/protocol/muc#user'><invite from='\(text)'><reason>\(text)</reason></invite></x>\
        <x xmlns='jabber:x:oob'><url>\(text)</url><desc>\(text)</desc></x></message>
        """))
    var found = [message.from?.resource, message.to?.resource, message.id, message.body]
    found += [message.subject, message.originID, message.correctedID, message.occupantID]
    found.append(message.stanzaID(by: JID(local: "alice", domain: "a.example")))
    found += [message.reply?.id, XEP0045Invitation(message)?.reason]
    _ = message.heldBack(by: JID(local: "alice", domain: "a.example"))
    let presence = PresenceStanza(
      try Self.stanza(
        """
        <presence from='a@a.example/\(text)'><status>\(text)</status><show>\(text)</show>\
        <x xmlns='http://jabber.org/protocol/muc#user'><item jid='\(text)' nick='\(text)' role='\(text)'>\
        <actor nick='\(text)'/><reason>\(text)</reason></item></x></presence>
        """))
    let said = XEP0045Presence(presence)
    found += [presence.from?.resource, presence.status, presence.show, said?.item?.nick]
    found += [said?.item?.role, said?.item?.actor, said?.item?.reason, said?.item?.jid?.domain]
    // What is done with texts: they are compared, looked up, cut, and walked through from both
    // ends.
    var known: Set<String> = []
    for case let text? in found {
      known.insert(text)
      known.insert(text.lowercased())
      _ = text.prefix(400) + text.suffix(10)
      _ = text.split(separator: " ").count + text.reversed().count
    }
    _ = known.sorted()
  }

  /// Seconds of this thread: what else the machine does in the meantime does not count.
  private func processorTime(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try body()
    return now() - start
  }

  @Test(arguments: kinds.indices)
  func `eight times the text takes no more than a few times eight times as long`(kind: Int) throws {
    let (short, long) = (Self.kinds[kind](32_000), Self.kinds[kind](256_000))
    let once = try processorTime { try read(short) }
    // The square would be 64 times as long.
    #expect(try processorTime { try read(long) } < 24 * max(once, 0.001))
  }
}
