import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

/// Pending changes of contacts.
@Suite struct ContactChangeStoreTests {
  private let romeo = JID(local: "romeo", domain: "example.org")
  private let paris = JID(local: "paris", domain: "example.org")
  private let mercutio = JID(local: "mercutio", domain: "example.org")

  @Test func `every change comes back as it was, in order`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    let report = AbuseReport(reason: .abuse, text: "two\nlines")
    let operations: [ContactChange.Operation] = [
      .add(name: "R.", invitation: "token", message: "It is me.\nJ."), .rename(nil),
      .regroup(["Friends", "Montagues"]),
      .ask, .approve, .block(report),
    ]
    for operation in operations { _ = try await roster.keep(operation, of: romeo) }
    for operation: ContactChange.Operation in [.remove, .deny, .unblock] {
      _ = try await roster.keep(operation, of: paris)
    }
    let changes = try await roster.contactChanges()
    #expect(changes.filter { $0.jid == romeo }.map(\.operation) == operations)
    _ = try await roster.keep(.add(name: nil, invitation: nil, message: "A word"), of: mercutio)
    #expect(
      try await roster.contactChanges().last?.operation
        == .add(name: nil, invitation: nil, message: "A word"))
    #expect(changes.filter { $0.jid == paris }.map(\.operation) == [.remove, .deny, .unblock])
    #expect(changes.map(\.id) == changes.map(\.id).sorted())
  }

  @Test func `a later change of the same replaces the earlier one`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    for operation: ContactChange.Operation in [
      .add(name: nil, invitation: nil), .rename("Ro"), .regroup([]), .ask, .remove,
    ] {
      _ = try await roster.keep(operation, of: romeo)
    }
    #expect(try await roster.contactChanges().map(\.operation) == [.remove])
    _ = try await roster.keep(.rename("Romeo"), of: romeo)
    #expect(try await roster.contactChanges().map(\.operation) == [.rename("Romeo")])
    _ = try await roster.keep(.block(nil), of: romeo)
    _ = try await roster.keep(.unblock, of: romeo)
    #expect(try await roster.contactChanges().map(\.operation) == [.rename("Romeo"), .unblock])
  }

  @Test func `the changes of one address are read without those of others`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    let full = JID(local: "romeo", domain: "example.org", resource: "a")
    let longer = JID(local: "romeo", domain: "example.org.uk")
    var kept: [JID: [ContactChange]] = [:]
    for operation: ContactChange.Operation in [.rename("R"), .block(nil)] {
      for jid in [full, romeo, longer, paris] {
        kept[jid, default: []].append(try await roster.keep(operation, of: jid))
      }
    }
    for (jid, changes) in kept {
      #expect(try await roster.contactChanges(of: jid) == changes, "\(jid)")
    }
    #expect(try await roster.contactChanges(of: mercutio) == [])
  }

  @Test func `the roster shows what waits, and not what was refused`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    try await roster.replaceContacts(
      [Contact(jid: romeo, name: "Romeo", subscription: .both)], version: "1")
    let name = try await roster.keep(.rename("Ro"), of: romeo)
    let new = try await roster.keep(.add(name: "Count", invitation: nil), of: paris)
    #expect(try await roster.contacts().map(\.name) == ["Ro", "Count"])
    #expect(try await roster.contact(paris)?.changes == [new])
    let no = StatusNotice(
      .error, "stanza.not-allowed", ["text": "no\n\"never\"", "speaker": "example.org"])
    try await roster.mark([name], refusal: no)
    #expect(try await roster.contact(romeo)?.name == "Romeo")
    #expect(try await roster.contact(romeo)?.changes.map(\.refusal) == [no])
    try await roster.mark([name], refusal: nil)
    #expect(try await roster.contact(romeo)?.name == "Ro")
  }

  @Test func `what is settled is part of the list, what was changed meanwhile waits on`()
    async throws
  {
    let roster = try await AccountDatabase.inMemory().roster
    let added = try await roster.keep(.add(name: "Count", invitation: nil), of: paris)
    let groups = try await roster.keep(.regroup(["Suitors"]), of: paris)
    let blocked = try await roster.keep(.block(nil), of: romeo)
    let later = try await roster.keep(.regroup(["Rivals"]), of: paris)
    try await roster.settle([added, groups, blocked])
    #expect(try await roster.contactChanges() == [later])
    #expect(try await roster.contact(paris)?.groups == ["Rivals"])
    #expect(try await roster.blocked() == [romeo])
    try await roster.settle([later, try await roster.keep(.unblock, of: romeo)])
    #expect(
      try await roster.contact(paris) == Contact(jid: paris, name: "Count", groups: ["Rivals"]))
    #expect(try await roster.blocked() == [])
    try await roster.settle([try await roster.keep(.remove, of: paris)])
    #expect(try await roster.contacts() == [])
  }

  @Test func `the ages of the lists are kept beside each other`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    #expect(try await roster.rosterConfirmedAt() == nil)
    try await roster.confirmRoster(at: Date(timeIntervalSince1970: 10))
    #expect(try await roster.blockListConfirmedAt() == nil)
    try await roster.confirmBlockList(at: Date(timeIntervalSince1970: 20))
    try await roster.replaceContacts([], version: "2")
    #expect(try await roster.rosterConfirmedAt() == Date(timeIntervalSince1970: 10))
    #expect(try await roster.blockListConfirmedAt() == Date(timeIntervalSince1970: 20))
  }

  @Test func `what a file of schema 1 held is there`() async throws {
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(1, in: scratch)
    let roster = try await AccountDatabase.open(at: path).roster
    let changes = try await roster.contactChanges()
    #expect(changes.map(\.operation) == [.rename("Jule"), .add(name: nil, invitation: nil)])
    #expect(
      changes.map(\.refusal) == [
        nil, StatusNotice(.error, "stanza.undefined-condition", ["text": "not in Verona"]),
      ])
    // A reason that cannot be read is a refusal all the same.
    #expect(
      ColumnCoding.notice("not here")
        == StatusNotice(.error, "stanza.undefined-condition", ["text": "not here"]))
  }
}
