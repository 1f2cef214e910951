import Crypto
import Foundation
import JSONLines
import NatterCore
import Testing
import TestSupport
import XMPP

@testable import ImportService

@Suite struct NatterFormatTests {
  private let path = Histories.path("natter-export/messages.jsonl")

  @Test func `each message of an export has everything that was exported`() throws {
    #expect(HistoryFormats.format(of: path) is NatterFormat.Type)
    let items = try Histories.read(NatterFormat.self, path)
    let messages = Histories.messages(items)
    #expect(messages.count == 5 && items.count == 7)
    #expect(messages.allSatisfy { $0.account == Histories.alice })
    let details = messages.compactMap(\.details)
    #expect(
      details[0].reactions == [
        Message.Reaction(sender: Histories.alice, isOwn: true, emoji: ["👍"])
      ])
    #expect(details[0].sender == Histories.bob.with(resource: "phone") && !details[0].isDelayed)
    #expect(messages[1].body == "a tpyo" && details[1].correctedText == "a typo")
    #expect(details[1].delivery == .read && details[1].reply?.id == "m1")
    #expect(details.map(\.thread) == [nil, .init(id: "t1", parent: "t0"), nil, nil, nil])
    #expect(messages[2].kind == .room && messages[2].nick == "carol")
    #expect(details[2].file?.name == "a.png" && details[2].file?.byteCount == 12)
    #expect(messages[3].conversation == Histories.tea.with(resource: "dave"))
    #expect(details[3].retraction == .author)
    // It is not sent now.
    #expect(details[4].delivery == .failed(reason: ""))
  }

  @Test func `an invalid line is refused with its number`() throws {
    let folder = try TemporaryFolder("natter")
    defer { folder.remove() }
    try folder.write(
      """
      {"conversation":"bob@natter.test","kind":"direct","direction":"in","at":"2026-11-28T21:04:10Z","body":"hi"}
      {"conversation":"bob@natter.test","kind":"direct","direction":"in","at":"soon","body":"hi"}
      [1]
      {"of":"a newer version"}

      {"natter-export":2}
      {"conversation":"bob@natter.test","kind":"new","direction":"in","at":"2026-11-28T21:04:10Z","body":"hi"}
      """, to: "a.jsonl")
    let path = folder.path("a.jsonl")
    #expect(
      try Histories.read(NatterFormat.self, path).dropFirst() == [
        .refused(place: "\(path):2"), .refused(place: "\(path):3"), .skipped,
        .refused(place: "\(path):6"), .refused(place: "\(path):7"),
      ])
  }

  @Test func `what has no text says what it is, also in lines of earlier versions`() throws {
    let folder = try TemporaryFolder("natter")
    defer { folder.remove() }
    let beginning = #"""
      {"conversation":"bob@natter.test","kind":"direct","direction":"in",\#
      "at":"2026-11-28T21:04:10Z","body":"","content":
      """#
    let long = String(repeating: "n", count: 101)
    try folder.write(
      [
        #""call","call":"answered""#, #""call""#, #""call","call":"sung""#,
        #""encrypted","encryption":{"method":"urn:e","name":"\#(long)"}"#, #""encrypted""#,
        #""unknown","namespace":"\#(long)""#, #""unknown""#,
        #""newer""#,
      ].map { beginning + $0 + "}\n" }.joined(), to: "a.jsonl")
    let messages = try Histories.messages(NatterFormat.self, folder.path("a.jsonl"))
    let cut = String(repeating: "n", count: 100)
    #expect(
      messages.map { $0.details?.content } == [
        .call(.answered), .call(.missed), .call(.missed),
        .encrypted(XEP0380Encryption(method: "urn:e", name: cut)),
        .encrypted(XEP0380Encryption(method: "?")), .unknown(namespace: cut),
        .unknown(namespace: "?"), nil,
      ])
    // A row without any content would say nothing.
    let stored = messages.map { $0.entry(for: Histories.alice)?.message.payload != nil }
    #expect(stored == [true, true, true, true, true, true, true, false])
    #expect(messages.last?.entry(for: Histories.alice) == nil)
  }

  /// Reads a line of an export, with further members.
  private func line(_ members: String) throws -> ImportItem? {
    let text = """
      {"conversation":"bob@natter.test","kind":"direct","direction":"in",\
      "at":"2026-11-28T21:04:10Z","body":"hi",\(members)}
      """
    return NatterLine.item(try JSONValue(parsing: text.utf8), of: Histories.alice)
  }

  @Test func `an address that cannot be read does not count as an absent one`() throws {
    for members in [#""account":"no address@""#, #""from":"no address@""#, #""account":3"#] {
      #expect(try line(members) == nil, "\(members)")
    }
    guard case .message(let message)? = try line(#""account":null"#) else {
      Issue.record("an absent account is not read")
      return
    }
    #expect(message.account == Histories.alice && message.details?.sender == nil)
  }

  @Test(arguments: ["nick", "origin_id", "thread", "retracted", "edited"])
  func `a member of another kind does not count as an absent one`(name: String) throws {
    let value = name == "edited" ? #"{"first":3}"# : "3"
    #expect(try line(#""\#(name)":\#(value)"#) == nil)
    #expect(try line(#""\#(name)":null"#) != nil)
  }

  @Test func `what a line has beside its text is limited`() throws {
    let long = String(repeating: "long ", count: 10_000)
    let item = try line(
      #""reply_to":{"id":"m1","text":"\#(long)"},"file":{"url":"file:///etc/passwd"},"#
        + #""reactions":[{"from":"bob@natter.test","emoji":["👍","\#(long)"]},"#
        + #"{"from":"carol@natter.test","emoji":["\#(long)"]}]"#)
    guard case .message(let message)? = item, let details = message.details else {
      Issue.record("the line is not read")
      return
    }
    #expect(details.reply?.text == Message.Reply.shortened(long))
    #expect(details.file == nil)
    #expect(details.reactions.map(\.emoji) == [["👍"]])
    guard case .message(let answer)? = try line(#""reply_to":{"id":"\#(long)"}"#) else {
      Issue.record("the line is not read")
      return
    }
    #expect(answer.details?.reply == nil)
  }

  @Test func `a piece ends by the bytes of all texts of its messages`() throws {
    let name = String(repeating: "n", count: ImportChunk.byteLimit)
    let item = try #require(
      try line(#""file":{"url":"https://files.test/a","name":"\#(name)"}"#))
    var chunk = ImportChunk()
    chunk.take(item, ImportSelection(account: Histories.alice))
    #expect(chunk.isFull && chunk.entries.count == 1)
  }

  @Test func `a folder is no export, and is named as one`() throws {
    let folder = try TemporaryFolder("natter")
    defer { folder.remove() }
    let path = folder.root.path
    #expect(throws: ImportFailure.unreadable(path: path, reason: String(EISDIR))) {
      try Histories.read(NatterFormat.self, path)
    }
  }

  @Test func `a damaged export is read as far as possible`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    try Histories.damage(NatterFormat.self, Array(bytes.prefix(900)), as: "a.jsonl")
  }

  // MARK: - Archives

  /// An entry of a tar file.
  private struct Entry {
    var name: String
    var content: [UInt8]
    var kind = UInt8(ascii: "0")
    var link = ""
  }

  private func tar(_ entries: [Entry]) -> [UInt8] {
    entries.flatMap { entry -> [UInt8] in
      var head = [UInt8](repeating: 0, count: 512)
      func put(_ text: String, at offset: Int) {
        for (index, byte) in text.utf8.enumerated() { head[offset + index] = byte }
      }
      func octal(_ number: Int, _ digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: digits - text.count) + text
      }
      put(entry.name, at: 0)
      put(octal(0o600, 7), at: 100)
      put(octal(entry.content.count, 11), at: 124)
      put(octal(0, 11), at: 136)
      put("        ", at: 148)
      head[156] = entry.kind
      put(entry.link, at: 157)
      put("ustar\0" + "00", at: 257)
      put(octal(head.reduce(0) { $0 + Int($1) }, 6) + "\0", at: 148)
      let padding = (512 - entry.content.count % 512) % 512
      return head + entry.content + [UInt8](repeating: 0, count: padding)
    } + [UInt8](repeating: 0, count: 1024)
  }

  private func digest(_ bytes: [UInt8]) throws -> String {
    hex(try CryptoLibrary().hash(bytes, by: .sha256))
  }

  /// The entries of a good archive.
  private func entries(
    schema: Int = 9, version: Int = 1, account: String = #""alice@natter.test""#
  ) throws -> [Entry] {
    let lines = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let store = Array("a database".utf8)
    let picture = Array("a picture".utf8)
    let manifest = """
      {"natter-archive":\(version),"schema":\(schema),"account":\(account),\
      "at":"2026-11-29T08:00:00Z","parts":{"store.db":"\(try digest(store))",\
      "messages.jsonl":"\(try digest(lines))"}}
      """
    return [
      Entry(name: "manifest.json", content: Array(manifest.utf8)),
      Entry(name: "store.db", content: store), Entry(name: "messages.jsonl", content: lines),
      Entry(name: "files/\(try digest(picture))", content: picture),
    ]
  }

  /// Reads an archive.
  private func read(_ bytes: [UInt8]) throws -> [ImportedMessage] {
    let folder = try TemporaryFolder("archive")
    defer { folder.remove() }
    let path = folder.path("a.tar")
    try Data(bytes).write(to: URL(filePath: path))
    var context = Histories.context()
    context.newestSchema = 9
    return try Histories.messages(NatterFormat.self, path, context)
  }

  @Test func `the messages of an archive are those of its lines`() throws {
    let bytes = tar(try entries())
    #expect(try read(bytes) == Histories.messages(NatterFormat.self, path))
    let folder = try TemporaryFolder("archive")
    defer { folder.remove() }
    try Data(bytes).write(to: folder.url("a.tar"))
    #expect(HistoryFormats.format(of: folder.path("a.tar")) is NatterFormat.Type)
  }

  @Test func `an archive of an account that cannot be read is not the user's`() throws {
    for account in [#""no address@""#, "3", #""""#] {
      let bytes = tar(try entries(account: account))
      #expect(throws: ImportFailure.self, "\(account)") { try read(bytes) }
    }
    #expect(try !read(tar(try entries(account: "null"))).isEmpty)
  }

  @Test func `a newer schema or form is refused`() throws {
    func failure(_ entries: [Entry]) throws -> String {
      let failure = #expect(throws: ImportFailure.self) { try read(tar(entries)) }
      return String(describing: failure).contains("newerVersion") ? "newer" : "damaged"
    }
    #expect(try failure(entries(schema: 10)) == "newer")
    #expect(try failure(entries(version: 2)) == "newer")
    // It never was.
    #expect(try failure(entries(version: 0)) == "damaged")
  }

  @Test(arguments: 0..<9)
  func `an archive that is not as it should be is refused before anything is read`(number: Int)
    throws
  {
    var entries = try entries()
    switch number {
    case 0: entries[1].content[0] ^= 1
    case 1: entries[2].content[0] ^= 1
    case 2: entries[3].content[0] ^= 1
    case 3: entries.append(Entry(name: "../escape", content: []))
    case 4: entries.append(Entry(name: "files/../../escape", content: []))
    case 5: entries[3] = Entry(name: "store.db", content: [], kind: 0x32, link: "/etc/passwd")
    case 6: entries.remove(at: 1)
    case 7: entries.append(entries[2])
    default: entries.swapAt(0, 1)
    }
    let bytes = tar(entries)
    #expect(throws: ImportFailure.self) { try read(bytes) }
  }

  @Test func `an archive that is cut off or changed anywhere is refused, or the same`() throws {
    let bytes = tar(try entries())
    let whole = try read(bytes)
    for length in stride(from: 512, to: bytes.count - 1024, by: 61) {
      #expect(throws: ImportFailure.self) { try read(Array(bytes.prefix(length))) }
    }
    for index in stride(from: 512, to: bytes.count, by: 41) {
      var changed = bytes
      changed[index] ^= 0x11
      do { #expect(try read(changed) == whole, "\(index)") } catch is ImportFailure {}
    }
  }

  @Test func `each byte of a small archive may change, and each part of its end be missing`()
    throws
  {
    var entries = try entries()
    entries.removeLast()
    let line =
      #"{"conversation":"b@x","kind":"direct","direction":"in","at":"2026-11-28T21:04:10Z"}"#
    let lines = Array((line + "\n").utf8)
    let manifest = """
      {"natter-archive":1,"schema":9,"parts":{"store.db":"\(try digest(entries[1].content))",\
      "messages.jsonl":"\(try digest(lines))"}}
      """
    (entries[0].content, entries[2].content) = (Array(manifest.utf8), lines)
    let bytes = tar(entries)
    let folder = try TemporaryFolder("archive")
    defer { folder.remove() }
    let path = folder.path("a.tar")
    try Data(bytes).write(to: URL(filePath: path))
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    /// Returns the bytes of the database; `nil`: it is refused.
    func database() throws -> [UInt8]? {
      var database: [UInt8] = []
      do {
        try AccountArchive(path, newestSchema: 9).readDatabase { database += $0 }
        return database
      } catch is ImportFailure { return nil }
    }
    #expect(try database() == entries[1].content)
    // Bytes between the parts mean nothing.
    let used = (0..<bytes.count).filter { bytes[$0] != 0 || $0 % 16 == 0 }
    for index in used {
      var byte = bytes[index] ^ 0x15
      #expect(pwrite(descriptor, &byte, 1, index) == 1)
      let found = try database()
      #expect(found == nil || found == entries[1].content, "\(index)")
      byte = bytes[index]
      #expect(pwrite(descriptor, &byte, 1, index) == 1)
    }
    // Without the second empty block at the end it is complete.
    for length in (0..<(bytes.count - 1024)).reversed() {
      #expect(ftruncate(descriptor, length) == 0)
      #expect(try database() == nil, "\(length)")
    }
  }
}
