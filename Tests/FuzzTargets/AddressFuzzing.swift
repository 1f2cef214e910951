import API
import Configuration
import Crypto
import HTTP
import NatterCore
import Sockets
import Terminal
import ViewModels
import XMPP

/// Short texts that have a syntax. All of them are read as everything that they could be.
enum AddressFuzzing {
  private static let lookalikes = Lookalikes()

  @Sendable static func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    try jid(text)
    try links(text)
    try hosts(text)
    try encodings(text, bytes)
    try others(text)
  }

  private static func jid(_ text: String) throws {
    for parsed in [JID(parsing: text), JID(userInput: text), JID(uri: text)] {
      guard let parsed else { continue }
      let printed = parsed.description
      try require(
        JID(parsing: printed) == parsed, "\(parsed) is another address when it is read again")
      for part in [parsed.local, parsed.domain, parsed.resource].compactMap(\.self) {
        try require((1...1023).contains(part.utf8.count), "a part of \(part.utf8.count) bytes")
      }
      _ = lookalikes.skeleton(of: parsed)
      _ = lookalikes.mixesScripts(parsed)
      if let domain = DomainName.ascii(parsed.domain) {
        try require(domain.utf8.allSatisfy { $0 < 0x80 }, "a domain that is not ASCII: \(domain)")
        try require(DomainName.ascii(domain) == domain, "\(domain) has another form in ASCII")
      }
    }
    if let named = ConnectionFuzzing.account.with(resource: text), let resource = named.resource {
      try require(
        named.with(resource: resource) == named, "a resource is prepared twice: \(resource)")
    }
  }

  private static func links(_ text: String) throws {
    if let web = WebAddress(text) {
      try require(
        WebAddress(web.description) == web, "\(web) is another address when it is read again")
      try require(
        web.description.utf8.allSatisfy { (0x21...0x7E).contains($0) },
        "\(web) can end the line that it is in")
      _ = (web.isLoopback, web.mayBeLoopback, web.isPermitted)
    }
    _ = ResourceAddress.isBegun(text)
    if let resource = ResourceAddress(text) { _ = (resource.path, resource.parameters) }
    if let code = OmemoURI(text) {
      try require(
        OmemoURI(code.text) == code, "a code of keys is another one when it is read again")
    }
    if let file = XEP0454EncryptedFile(body: text) {
      try require(
        XEP0454EncryptedFile(file.text) == file, "an encrypted file is another one when read again")
      try require(!file.address.utf8.contains(UInt8(ascii: "#")), "a key is in an address")
    }
    _ = Invitation(text)
    _ = BrowserAnswer(text, state: "state")
    if let link = Hyperlink(text, id: 1) {
      try require(
        link.address.utf8.allSatisfy { (0x21...0x7E).contains($0) },
        "a link can end the sequence that it is in")
    }
    if let name = SharedFile.safe(text) {
      try require(
        !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0) && name != ".."
          && name != ".",
        "a file's name leads elsewhere: \(name)")
    }
  }

  private static func hosts(_ text: String) throws {
    _ = DomainName.ascii(text)
    _ = DomainName.isLiteral(text)
    _ = Endpoint.isThisMachine(text)
    if let server = ServerName(text) {
      try require(!server.host.isEmpty, "a server without a name")
      if let port = server.port { try require((1...65535).contains(port), "port \(port)") }
    }
  }

  private static func encodings(_ text: String, _ bytes: [UInt8]) throws {
    try require(
      HTTP.PercentEncoding.decode(HTTP.PercentEncoding.encode(text)) == text,
      "percent-encoded it is another text")
    _ = HTTP.PercentEncoding.decode(text)
    try require(Base64.decode(Base64.encode(bytes)) == bytes, "as Base64 it is something else")
    if let decoded = Base64.decode(text) { _ = Base64.encode(decoded) }
    if let decoded = Crypto.bytes(hex: text) {
      try require(hex(decoded) == text.lowercased(), "as digits it is something else")
    }
    _ = FileDigest.sha256(text).hash
    _ = [FileDigest](stored: text).stored
    if let prepared = try? SASLPrep.prepare(text) {
      try require((try? SASLPrep.prepare(prepared)) == prepared, "a password is prepared twice")
    }
  }

  private static func others(_ text: String) throws {
    if let date = XEP0082DateTime.date(from: text) {
      let printed = XEP0082DateTime.text(for: date)
      if let again = XEP0082DateTime.date(from: printed) {
        try require(
          XEP0082DateTime.text(for: again) == printed, "\(printed) is another time when read again")
      }
    }
    _ = HTTPDate.date(from: text)
    if let hours = DayHours(text) {
      try require(DayHours(hours.text) == hours, "\(hours.text) are other hours when read again")
    }
    if let sequence = KeySequence(text) {
      // A character that joins the one before it cannot be behind a space.
      try require(
        !text.utf8.allSatisfy { $0 < 0x80 } || KeySequence(sequence.description) == sequence,
        "\(sequence) are other keys when they are read again")
      for key in sequence.keys { _ = key.reach }
    }
    _ = XEP0045Card.listed(text)
    _ = XEP0461Reply.text(ofQuotation: XEP0461Reply.quotation(of: text))
    _ = XEP0444Reactions.isFit(text)
  }
}
