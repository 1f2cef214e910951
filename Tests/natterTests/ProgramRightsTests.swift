import Foundation
import NatterCore
import ScriptService
import TestSupport
import Testing
import XMPP

@testable import natter

/// The rights of the user's other programs, out of the file that the user changes.
@Suite struct ProgramRightsTests {
  private let folder: TemporaryFolder
  private let path: String
  private let account = JID(local: "alice", domain: "example.org")

  init() throws {
    folder = try TemporaryFolder("rights")
    path = folder.path("grants.toml")
  }

  /// Gives `mailer` a right, or takes it back.
  private func store(_ scope: BridgeScope?) async throws {
    try await GrantFile(path).change { grants in
      var entry = grants.entries["mailer"] ?? .init()
      entry.remove(nil)
      if let scope {
        entry.add(
          .init(
            ScriptGrant(.bridge(.readMessages), scope: scope),
            given: Date(timeIntervalSince1970: 1_700_000_000)))
      }
      grants.entries["mailer"] = entry
    }
  }

  private func reason(_ rights: BridgeRights) -> BridgeRights.Reason? {
    guard case .refused(let reason) = rights.current(.readMessages, in: account) else { return nil }
    return reason
  }

  @Test func `a program has the rights of its name, and nobody is asked for more`() async throws {
    let programs = ProgramRights(file: path)
    #expect(reason(programs.rights(of: "mailer")) == .notDeclared)
    try await store(BridgeScope(hasRooms: true))
    let rights = programs.rights(of: "mailer")
    #expect(
      rights.current(.readMessages, in: account) == .held(BridgeScope(hasRooms: true)))
    #expect(await rights.decision(.sendMessages, in: account) == .refused(.notAsked))
    #expect(reason(programs.rights(of: "other")) == .notDeclared)
  }

  @Test func `a right that is taken out of the file is taken back`() async throws {
    try await store(.all)
    let rights = ProgramRights(file: path).rights(of: "mailer")
    var revocations = try #require(rights.revocations()).makeAsyncIterator()
    try await store(nil)
    #expect(await revocations.next() == .init(.readMessages, in: nil))
    #expect(reason(rights) == .notAsked)
  }

  @Test func `a file that cannot be read grants nothing`() async throws {
    try await store(.all)
    let rights = ProgramRights(file: path).rights(of: "mailer")
    var revocations = try #require(rights.revocations()).makeAsyncIterator()
    try Data("nonsense".utf8).write(to: URL(filePath: path), options: .atomic)
    #expect(await revocations.next() == .init(.readMessages, in: nil))
    #expect(reason(rights) == .notDeclared)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "nonsense")
  }
}
