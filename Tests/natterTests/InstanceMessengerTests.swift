import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

@Suite struct InstanceMessengerTests {
  private let folder: TemporaryFolder
  private let spool: MessageSpool

  init() throws {
    folder = try TemporaryFolder("addresses")
    spool = MessageSpool(besideDatabase: folder.path("account.sqlite"))
  }

  /// Of programs that wait as long as a busy machine takes.
  private var messenger: InstanceMessenger { InstanceMessenger(spool, within: .seconds(600)) }

  private var left: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: spool.folder)) ?? []
  }

  @Test func `a request that no process takes is not left`() async throws {
    #expect(
      await !InstanceMessenger(spool, within: .milliseconds(20)).hand(
        "xmpp:bob@localhost", as: .address))
    #expect(left.isEmpty)
  }

  @Test func `a follower opens each once, and one that has left is notified`() async throws {
    try spool.prepare()
    // Of a program that was ended before anybody took it.
    let old = spool.folder + "/old.address"
    try "xmpp:old@localhost".write(toFile: old, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: old)
    let opened = Observed<[String]>([])
    let spool = spool
    let follower = Task {
      await InstanceMessenger(spool).follow(open: { text in opened.update { $0.append(text) } }) {}
    }
    defer { follower.cancel() }
    // It is there when it has put away what was there before.
    try await until { left.isEmpty }
    #expect(
      await messenger.hand(
        "xmpp:bob@localhost?message", as: .address))
    #expect(await messenger.hand("natter://me/show", as: .address))
    #expect(await opened.waits(upTo: .seconds(60)) { $0.count == 2 })
    #expect(opened.value == ["xmpp:bob@localhost?message", "natter://me/show"])
    #expect(left.isEmpty)
  }

  @Test func `what cannot be read is not opened, stays, and is logged`() async throws {
    try spool.prepare()
    let path = spool.folder + "/bad.address"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let reports = Observed<[String]>([])
    let opened = Observed<[String]>([])
    let spool = spool.reporting { line in reports.update { $0.append(line) } }
    let follower = Task {
      await InstanceMessenger(spool, within: .seconds(600)).follow(
        open: { text in opened.update { $0.append(text) } }) {}
    }
    defer { follower.cancel() }
    #expect(await messenger.hand("xmpp:bob@localhost", as: .address))
    #expect(await opened.waits(upTo: .seconds(60)) { $0 == ["xmpp:bob@localhost"] })
    #expect(reports.value.count == 1 && reports.value[0].hasPrefix(path))
    #expect(left == ["bad.address"])
  }

  @Test func `who opens no addresses says so at once`() async throws {
    let messenger = messenger
    try spool.prepare()
    let refuser = Task { await messenger.refuseAll() }
    defer { refuser.cancel() }
    // Its answer ends the waiting, and not the time.
    let started = ContinuousClock.now
    #expect(
      await !messenger.hand("xmpp:bob@localhost", as: .address))
    #expect(started.duration(to: .now) < .seconds(300))
    #expect(await !messenger.hand("", as: .signOut))
    #expect(started.duration(to: .now) < .seconds(300))
    #expect(left.isEmpty)
  }

  @Test func `that the account is signed out of is reported, and is no address`() async throws {
    let opened = Observed<[String]>([])
    let leavings = Observed(0)
    let messenger = messenger
    let follower = Task {
      await messenger.follow(
        open: { text in opened.update { $0.append(text) } },
        signOut: { leavings.update { $0 += 1 } })
    }
    defer { follower.cancel() }
    #expect(await messenger.hand("", as: .signOut))
    #expect(await leavings.waits(upTo: .seconds(60)) { $0 == 1 })
    #expect(opened.value.isEmpty && left.isEmpty)
  }

  @Test func `a user who signs out is shown a program that is there at the end, and no other`()
    async throws
  {
    let home = try Home()
    let context = try SendCommandTests.context(["--plain"], home: home)
    let alice = JID(local: "alice", domain: "natter.test")
    let file = context.databaseFile(of: alice).path
    let database = try await AccountDatabase.open(at: file)
    let spool = MessageSpool(besideDatabase: file)
    func stillOpen(whenAsked act: () async -> Void) async throws -> NatterError? {
      async let answer = context.stillOpen(alice, within: .seconds(600))
      try await until("it asks") {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: spool.folder)) ?? []
        return names.contains { $0.hasSuffix(".signout") }
      }
      await act()
      let refuser = Task { await InstanceMessenger(spool, within: .seconds(600)).refuseAll() }
      defer { refuser.cancel() }
      return await answer
    }
    let reported = try await stillOpen {}
    #expect(reported?.arguments["pid"] == "\(ProcessInfo.processInfo.processIdentifier)")
    // It ends before it has answered.
    #expect(try await stillOpen { await database.close() } == nil)
  }

  @Test func `what waits when a program begins to follow is opened`() async throws {
    let opened = Observed<[String]>([])
    let messenger = messenger
    let waiting = Task {
      await messenger.hand("xmpp:bob@localhost", as: .address)
    }
    try await until { left.count == 1 }
    let follower = Task {
      await messenger.follow(
        open: { text in opened.update { $0.append(text) } }) {}
    }
    defer { follower.cancel() }
    #expect(await waiting.value)
    #expect(await opened.waits(upTo: .seconds(60)) { $0 == ["xmpp:bob@localhost"] })
  }

  @Test func `who cannot watch the folder opens what comes all the same`() async throws {
    let opened = Observed<[String]>([])
    let messenger = messenger
    let follower = Task {
      await messenger.follow(
        watch: { _ in nil }, open: { text in opened.update { $0.append(text) } }
      ) {}
    }
    defer { follower.cancel() }
    for address in ["xmpp:bob@localhost", "natter://me/show"] {
      #expect(await messenger.hand(address, as: .address))
    }
    #expect(
      await opened.waits(upTo: .seconds(60)) {
        $0 == ["xmpp:bob@localhost", "natter://me/show"]
      })
  }
}
