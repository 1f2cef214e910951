import Foundation
import NatterCore
import Testing
import XMPP

@testable import ScriptService

/// What a script may do: its manifest and the user's grants, and nothing beyond.
@Suite struct ScopeTests {
  private let account = JID(local: "me", domain: "x.example")
  private let other = JID(local: "me", domain: "y.example")
  private let tea = JID(local: "tea", domain: "rooms.example")
  private let bob = JID(local: "bob", domain: "example.org")
  private let given = Date(timeIntervalSince1970: 1_700_000_000)

  private func manifest(_ permissions: ScriptManifest.Permission...) -> ScriptManifest {
    var manifest = ScriptManifest(title: "Greeter", version: "1", run: ["./greeter"])
    manifest.permissions = permissions
    return manifest
  }

  private func entry(_ grants: ScriptGrant...) -> ScriptGrants.Entry {
    ScriptGrants.Entry(
      isEnabled: true, grants: grants.map { ScriptGrants.StoredGrant($0, given: given) })
  }

  private func scope(_ names: String...) throws -> BridgeScope { try #require(BridgeScope(names)) }

  @Test func `a right is held where manifest and grant both cover, and nowhere else`() throws {
    let ledger = RightsLedger(
      manifest(.init(.bridge(.readMessages), why: "", scope: try scope("rooms"))),
      entry(
        ScriptGrant(
          .bridge(.readMessages), accounts: [account],
          scope: try scope("tea@rooms.example", "bob@example.org"))))
    guard case .held(let held) = ledger.decision(.bridge(.readMessages), in: account) else {
      Issue.record("not held")
      return
    }
    #expect(held.contains(tea, .room))
    #expect(!held.contains(tea, .direct))
    #expect(!held.contains(bob, .direct))
    #expect(!held.contains(JID(local: "coffee", domain: "rooms.example"), .room))
    #expect(ledger.decision(.bridge(.readMessages), in: other) == .refused(.notAsked))
    #expect(ledger.holds(.bridge(.readMessages)))
  }

  @Test func `a grant of a right that is not declared is no right`() throws {
    let ledger = RightsLedger(
      manifest(.init(.bridge(.readRooms), why: "", scope: try scope("direct"))),
      entry(
        ScriptGrant(.bridge(.sendMessages)),
        ScriptGrant(.bridge(.readRooms), scope: try scope("rooms"))))
    #expect(ledger.decision(.bridge(.sendMessages), in: account) == .refused(.notDeclared))
    // Both name the right, and have no conversation in common.
    #expect(ledger.decision(.bridge(.readRooms), in: account) == .refused(.notAsked))
    #expect(ledger.listed.isEmpty)
    #expect(ledger.decision(.bridge(.control), in: account) == .refused(.policy))
  }

  @Test func `grants of different accounts add up, each in its own`() throws {
    let ledger = RightsLedger(
      manifest(.init(.bridge(.readMessages), why: "")),
      entry(
        ScriptGrant(.bridge(.readMessages), scope: try scope("direct")),
        ScriptGrant(.bridge(.readMessages), accounts: [account], scope: try scope("rooms"))))
    #expect(ledger.decision(.bridge(.readMessages), in: account) == .held(.all))
    #expect(ledger.decision(.bridge(.readMessages), in: other) == .held(try scope("direct")))
  }

  @Test func `a right that is taken back is gone at once, and is reported`() async throws {
    let ledger = RightsLedger(
      manifest(.init(.bridge(.readMessages), why: ""), .init(.network, why: "")),
      entry(ScriptGrant(.bridge(.readMessages)), ScriptGrant(.network)))
    var reports = ledger.revocations().makeAsyncIterator()
    ledger.addSession(ScriptGrant(.bridge(.readMessages)))
    ledger.revoke(.network)
    #expect(!ledger.holds(.network))
    #expect(ledger.holds(.bridge(.readMessages)))
    ledger.revoke(nil)
    // The user is not asked for it again by the next request.
    #expect(ledger.decision(.bridge(.readMessages), in: account) == .refused(.revoked))
    #expect(await reports.next() == .init(.readMessages, in: nil))
    #expect(ledger.listed.isEmpty)
    ledger.addSession(ScriptGrant(.bridge(.readMessages)))
    #expect(ledger.decision(.bridge(.readMessages), in: account) == .held(.all))
  }

  @Test func `a process that is ended for one more right leaves the others to the next one`() {
    let ledger = RightsLedger(
      manifest(.init(.readFolder, why: ""), .init(.network, why: "")), entry())
    ledger.addSingle(.network)
    ledger.dropSingle(hasNext: true)
    ledger.addSingle(.readFolder)
    ledger.dropSingle(hasNext: true)
    #expect(ledger.holds(.network) && ledger.holds(.readFolder))
    ledger.dropSingle(hasNext: true)
    #expect(!ledger.holds(.network) && !ledger.holds(.readFolder))
    ledger.addSingle(.network)
    ledger.dropSingle()
    #expect(!ledger.holds(.network))
  }

  @Test func `a grant that is narrowed is reported for the account that it concerns`() async throws
  {
    let manifest = manifest(.init(.bridge(.readMessages), why: ""))
    func grants(_ names: String...) throws -> ScriptGrants.Entry {
      entry(
        ScriptGrant(
          .bridge(.readMessages), accounts: [account], scope: try #require(BridgeScope(names))),
        ScriptGrant(.bridge(.readMessages), accounts: [other]))
    }
    let ledger = RightsLedger(manifest, try grants("rooms"))
    var reports = ledger.revocations().makeAsyncIterator()
    // Wider, and the same: nothing is taken back.
    ledger.update(manifest, try grants("all"))
    ledger.update(manifest, try grants("all"))
    ledger.update(manifest, try grants("direct"))
    #expect(await reports.next() == .init(.readMessages, in: account))
    var narrow = manifest
    narrow.permissions = [.init(.bridge(.readMessages), why: "", scope: try scope("rooms"))]
    ledger.update(narrow, try grants("direct"))
    #expect(
      Set([await reports.next(), await reports.next()]) == [
        .init(.readMessages, in: account), .init(.readMessages, in: other),
      ])
  }

  @Test func `the right to offer commands comes with the script that declares it`() {
    let ledger = RightsLedger(manifest(.init(.commands, why: ""), .init(.status, why: "")), entry())
    #expect(ledger.holds(.commands) && !ledger.holds(.status))
    #expect(ledger.listed == [ScriptGrant(.commands)])
    #expect(ledger.uses.isEmpty)
    ledger.revoke(.commands)
    #expect(ledger.holds(.commands))
    #expect(!RightsLedger(manifest(), entry()).holds(.commands))
  }

  @Test func `uses are counted for the grants that gave them`() throws {
    let ledger = RightsLedger(
      manifest(.init(.bridge(.readMessages), why: ""), .init(.commands, why: "")),
      entry(
        ScriptGrant(.bridge(.readMessages), accounts: [account]),
        ScriptGrant(.bridge(.readMessages), accounts: [other]), ScriptGrant(.commands)),
      now: { Date(timeIntervalSince1970: 1_700_000_100) })
    ledger.note(.bridge(.readMessages), in: account)
    ledger.note(.bridge(.readMessages), in: account)
    ledger.note(.commands, in: nil)
    let uses = ledger.uses
    #expect(uses.map(\.count) == [2, 0, 1])
    #expect(uses.map(\.given) == [given, given, given])
    #expect(uses[0].lastUse == Date(timeIntervalSince1970: 1_700_000_100))
    #expect(uses[1].lastUse == nil)
  }
}
