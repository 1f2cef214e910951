import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The list of files, as it is read from the database.
@Suite struct FileHistoryTests {
  private let bob = JID(local: "bob", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")

  private func insert(
    _ name: String?, type: String? = nil, size: Int? = nil, at seconds: Double,
    in conversation: JID? = nil, isOwn: Bool = false, into account: AccountDatabase
  ) async throws -> Message {
    try #require(
      await account.messages.insert([
        IncomingMessage(
          conversation: conversation ?? bob, sender: bob,
          direction: isOwn ? .outgoing : .incoming, body: "\(seconds)",
          sentAt: Date(timeIntervalSince1970: seconds), originID: UUID().uuidString,
          file: SharedFile(
            address: "https://x/\(seconds).png", name: name, mediaType: type, byteCount: size))
      ]) { _ in true }.messages.first)
  }

  /// A dozen files of all kinds in two conversations, and text between them.
  private func account() async throws -> AccountDatabase {
    let account = try await AccountDatabase.inMemory()
    _ = try await insert("rose.jpeg", type: "image/jpeg", size: 5, at: 1, into: account)
    _ = try await insert("talk.MP4", size: 7, at: 2, in: room, into: account)
    _ = try await insert("100%_sure.pdf", type: "application/pdf", at: 3, into: account)
    _ = try await insert(nil, at: 4, into: account)
    _ = try await insert("song", type: "audio/ogg", at: 5, isOwn: true, into: account)
    _ = try await insert("notes.png", type: "text/plain", at: 6, isOwn: true, into: account)
    _ = try await account.messages.insert([
      IncomingMessage(
        conversation: bob, sender: bob, body: "no file", sentAt: Date(timeIntervalSince1970: 7),
        originID: "w")
    ]) { _ in true }
    return account
  }

  private func names(_ filter: FileFilter, _ account: AccountDatabase) async throws -> [String] {
    try await account.transfers.messages(offering: filter, at: .newest, limit: 99)
      .compactMap { $0.file?.safeName }
  }

  @Test func `each filter finds its own, the newest first`() async throws {
    let account = try await account()
    let all = ["notes.png", "song", "4.0.png", "100%_sure.pdf", "talk.MP4", "rose.jpeg"]
    #expect(try await names(FileFilter(), account) == all)
    #expect(try await names(FileFilter(direction: .outgoing), account) == ["notes.png", "song"])
    #expect(try await names(FileFilter(direction: .incoming), account).count == 4)
    #expect(try await names(FileFilter(kind: .picture), account) == ["4.0.png", "rose.jpeg"])
    #expect(try await names(FileFilter(kind: .media), account) == ["song", "talk.MP4"])
    #expect(
      try await names(FileFilter(kind: .document), account) == ["notes.png", "100%_sure.pdf"])
    #expect(try await names(FileFilter(conversation: room), account) == ["talk.MP4"])
    #expect(
      try await names(FileFilter(conversation: JID(local: "x", domain: "y")), account) == [])
    #expect(
      try await account.transfers.totals(of: FileFilter()) == FileTotals(count: 6, byteCount: 12))
    #expect(
      try await account.transfers.totals(of: FileFilter(kind: .media, conversation: bob)).count == 1
    )
    #expect(try await account.transfers.conversationsWithFiles() == [bob, room])
  }

  @Test func `files are counted together, however large their senders say they are`() async throws {
    let account = try await account()
    for index in 10..<13 {
      _ = try await insert("\(index)", size: .max, at: Double(index), into: account)
    }
    #expect(
      try await account.transfers.totals(of: FileFilter())
        == FileTotals(count: 9, byteCount: (3 << 40) + 12))
  }

  @Test func `the same kinds are found as FileKind gives`() async throws {
    let account = try await account()
    let all = try await account.transfers.messages(offering: FileFilter(), at: .newest, limit: 99)
    for kind in FileKind.allCases {
      let expected = all.filter { message in
        message.file.map {
          FileKind(mediaType: $0.mediaType, name: $0.name ?? $0.address) == kind
        } ?? false
      }
      #expect(
        try await account.transfers.messages(
          offering: FileFilter(kind: kind), at: .newest, limit: 99) == expected)
    }
  }

  @Test(arguments: [
    ("ROSE", ["rose.jpeg"]), ("%_s", ["100%_sure.pdf"]), ("%", ["100%_sure.pdf"]), ("\\", []),
    ("'", []), ("4.0", ["4.0.png"]),
  ])
  func `names are looked for as they are typed, whatever their case`(
    text: String, found: [String]
  ) async throws {
    #expect(try await names(FileFilter(text: text), try await account()) == found)
  }

  @Test func `those since a moment are found, and counted, alone and with other filters`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    for index in 0..<6 { _ = try await insert("\(index)", at: Double(index), into: account) }
    let late = FileFilter(since: Date(timeIntervalSince1970: 4))
    #expect(try await names(late, account) == ["5", "4"])
    #expect(try await account.transfers.totals(of: late).count == 2)
    var one = late
    one.text = "4"
    #expect(try await names(one, account) == ["4"])
    #expect(try await names(FileFilter(since: .distantPast), account).count == 6)
    #expect(try await names(FileFilter(since: .distantFuture), account) == [])
    // Reading on stops at the filter's date.
    let first = try await account.transfers.messages(offering: late, at: .newest, limit: 1)
    let rest = try await account.transfers.messages(
      offering: late, at: .before(try #require(first.first).position), limit: 9)
    #expect(rest.count == 1)
  }

  @Test func `pages follow each other without gaps, both ways, also among files of one moment`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    var expected: [Message] = []
    for index in 0..<57 {
      expected.append(
        try await insert("\(index)", at: Double(index / 10), into: account))
    }
    expected.reverse()
    let store = account.transfers
    var down = try await store.messages(offering: FileFilter(), at: .newest, limit: 8)
    while let last = down.last {
      let page = try await store.messages(
        offering: FileFilter(), at: .before(last.position), limit: 8)
      if page.isEmpty { break }
      down += page
    }
    #expect(down == expected)
    var up = try await store.messages(offering: FileFilter(), at: .oldest, limit: 8)
    while let first = up.first {
      let page = try await store.messages(
        offering: FileFilter(conversation: bob), at: .after(first.position), limit: 8)
      if page.isEmpty { break }
      up = page + up
    }
    #expect(up == expected)
    #expect(try await store.messages(offering: FileFilter(), at: .newest, limit: 0) == [])
  }

  @Test(arguments: [
    FileFilter(), FileFilter(kind: .document), FileFilter(direction: .outgoing, text: "a"),
    FileFilter(conversation: JID(local: "bob", domain: "example.org")),
    FileFilter(since: Date(timeIntervalSince1970: 3)),
  ])
  func `no page is sorted: each walks along an index`(filter: FileFilter) async throws {
    let account = try await account()
    let query = FileQuery(filter)
    let plan = try await account.database.read { db in
      try db.rows(
        "EXPLAIN QUERY PLAN SELECT message.id \(query.sql) ORDER BY position DESC, message.id DESC LIMIT 5",
        arguments: query.arguments
      ) { $0.string(3) }
    }
    #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN conversation") })
    #expect(plan.contains { $0.contains("message_file") })
  }

  @Test func `where files are is found by what came of their transfers`() async throws {
    let account = try await account()
    let all = try await account.transfers.messages(offering: FileFilter(), at: .newest, limit: 99)
    func transfer(
      _ direction: FileTransfer.Direction, _ message: Message, _ path: String,
      _ state: FileTransfer.TransferStatus
    ) async throws {
      _ = try await account.transfers.add(
        FileTransfer(
          id: .init(0), direction: direction, conversation: bob, path: path, name: "n",
          message: direction == .download ? message.id : nil,
          originID: direction == .upload ? message.originID : nil, state: state,
          begun: Date(timeIntervalSince1970: 0)))
    }
    try await transfer(.upload, all[0], "/sent", .done)
    try await transfer(.download, all[2], "/early", .done)
    try await transfer(.download, all[2], "/late", .done)
    try await transfer(.download, all[2], "/half", .waiting)
    try await transfer(.download, all[3], "/half", .waiting)
    #expect(
      try await account.transfers.paths(of: all) == [all[0].id: "/sent", all[2].id: "/late"])
    #expect(
      try await account.transfers.upload(originID: all[0].originID ?? "")?.path == "/sent")
    #expect(try await account.transfers.upload(originID: "none") == nil)
    #expect(try await account.timeline.storedMessage(all[1].id) == all[1])
    #expect(try await account.timeline.storedMessage(.init(999)) == nil)
  }
}
