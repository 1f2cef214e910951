/// Typical stanzas of a busy day: messages with bodies in several scripts, presences with
/// capabilities, pages of an archive, rosters.
struct StanzaText {
  private var state: UInt64 = 42
  private var text = ""
  private var number = 0

  private static let words = [
    "hello", "the", "meeting", "is", "at", "three", "don't", "forget",
    "https://example.org/a?b=1&amp;c=2",
    "&lt;code&gt;", "привет", "завтра", "увидимся", "на", "вокзале", "你好", "明天见", "世界", "안녕하세요",
    "こんにちは", "naïve", "café", "über", "👍", "😀", "ok", "thanks", "see", "you", "tomorrow", "morning",
  ]

  /// A whole stream of at least `byteCount` bytes.
  static func stream(byteCount: Int) -> (bytes: [UInt8], stanzaCount: Int) {
    var generator = StanzaText()
    var bytes = Array(
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='5b0c' from='natter.test' version='1.0' xml:lang='en'>"
        .utf8)
    bytes.reserveCapacity(byteCount + 65_536)
    while bytes.count < byteCount {
      generator.text = ""
      switch generator.random(10) {
      case 0..<4: generator.addMessage()
      case 4..<6: generator.addPresence()
      case 6..<9: generator.addArchived()
      default: generator.addQuery()
      }
      bytes += generator.text.utf8
    }
    bytes += "</stream:stream>".utf8
    return (bytes, generator.number)
  }

  private mutating func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func body() -> String {
    (0..<(2 + random(24))).map { _ in Self.words[random(Self.words.count)] }
      .joined(separator: " ")
  }

  private mutating func person() -> String { "user\(random(200))@natter.test" }

  private mutating func message() -> String {
    let id = "5f2c1e7a-\(number)"
    return
      "<message xmlns='jabber:client' xml:lang='en' to='alice@natter.test' from='\(person())/natter.\(random(90))' type='chat' id='\(id)'><body>\(body())</body><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/><active xmlns='http://jabber.org/protocol/chatstates'/><request xmlns='urn:xmpp:receipts'/></message>"
  }

  private mutating func addMessage() {
    number += 1
    text +=
      "<message xml:lang='en' to='alice@natter.test/natter.1' from='\(person())/phone' type='chat' id='m\(number)'><body>\(body())</body><stanza-id xmlns='urn:xmpp:sid:0' by='alice@natter.test' id='16990000\(number)'/><request xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/></message>"
  }

  private mutating func addPresence() {
    number += 1
    text +=
      "<presence from='\(person())/desk' to='alice@natter.test/natter.1'><show>away</show><status>\(body())</status><priority>5</priority><c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='https://profanity-im.github.io' ver='QgayPKawpkPSDYmwT/WM94uAlu0='/></presence>"
  }

  private mutating func addArchived() {
    number += 1
    text +=
      "<message to='alice@natter.test/natter.1' from='alice@natter.test'><result xmlns='urn:xmpp:mam:2' queryid='q7' id='28482-98726-\(number)'><forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2026-07-10T23:08:25Z'/>\(message())</forwarded></result></message>"
  }

  private mutating func addQuery() {
    number += 1
    if random(20) > 0 {
      text +=
        "<iq type='result' id='q\(number)' from='natter.test' to='alice@natter.test/natter.1'><ping xmlns='urn:xmpp:ping'/></iq>"
      return
    }
    text +=
      "<iq type='result' id='r\(number)' to='alice@natter.test/natter.1'><query xmlns='jabber:iq:roster' ver='v\(number)'>"
    for index in 0..<40 {
      text +=
        "<item jid='user\(index)@natter.test' name='User \(index)' subscription='both'><group>Friends</group></item>"
    }
    text += "</query></iq>"
  }
}
