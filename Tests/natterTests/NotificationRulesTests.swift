import Foundation
import NatterCore
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import natter

/// The notification rules of conversations, as a file stores them.
@MainActor @Suite struct NotificationRulesTests {
  private let account = JID(local: "ann", domain: "example.org")
  private let den = JID(local: "den", domain: "rooms.example.org")
  private let hall = JID(local: "hall", domain: "rooms.example.org")
  private let folder: TemporaryFolder
  private var file: URL { folder.url("notify.toml") }

  init() throws { folder = try TemporaryFolder("rules") }

  @Test func `a rule is found again by the next start, beside those of before`() {
    #expect(NotificationRules(file: file).set(.mentions, of: den, for: account))
    #expect(NotificationRules(file: file).set(.all, of: hall, for: account))
    let rules = NotificationRules(file: file)
    #expect(rules.rule(of: den, for: account) == .mentions)
    #expect(rules.rule(of: hall, for: account) == .all)
  }

  @Test func `the rules of two instances with different accounts are both kept`() {
    let bob = JID(local: "bob", domain: "example.org")
    let (rules, others) = (NotificationRules(file: file), NotificationRules(file: file))
    #expect(rules.rule(of: den, for: account) == .standard)
    #expect(others.set(.none, of: den, for: bob))
    #expect(rules.set(.mentions, of: den, for: account))
    let found = NotificationRules(file: file)
    #expect(found.rule(of: den, for: bob) == NotificationRule.none)
    #expect(found.rule(of: den, for: account) == .mentions)
  }

  @Test func `a rule is not stored while another program does not end its change`() throws {
    let lock = open(folder.root.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
    let rules = NotificationRules(file: file)
    #expect(!rules.set(.mentions, of: den, for: account))
    close(lock)
    #expect(rules.set(.mentions, of: den, for: account))
  }

  @Test func `a rule that is set already is not written again`() throws {
    let rules = NotificationRules(file: file)
    #expect(rules.set(.mentions, of: den, for: account))
    try FileManager.default.removeItem(at: file)
    #expect(rules.set(.mentions, of: den, for: account))
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a byte that is no text costs no other rule`() throws {
    #expect(NotificationRules(file: file).set(.mentions, of: den, for: account))
    try (Data(contentsOf: file) + Data([0x23, 0xFF, 0x0A])).write(to: file)
    #expect(NotificationRules(file: file).set(.all, of: hall, for: account))
    #expect(NotificationRules(file: file).rule(of: den, for: account) == .mentions)
  }

  @Test func `a file that cannot be read is not replaced`() throws {
    // A folder with its name cannot be read by root either, and a link to it can be replaced.
    try folder.makeFolder("elsewhere")
    try FileManager.default.createSymbolicLink(
      at: file, withDestinationURL: folder.url("elsewhere"))
    #expect(!NotificationRules(file: file).set(.mentions, of: den, for: account))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: file.path)
        .hasSuffix("elsewhere"))
  }

  @Test func `a rule that cannot be stored is reported, and the former stays`() throws {
    try folder.makeFolder("notify.toml")
    let rules = NotificationRules(file: file)
    #expect(throws: NatterError(.storage, "error.notifyUnwritable", ["path": file.path])) {
      try rules.keep(.mentions, of: den, for: account)
    }
    #expect(rules.rule(of: den, for: account) == .standard)
  }

  @Test func `a mute goes on after a restart, and is forgotten when its time is over`() async throws
  {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    var time = start
    let rules = NotificationRules(file: file, now: { time })
    try rules.keep(.mentions, of: den, for: account)
    try await rules.notifications(of: account, nil).mute(den, until: start.addingTimeInterval(3600))
    try rules.keep(.none, of: hall, for: account)
    let next = NotificationRules(file: file, now: { time })
    let found = next.notifications(of: account, nil)
    #expect(found.end(of: den) == start.addingTimeInterval(3600))
    #expect(found.rule(of: den) == .none && found.storedRule(of: den) == .mentions)
    #expect(found.isMuted(hall) && found.end(of: hall) == nil)
    // Other accounts have their own.
    let bob = JID(local: "bob", domain: "example.org")
    #expect(!next.notifications(of: bob, nil).isMuted(den))
    time = start.addingTimeInterval(3601)
    #expect(next.notifications(of: account, nil).rule(of: den) == .mentions)
    try next.keep(.all, of: hall, for: account)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("muted-until"))
  }

  @Test func `a mute that cannot be stored is reported`() async throws {
    try folder.makeFolder("notify.toml")
    let rules = NotificationRules(file: file)
    await #expect(throws: NatterError(.storage, "error.notifyUnwritable", ["path": file.path])) {
      try await rules.notifications(of: account, nil).mute(
        den, until: Date(timeIntervalSinceNow: 60))
    }
  }
}
