import Crypto
import TestSupport
import Testing
import XML

@testable import XMPP

/// Device lists and messages of OMEMO 0.3.0, as clients and hostile servers send them.
@Suite struct OmemoElementTests {
  private static let namespace = "eu.siacs.conversations.axolotl"

  // MARK: Messages

  /// A key exchange of another implementation, 179 bytes.
  private static let exchange =
    "MwgBEiEFV9tLNZ8jrl4Ubk4lEgVnBHIlBjSMFQwUdT0Mkz0E1CEaIQV2HYjsgwQTkZ3+nU0dVvF+ZTyMmUCC31sTe5Cg"
    + "rm7fdCJiMwohBXOy2LdqqbU2YAMryPXYvuOjrk47On/Umt6B9zR6NKpoEAAYACIwOsd+yo9x+ngDde0UUVOkhboKF4mf"
    + "+BXqjIVWAaE3FaMWKv89wDu0VVGDhk1SJeGNpcViqRKYWRoor9QBMAE="
  private static let sent =
    "<message xmlns='jabber:client' from='bob@example.org/ref' type='chat'><body>encrypted</body>"
    + "<encrypted xmlns='\(namespace)'><header sid='27183'>"
    + "<key rid='31415' prekey='true'>\(exchange)</key><iv>FQCl/JrB1RpxQEeB</iv></header><payload>1seN/Q0=</payload></encrypted></message>"

  private func header(_ content: String, sid: String = "27183", rest: String = "") throws -> Element
  {
    try Element(
      xml: "<encrypted xmlns='\(Self.namespace)'><header sid='\(sid)'>\(content)</header>\(rest)"
        + "</encrypted>")
  }

  @Test func `a message of another client is read, and written the same`() throws {
    let message = MessageStanza(try Element(xml: Self.sent))
    let element = try #require(message.omemo)
    let read = try OmemoEncrypted(element, for: 31415)
    #expect(read.senderDevice == 27183 && read.keys.count == 1)
    #expect(read.keys.first?.isKeyExchange == true && read.keys.first?.bytes.count == 179)
    #expect(read.keys.first?.bytes.prefix(3) == [0x33, 0x08, 0x01])
    #expect(read.iv?.count == 12 && read.payload == [0xd6, 0xc7, 0x8d, 0xfd, 0x0d])
    #expect(read.element == element)
    #expect(try OmemoEncrypted(element) == read)
    let announced = XEP0380Encryption.omemo030.element
    #expect(XEP0380Encryption(announced) == .omemo030 && announced["namespace"] == Self.namespace)
    #expect(announced["name"] == "OMEMO")
  }

  @Test func `a message for other devices has no keys for this one`() throws {
    let read = try OmemoEncrypted(
      try header(
        "<key rid='1'>%%%</key><iv>FQCl/JrB1RpxQEeB</iv>", rest: "<payload>AAAA</payload>"),
      for: 2)
    #expect(read.keys.isEmpty && read.payload == [0, 0, 0])
  }

  /// twoAccountsWithOneDeviceID
  @Test func `two accounts may have devices with one id: each key for it is read, at most 8`()
    throws
  {
    let two = try OmemoEncrypted(
      try header(
        "<key rid='7'>AAAA</key><key rid='8'>AQEB</key><key rid='7' prekey='1'>AgIC</key>"),
      for: 7)
    #expect(two.keys.map(\.bytes) == [[0, 0, 0], [2, 2, 2]])
    #expect(two.keys.map(\.isKeyExchange) == [false, true])
    let many = String(repeating: "<key rid='7'>AAAA</key>", count: 20)
    #expect(try OmemoEncrypted(try header(many), for: 7).keys.count == 8)
    // One that cannot be read does not hide another.
    let mixed = try header("<key rid='7'>!</key><key rid='7'>AAAA</key>")
    #expect(try OmemoEncrypted(mixed, for: 7).keys.count == 1)
  }

  @Test(arguments: [("true", true), ("1", true), ("false", false), ("0", false), ("TRUE", false)])
  func `a key exchange is marked in two ways`(text: String, isExchange: Bool) throws {
    let read = try OmemoEncrypted(try header("<key rid='7' prekey='\(text)'>AAAA</key>"), for: 7)
    #expect(read.keys.first?.isKeyExchange == isExchange)
  }

  /// emptyMessageOfAnyType
  @Test(arguments: ["", " type='normal'", " type='chat'", " type='headline'"])
  func `a message that carries keys only may have any type and no body`(type: String) throws {
    let message = MessageStanza(
      try Element(
        xml: "<message\(type)><encrypted xmlns='\(Self.namespace)'><header sid='5'>"
          + "<key rid='7'>AAAA</key></header></encrypted></message>"))
    let read = try OmemoEncrypted(try #require(message.omemo), for: 7)
    #expect(read.payload == nil && read.iv == nil && read.keys.count == 1)
    #expect(message.isKeyTransport)
    #expect(try OmemoEncrypted(read.element) == read)
    // Some clients send an iv, of any length, which nothing needs.
    let vector = try header("<key rid='7'>AAAA</key><iv>AAAA</iv>")
    #expect(try OmemoEncrypted(vector, for: 7).iv == nil)
  }

  @Test func `an iv has 12 bytes, or 16 from older clients`() throws {
    for (iv, count) in [("AAAAAAAAAAAAAAAA", 12), ("AAAAAAAAAAAAAAAAAAAAAA==", 16)] {
      let read = try OmemoEncrypted(
        try header("<iv>\(iv)</iv>", rest: "<payload>AAAA</payload>"), for: 7)
      #expect(read.iv?.count == count)
    }
    for iv in ["AAAA", "AAAAAAAAAAAAAAAAAA==", "AAAAAAAAAAAAAAAAAAAAAAAA"] {
      let element = try header("<iv>\(iv)</iv>", rest: "<payload>AAAA</payload>")
      #expect(throws: OmemoElementError.wrongLength(.iv)) { try OmemoEncrypted(element, for: 7) }
    }
    let none = try header("", rest: "<payload>AAAA</payload>")
    #expect(throws: OmemoElementError.missing(.iv)) { try OmemoEncrypted(none, for: 7) }
  }

  @Test(arguments: [
    "", "0", "-1", "+1", "01", " 1", "1 ", "2147483648", "4294967297", "99999999999999999999",
    "1.0",
    "0x1", "１", "1e3", "\u{1D7D9}",
  ])
  func `a number that no device can have is none`(text: String) throws {
    let element = try header("<key rid='7'>AAAA</key>", sid: text)
    #expect(throws: OmemoElementError.wrongID(.sender)) { try OmemoEncrypted(element, for: 7) }
    #expect(try OmemoEncrypted(try header("<key rid='\(text)'>AAAA</key>")).keys.isEmpty)
    #expect(try OmemoDeviceList(try list("<device id='\(text)'/><device id='3'/>")).ids == [3])
  }

  @Test(arguments: [
    "%%%%", "A", "AA", "AAA", "AA=A", "AAAA=", "AAAA====", "A===", "AB==", "AAAA-_A=",
    "AAAA\u{301}",
    "ＡＡＡＡ", "AAA\u{212A}", "<b>AAAA</b>",
  ])
  func `what is not Base64 is refused`(text: String) throws {
    let key = try header("<key rid='7'>\(text)</key>")
    #expect(throws: OmemoElementError.self) { try OmemoEncrypted(key, for: 7) }
  }

  @Test func `Base64 in lines is read`() throws {
    let lines = try header("<key rid='7'>AAAA\r\n  AAAA\n</key>")
    #expect(try OmemoEncrypted(lines, for: 7).keys.first?.bytes.count == 6)
  }

  @Test func `a key of more than 4 kB is refused before it is decoded`() throws {
    let longest = Base64.encode([UInt8](repeating: 1, count: 4096))
    #expect(
      try OmemoEncrypted(try header("<key rid='7'>\(longest)</key>"), for: 7).keys.count == 1)
    let longer = Base64.encode([UInt8](repeating: 1, count: 4097))
    for text in [longer, String(repeating: "A", count: 500_000)] {
      let element = try header("<key rid='7'>\(text)</key>")
      #expect(throws: OmemoElementError.wrongLength(.key)) { try OmemoEncrypted(element, for: 7) }
    }
  }

  /// headerOf100000Keys
  @Test func `of a header with 100000 keys the first 5000 are looked at`() throws {
    let key = Element("key", Self.namespace, ["rid": "6"], text: "AAAA")
    var keys = [Element](repeating: key, count: 100_000)
    keys[4999]["rid"] = "7"
    keys[5000]["rid"] = "8"
    let element = Element(
      "encrypted", Self.namespace, [:], [Element("header", Self.namespace, ["sid": "5"], keys)])
    #expect(try OmemoEncrypted(element, for: 7).keys.count == 1)
    #expect(try OmemoEncrypted(element, for: 8).keys.isEmpty)
    #expect(try OmemoEncrypted(element, for: 6).keys.count == 8)
    #expect(try OmemoEncrypted(element).keys.count == 5000)
  }

  @Test func `something else is none`() throws {
    for xml in ["<encrypted xmlns='urn:xmpp:omemo:2'/>", "<x xmlns='\(Self.namespace)'/>"] {
      let element = try Element(xml: xml)
      #expect(throws: OmemoElementError.missing(.encrypted)) { try OmemoEncrypted(element) }
    }
    let empty = try Element(xml: "<encrypted xmlns='\(Self.namespace)'/>")
    #expect(throws: OmemoElementError.missing(.header)) { try OmemoEncrypted(empty) }
  }

  /// everyBitOfAMessage
  @Test func `a message with a bit changed anywhere, or cut anywhere, ends nothing`() throws {
    let bytes = Array(Self.sent.utf8)
    var read = 0
    for index in bytes.indices {
      // Another bit of each byte: all of them would take long.
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 7)
      if let text = String(validating: changed, as: UTF8.self),
        let element = try? Element(xml: text), let encrypted = MessageStanza(element).omemo,
        let value = try? OmemoEncrypted(encrypted, for: 31415)
      {
        read += 1
        try #require((try? OmemoEncrypted(value.element)) != nil, "\(text)")
      }
      #expect((try? Element(xml: String(decoding: bytes[..<index], as: UTF8.self))) == nil)
    }
    // Many changes of a key, the iv or the payload make another valid element.
    #expect(read > 100)
  }

  // MARK: Device lists

  private func list(_ content: String) throws -> Element {
    try Element(xml: "<list xmlns='\(Self.namespace)'>\(content)</list>")
  }

  private func event(_ node: String, _ content: String) throws -> XEP0060Event {
    try #require(
      XEP0060Event(
        MessageStanza(
          try Element(
            xml: "<message from='bob@example.org'><event xmlns='\(XEP0060.events)'>"
              + "<items node='\(node)'>\(content)</items></event></message>"))))
  }

  @Test func `a list is read and written, each device once`() throws {
    let read = try OmemoDeviceList(
      try list("<device id='9'/><device id='3'/><device id='9'/><other/><device/>"))
    #expect(read.ids == [3, 9])
    #expect(read.element == (try list("<device id='3'/><device id='9'/>")))
    #expect(try OmemoDeviceList(read.element) == read)
    #expect(OmemoDeviceList(ids: [9, 3, 9]) == read)
    #expect(throws: OmemoElementError.missing(.list)) {
      try OmemoDeviceList(Element("list", "urn:xmpp:omemo:2"))
    }
  }

  /// listOf9000Devices
  @Test func `a list of more than 100 devices is refused whole`() throws {
    let hundred = OmemoDeviceList(ids: 1...100)
    #expect(try OmemoDeviceList(hundred.element) == hundred)
    for count in [101, 9000] as [UInt32] {
      let element = OmemoDeviceList(ids: 1...count).element
      #expect(throws: OmemoElementError.tooMany(.list, Int(count))) {
        try OmemoDeviceList(element)
      }
    }
  }

  @Test func `the item that counts is the one with the usual id, else the last one`() throws {
    func answer(_ items: String) throws -> Element {
      try Element(
        xml: "<iq type='result'><pubsub xmlns='\(Namespace.pubSub)'><items node='x'>\(items)"
          + "</items></pubsub></iq>")
    }
    func item(_ id: String, _ device: Int) -> String {
      "<item id='\(id)'><list xmlns='\(Self.namespace)'><device id='\(device)'/></list></item>"
    }
    let usual = try answer(item("current", 1) + item("a", 2))
    #expect(try OmemoDeviceList(answer: usual).ids == [1])
    let other = try answer(item("a", 1) + item("b", 2))
    #expect(try OmemoDeviceList(answer: other).ids == [2])
    #expect(try OmemoDeviceList(answer: try answer("")).ids == [])
    #expect(throws: OmemoElementError.missing(.list)) {
      try OmemoDeviceList(answer: try answer("<item id='current'/>"))
    }
  }

  /// bundleEventIsIgnored
  @Test func `a notification counts for the node of lists only`() throws {
    let item = "<item id='current'><list xmlns='\(Self.namespace)'><device id='4'/></list></item>"
    let node = "\(Self.namespace).devicelist"
    #expect(try OmemoDeviceList(event: try event(node, item))?.ids == [4])
    #expect(try OmemoDeviceList(event: try event("\(Self.namespace).bundles:4", item)) == nil)
    #expect(try OmemoDeviceList(event: try event("urn:xmpp:omemo:2:devices", item)) == nil)
    #expect(try OmemoDeviceList(event: try event(node, "<retract id='old'/>")) == nil)
    let purged = try #require(
      XEP0060Event(
        MessageStanza(
          try Element(
            xml: "<message><event xmlns='\(XEP0060.events)'><purge node='\(node)'/></event>"
              + "</message>"))))
    #expect(try OmemoDeviceList(event: purged)?.ids == [])
  }

  // MARK: Publishing

  private func options(_ request: Element) throws -> XEP0004DataForm? {
    request.first("pubsub", Namespace.pubSub)?.first("publish-options", Namespace.pubSub)?
      .first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
  }

  /// unknownPublishOptionIsRefused
  @Test func `a publish has the two options that every server knows, and no other`() throws {
    let request = OmemoDeviceList(ids: [4]).publication()
    let form = try #require(try options(request))
    #expect(
      Set(form.fields.compactMap(\.name)) == [
        "FORM_TYPE", "pubsub#persist_items", "pubsub#access_model",
      ])
    #expect(form["pubsub#access_model"]?.values == ["open"])
    #expect(form["pubsub#persist_items"]?.values == ["true"])
    #expect(request["type"] == "set" && request["to"] == nil)
    let publish = try #require(
      request.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub))
    #expect(publish["node"] == "eu.siacs.conversations.axolotl.devicelist")
    #expect(publish.first("item", Namespace.pubSub)?["id"] == "current")
    #expect(try options(OmemoDeviceList(ids: [4]).publication(hasOptions: false)) == nil)
    let question = OmemoDeviceList.request(
      of: JID(local: "bob", domain: "example.org", resource: "x"))
    #expect(question["to"] == "bob@example.org" && question["type"] == "get")
  }

  @Test(arguments: [
    "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
      + "<precondition-not-met xmlns='http://jabber.org/protocol/pubsub#errors'/>",
    "<precondition-not-met xmlns='http://jabber.org/protocol/pubsub#errors'/>"
      + "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>",
  ])
  func `an unmet condition is reported in two orders`(conditions: String) throws {
    let error = StanzaError(try Element(xml: "<error type='cancel'>\(conditions)</error>"))
    #expect(error.isUnmetPrecondition && !error.lacksPublishOptions)
    #expect(!StanzaError(.cancel, .conflict).isUnmetPrecondition)
  }
}
