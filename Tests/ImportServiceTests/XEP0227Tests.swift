import Foundation
import NatterCore
import Testing
import TestSupport
import XMPP

@testable import ImportService

@Suite struct XEP0227Tests {
  private let path = Histories.path("xep0227/export.xml")

  @Test func `the archives of all users are read, also those in other files`() throws {
    #expect(HistoryFormats.format(of: path) is XEP0227Format.Type)
    let items = try Histories.read(XEP0227Format.self, path)
    let messages = Histories.messages(items)
    #expect(messages.map(\.body) == ["Hello & good day", "It's me", "room words", "Hello"])
    #expect(
      messages.map(\.account) == [Histories.alice, Histories.alice, Histories.alice, Histories.bob])
    #expect(
      messages.map(\.conversation) == [
        Histories.bob, Histories.bob, Histories.tea, Histories.alice,
      ])
    #expect(messages.map(\.direction) == [.incoming, .outgoing, .incoming, .outgoing])
    #expect(messages.map(\.stanzaID) == ["a1", "a2", "a4", "b1"])
    #expect(messages.map(\.originID) == ["m1", "o2", "m4", "m1"])
    #expect(messages[1].corrects == "o1")
    #expect(messages[2].kind == .room && messages[2].nick == "carol")
    #expect(messages[3].fileAddress == "https://natter.test/a.png")
    #expect(abs(messages[0].sentAt.timeIntervalSince(Histories.date(10.128112))) < 0.000_001)
    // The receipt, and the file outside the folder.
    #expect(items.count { $0 == .skipped } == 1)
    #expect(items.last == .refused(place: "../../outside.xml"))
  }

  /// An export with one archive.
  private func export(_ results: String) -> String {
    """
    <p:server-data xmlns:p='urn:xmpp:pie:0' xmlns='urn:xmpp:forward:0'><p:host jid='natter.test'>\
    <p:user name='alice'><archive xmlns='urn:xmpp:pie:0#mam' xmlns:m='urn:xmpp:mam:2'>\(results)\
    </archive></p:user></p:host></p:server-data>
    """
  }

  private let result = """
    <m:result id='a1'><forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' \
    stamp='2026-11-28T21:04:10Z'/><message xmlns='jabber:client' from='bob@natter.test/x'>\
    <body>hi</body></message></forwarded></m:result>
    """

  private func bodies(_ text: String) throws -> (bodies: [String], refused: Int) {
    let folder = try TemporaryFolder("xep0227")
    defer { folder.remove() }
    try folder.write(text, to: "export.xml")
    let items = try Histories.read(XEP0227Format.self, folder.path("export.xml"))
    return (
      Histories.messages(items).map(\.body),
      items.count { if case .refused = $0 { true } else { false } }
    )
  }

  @Test func `namespaces of the elements around it apply to a result`() throws {
    #expect(try bodies(export(result)) == (["hi"], 0))
  }

  @Test func `a result that is not well-formed, or too long, is refused, and the next one is read`()
    throws
  {
    let long = result.replacing("hi", with: String(repeating: "x", count: 1_200_000))
    let broken = result.replacing("<body>hi</body>", with: "<body>&hi;</body>")
    #expect(try bodies(export(broken + long + "<m:result/>" + result)) == (["hi"], 2))
  }

  @Test(arguments: [
    ("urn:xmpp:forward:0'><delay", "urn:x'><delay"), ("<m:result", "<p:result"),
    ("stamp='2026", "stamp='0001"), ("stamp='2026", "stamp='1969"),
    ("<delay xmlns='urn:xmpp:delay' stamp='", "<delay xmlns='urn:xmpp:delay' stamp='x"),
  ])
  func `what is no result with a time is refused`(part: String, other: String) throws {
    var changed = result.replacing(part, with: other)
    if other.hasPrefix("<p:") { changed = changed.replacing("</m:result", with: "</p:result") }
    let second = "<delay xmlns='urn:xmpp:delay' stamp='2001-01-01T00:00:00Z'/><message"
    #expect(try bodies(export(changed.replacing("<message", with: second))) == ([], 1))
  }

  @Test func `an element of another namespace corrects nothing`() throws {
    let folder = try TemporaryFolder("xep0227")
    defer { folder.remove() }
    let replacing = result.replacing("<body>", with: "<replace xmlns='urn:x' id='o1'/><body>")
    try folder.write(export(replacing), to: "export.xml")
    let items = try Histories.read(XEP0227Format.self, folder.path("export.xml"))
    #expect(Histories.messages(items).map(\.corrects) == [nil])
  }

  @Test(arguments: [("jabber:x:oob", "https://a.test/b"), ("urn:x", nil)])
  func `only an address out of band is that of a file`(namespace: String, file: String?) throws {
    let folder = try TemporaryFolder("xep0227")
    defer { folder.remove() }
    let url = "<url xmlns='\(namespace)'>https://a.test/b</url>"
    let sharing = result.replacing("<body>", with: "<x xmlns='jabber:x:oob'>\(url)</x><body>")
    try folder.write(export(sharing), to: "export.xml")
    let items = try Histories.read(XEP0227Format.self, folder.path("export.xml"))
    #expect(Histories.messages(items).map(\.fileAddress) == [file])
  }

  @Test(arguments: [
    ([], "first"), (["fr"], "deux"), (["de-CH", "fr"], "drei"), (["it"], "first"),
  ])
  func `of a text in several languages the one that the user reads is imported`(
    languages: [String], body: String
  ) throws {
    let folder = try TemporaryFolder("xep0227")
    defer { folder.remove() }
    let several = result.replacing(
      "<body>hi</body>",
      with: "<body xml:lang='en'> </body><body>first</body><body xml:lang='fr'>deux</body>"
        + "<body xml:lang='de'>drei</body>")
    try folder.write(export(several), to: "export.xml")
    var context = Histories.context()
    context.languages = languages
    let items = try Histories.read(XEP0227Format.self, folder.path("export.xml"), context)
    #expect(Histories.messages(items).map(\.body) == [body])
  }

  @Test(arguments: ["folder", "pipe", "none.xml"])
  func `a part that cannot be read is reported, and the rest is read`(name: String) throws {
    let folder = try TemporaryFolder("xep0227")
    defer { folder.remove() }
    try folder.makeFolder("folder")
    try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
    let include = "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(name)'/>"
    try folder.write(export(include + result), to: "export.xml")
    let items = try Histories.read(XEP0227Format.self, folder.path("export.xml"))
    #expect(items.count == 2 && Histories.messages(items).map(\.body) == ["hi"])
    guard case .refused(let place) = items.first else {
      Issue.record("\(items)")
      return
    }
    #expect(HistoryFolder.name(of: place) == name)
  }

  @Test func `a document type is refused`() throws {
    #expect(throws: ImportFailure.self) {
      try bodies("<!DOCTYPE x [<!ENTITY a 'b'>]>" + export(result))
    }
  }

  @Test func `a damaged export is read as far as possible`() throws {
    try Histories.damage(XEP0227Format.self, Array(export(result + result).utf8), as: "e.xml")
  }
}
