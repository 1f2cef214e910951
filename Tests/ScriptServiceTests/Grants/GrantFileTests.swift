import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

@Suite struct GrantFileTests {
  private let folder: TemporaryFolder
  private let file: GrantFile
  private static let name = "data/grants.toml"

  init() throws {
    folder = try TemporaryFolder("grants")
    file = GrantFile(folder.path(Self.name))
  }

  private static let me = JID(local: "me", domain: "natter.test")
  private static let work = JID(local: "me", domain: "work.test")
  private static let room = JID(local: "tea", domain: "rooms.natter.test")

  /// Everything that the file can hold.
  private static let all: ScriptGrants = {
    var entry = ScriptGrants.Entry(
      isEnabled: true, digest: "0a1b", never: [.network, .bridge(.changeContacts)],
      settings: ["word": "a \"b\"\n[c]", "x": ""], sendingPerHour: 120)
    entry.restarted = Date(timeIntervalSince1970: 1_796_000_100.5)
    let rooms = BridgeScope(hasRooms: true, addresses: [me])
    let given = Date(timeIntervalSince1970: 1_796_000_000.25)
    for grant in [
      ScriptGrant(.bridge(.readMessages), accounts: [me, work], scope: rooms),
      ScriptGrant(.bridge(.readMessages), accounts: [work]), ScriptGrant(.readFolder),
      ScriptGrant(.bridge(.readMessages), scope: BridgeScope(addresses: [room])),
    ] { entry.add(ScriptGrants.StoredGrant(grant, given: given)) }
    return ScriptGrants(entries: ["greeter": entry, "bot": ScriptGrants.Entry()])
  }()

  @Test func `what is written is read again, and only the user can read it`() async throws {
    #expect(try file.read() == ScriptGrants())
    try await file.change { $0 = Self.all }
    #expect(try file.read() == Self.all)
    var facts = stat()
    #expect(stat(folder.path(Self.name), &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    let text = try #require(folder.text(Self.name))
    #expect(text.contains("[script.greeter.\"messages.read\"]\naccounts = ["))
    #expect(text.contains("given = \"2026-11-30T"))
    // The same again is no change.
    let before = try FileManager.default.attributesOfItem(atPath: folder.path(Self.name))
    try await file.change { $0 = Self.all }
    let after = try FileManager.default.attributesOfItem(atPath: folder.path(Self.name))
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
  }

  @Test func `changes at the same time are all kept`() async throws {
    let path = folder.path(Self.name)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await GrantFile(path).change { $0.entries["s\(number)"] = ScriptGrants.Entry() }
        }
      }
      try await group.waitForAll()
    }
    #expect(try file.read().entries.count == 20)
  }

  @Test func `a change that fails changes nothing`() async throws {
    struct Failure: Error {}
    try await file.change { $0 = Self.all }
    await #expect(throws: Failure.self) {
      try await file.change { grants in
        grants = ScriptGrants()
        throw Failure()
      }
    }
    #expect(try file.read() == Self.all)
  }

  private static let good = "version = 1\n[script.x]\nenabled = true\ndigest = \"\"\n"
  private static let right =
    "[script.x.\"messages.read\"]\nin = [\"all\"]\ngiven = \"2026-11-30T10:00:00Z\"\n"

  static let mistakes: [(text: String, line: Int?)] = [
    ("", nil), ("version = \"1\"", nil), ("version = 0", nil), ("version = 1 2", 1),
    ("version = 1\nnew = 1", 2), ("version = 1\n[x]", 2), ("version = 1\n[script.X]", 2),
    ("version = 1\n[script]", 2), ("version = 1\n[script.x]\nenabled = true", 2),
    ("version = 1\n[script.x]\nenabled = 1\ndigest = \"\"", 2),
    ("version = 1\n" + right, 2), (good + "new = 1", 5), (good + "never = [\"x\"]", 5),
    (good + "never = [\"notify\", \"notify\"]", 5), (good + "restarted = \"now\"", 5),
    (good + "sending_per_hour = -1", 5),
    (good + "[script.x.settings]\nA = \"x\"", 6), (good + "[script.x.settings]\na = 1", 6),
    (good + "[script.x.\"messages.steal\"]\n", 5), (good + "[script.x.control]\n", 5),
    (good + "[script.x.\"messages.read\"]\nin = [\"all\"]", 5),
    (good + "[script.x.\"messages.read\"]\ngiven = \"2026-11-30T10:00:00Z\"", 5),
    (good + right + "new = 1", 8), (good + right + "accounts = []", 8),
    (good + right + "accounts = [\"\"]", 8), (good + right + "accounts = [\"natter.test\"]", 8),
    (good + right + "accounts = \"me@natter.test\"", 8),
    (good + right.replacing("\"all\"", with: ""), 6),
    (good + right.replacing("all", with: "some"), 6),
    (good + right.replacing("2026", with: "in 2026"), 5),
    (good + right.replacing("messages.read", with: "network"), 5),
    (good + right + right.replacing("read\"", with: "read\".3"), 8),
    (good + right + right, 8),
  ]

  @Test(arguments: mistakes)
  func `a file that is not understood gives no right, and stays as it is`(
    text: String, line: Int?
  ) async throws {
    try folder.write(text, to: Self.name)
    let error = #expect(throws: GrantFileError.self) { try file.read() }
    #expect(error == .damaged(path: folder.path(Self.name), line: line))
    await #expect(throws: GrantFileError.self) {
      try await file.change { $0 = ScriptGrants() }
    }
    #expect(folder.text(Self.name) == text)
  }

  @Test func `the file with nothing wrong is read`() throws {
    let second = Self.right.replacing("read\"", with: "read\".2")
    try folder.write(
      Self.good + Self.right + second.replacing("in", with: "accounts = [\"me@natter.test\"]\nin"),
      to: Self.name)
    #expect(try file.read().entries["x"]?.grants.count == 2)
  }

  /// Counting the sections before each one would take longer than its limit.
  @Test(.timeLimit(.minutes(1)))
  func `many sections of one right are read in their order`() throws {
    let count = 40_000
    var text = Self.good + Self.right
    for number in 2...count {
      text += "[script.x.\"messages.read\".\(number)]\nin = [\"all\"]\n"
      text += "given = \"2026-11-30T10:00:00Z\"\n"
    }
    #expect(try GrantText.read(Array(text.utf8)).entries["x"]?.grants.count == count)
    // The number after the last one is missing.
    text += "[script.x.\"messages.read\".\(count + 2)]\nin = [\"all\"]\n"
    text += "given = \"2026-11-30T10:00:00Z\"\n"
    #expect(throws: GrantText.Problem.damaged(line: 5 + 3 * count)) {
      try GrantText.read(Array(text.utf8))
    }
  }

  @Test func `a file of a newer Natter stays as it is`() async throws {
    let text = "version = 2\nnew = 1\n[new]\n"
    try folder.write(text, to: Self.name)
    await #expect(throws: GrantFileError.newer(path: folder.path(Self.name))) {
      try await file.change { $0 = ScriptGrants() }
    }
    #expect(folder.text(Self.name) == text)
  }

  @Test func `a file that others can write gives no right`() throws {
    try folder.write(Self.good, to: Self.name, mode: 0o620)
    #expect(throws: GrantFileError.foreign(path: folder.path(Self.name))) { try file.read() }
  }

  @Test func `no byte of it can end the program or add a right`() throws {
    let bytes = Array(GrantText.text(of: Self.all).utf8)
    let held = Self.all.entries["greeter"]?.grants.count ?? 0
    for index in bytes.indices {
      for change in [0x01, 0x20, 0x80] as [UInt8] {
        var other = bytes
        other[index] ^= change
        guard let read = try? GrantText.read(other) else { continue }
        let grants = read.entries.values.map(\.grants.count).reduce(0, +)
        #expect(grants <= held, "byte \(index)")
      }
    }
  }

  @Test func `a right covers what its grants cover together`() throws {
    let entry = try #require(Self.all.entries["greeter"])
    let right = ScriptRight.bridge(.readMessages)
    #expect(
      entry.scope(of: right, in: Self.me)
        == BridgeScope(hasRooms: true, addresses: [Self.me, Self.room]))
    #expect(entry.scope(of: right, in: Self.work)?.isAll == true)
    let other = JID(local: "a", domain: "b.test")
    #expect(entry.scope(of: right, in: other) == BridgeScope(addresses: [Self.room]))
    #expect(entry.scope(of: .bridge(.sendMessages), in: Self.me) == nil)
  }

  @Test func `a program has the rights that are stored for its name, and no other`() {
    let rights = Self.all.rights(of: "greeter")
    guard case .held(let scope) = rights.current(.readMessages, in: Self.work) else {
      Issue.record("the right is not held")
      return
    }
    #expect(scope.isAll)
    #expect(rights.current(.sendMessages, in: Self.me) == .refused(.notAsked))
    #expect(rights.current(.changeContacts, in: Self.me) == .refused(.declined))
    let other = Self.all.rights(of: "other")
    #expect(other.current(.readMessages, in: Self.me) == .refused(.notDeclared))
  }

  @Test func `a right that is given again replaces the one for the same accounts`() {
    var entry = ScriptGrants.Entry(never: [.network])
    let date = Date(timeIntervalSince1970: 0)
    func give(_ grant: ScriptGrant) { entry.add(ScriptGrants.StoredGrant(grant, given: date)) }
    give(ScriptGrant(.bridge(.readMessages), accounts: [Self.me]))
    give(ScriptGrant(.bridge(.readMessages), accounts: [Self.work]))
    give(
      ScriptGrant(.bridge(.readMessages), accounts: [Self.me], scope: BridgeScope(hasRooms: true)))
    give(ScriptGrant(.network))
    #expect(entry.grants.count == 3 && entry.never == [])
    #expect(entry.grants.first?.grant.scope == BridgeScope(hasRooms: true))
    #expect(entry.remove(.network) && !entry.remove(.network))
    #expect(entry.remove(nil) && entry.grants == [])
    // One that was refused for good can be asked for again; the others stay refused.
    entry.never = [.network, .readFolder]
    #expect(!entry.remove(nil) && entry.never == [.network, .readFolder])
    #expect(!entry.remove(.network) && entry.never == [.readFolder])
  }
}
