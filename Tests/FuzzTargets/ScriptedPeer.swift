import NatterCore
import TestSupport
import XML
import XMPP

/// The server of a fuzzed session. It authenticates the client, then follows its lines:
///
/// - `!XML` is sent at once, unchanged;
/// - `?XML` answers the client's next question with an error that holds this;
/// - any other line is the payload of the answer to the client's next question.
///
/// Questions for which no line is left get an error. Lines for which no question comes are left
/// out: between lines the server has the client acknowledge all that it was sent (XEP-0198), so
/// that nothing here depends on time.
actor ScriptedPeer {
  private let end: MemoryByteStream
  private var script: ArraySlice<ArraySlice<UInt8>>
  /// The parser of the client's stream.
  private let heard = XMLStreamParser()
  /// The parser of this end's own stream, with which it knows what the client understands.
  private let said = XMLStreamParser()
  private var isSignedIn = false
  /// Stanzas that the client has to acknowledge, and that it has sent.
  private var sent: UInt32 = 0
  private var received: UInt32 = 0
  /// The number of stanzas to acknowledge when the client was asked; `nil` while it is not asked.
  private var asked: UInt32?
  /// The number of successive rounds in which the client had everything and sent no request.
  private var idleRounds = 0
  private var hasEnded = false

  /// Rounds after which nothing more is expected: what a service does between two questions may
  /// take one.
  private static let patience = 4

  init(_ end: MemoryByteStream, script: [ArraySlice<UInt8>]) {
    self.end = end
    self.script = script[...]
  }

  func run() async {
    while !hasEnded, let bytes = try? await end.receive() {
      var events: [XMLStreamEvent] = []
      do { events = try heard.feed(bytes) } catch { break }
      for event in events where !hasEnded { await take(event) }
    }
    end.close()
  }

  private func take(_ event: XMLStreamEvent) async {
    switch event {
    case .opened: await open()
    case .closed: hasEnded = true
    case .element(let element):
      if isSignedIn { await follow(element) } else { await signIn(element) }
    }
  }

  // MARK: Signing in

  private var isAuthenticated = false

  private func open() async {
    let features =
      isAuthenticated
      ? "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/>"
        + "<csi xmlns='urn:xmpp:csi:0'/><ver xmlns='urn:xmpp:features:rosterver'/>"
      : "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism>"
        + "</mechanisms>"
    said.reset()
    await say(
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams' from='example.org' id='1' "
        + "version='1.0'><stream:features>\(features)</stream:features>")
  }

  private func signIn(_ element: Element) async {
    switch (element.name, element.namespace) {
    case ("auth", _):
      isAuthenticated = true
      await say("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
      heard.reset()
    case ("enable", _):
      await say("<enabled xmlns='urn:xmpp:sm:3'/>")
      isSignedIn = true
      (sent, received) = (0, 0)
      await goOn()
    case ("iq", _):
      let jid = ConnectionFuzzing.account.description + "/test"
      await say(
        "<iq type='result' id='\(element["id"] ?? "")'>"
          + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(jid)</jid></bind></iq>")
    default: break
    }
  }

  // MARK: The session

  private func follow(_ element: Element) async {
    if element.namespace == Namespace.streamManagement {
      switch element.name {
      case "r": await say("<a xmlns='urn:xmpp:sm:3' h='\(received)'/>")
      case "a" where element["h"] == String(sent):
        asked = nil
        idleRounds += 1
        await goOn()
      case "a" where asked != sent:
        // More was said since; what is owed else comes by itself.
        asked = nil
        await goOn()
      default: break
      }
      return
    }
    guard Stanza.isStanza(element) else { return }
    received &+= 1
    guard element.name == "iq", ["get", "set"].contains(element["type"]) else { return }
    idleRounds = 0
    await answer(element)
    await goOn()
  }

  private func answer(_ question: Element) async {
    var iq = Element("iq", Namespace.client, ["id": question["id"] ?? "", "type": "result"])
    iq["from"] = question["to"]
    guard var line = script.first, line.first != UInt8(ascii: "!") else {
      return await say(
        XMLWriter().bytes(
          IQ(question).errorReply(StanzaError(.cancel, .serviceUnavailable))))
    }
    script.removeFirst()
    if line.first == UInt8(ascii: "?") {
      iq["type"] = "error"
      line.removeFirst()
    }
    // With something inside, so that there is an end tag.
    iq.children = [.text(" ")]
    let around = XMLWriter().bytes(iq)
    let tag = Array(" </iq>".utf8)
    await say(Array(around.dropLast(tag.count)) + line + Array("</iq>".utf8))
  }

  /// Says what is to be said unasked, and has it acknowledged.
  private func goOn() async {
    while let line = script.first, line.first == UInt8(ascii: "!"), !hasEnded {
      script.removeFirst()
      idleRounds = 0
      await say(Array(line.dropFirst()))
    }
    guard !hasEnded else { return }
    if idleRounds >= Self.patience {
      // Answers that nobody asks for.
      script = script.drop { $0.first != UInt8(ascii: "!") }
      guard script.isEmpty else { return await goOn() }
      await say(XMLWriter.streamEnd)
      hasEnded = true
      return
    }
    guard asked != sent else { return }
    asked = sent
    await say("<r xmlns='urn:xmpp:sm:3'/>")
    // Where the input has left an element open the client waits for the rest of it.
    if !isBetweenStanzas { hasEnded = true }
  }

  /// Indicates whether the last sent element was complete.
  private var isBetweenStanzas = true

  private func say(_ text: String) async { await say(Array(text.utf8)) }

  private func say(_ bytes: [UInt8]) async {
    guard !hasEnded else { return }
    do {
      let events = try said.feed(bytes)
      isBetweenStanzas = false
      for case .element(let element) in events {
        isBetweenStanzas = true
        if Stanza.isStanza(element) { sent &+= 1 }
      }
      if events.contains(.closed) || said.failure != nil { hasEnded = true }
      try await end.send(bytes)
    } catch {
      try? await end.send(bytes)
      hasEnded = true
    }
  }
}
