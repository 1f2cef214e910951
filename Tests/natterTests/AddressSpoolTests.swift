import Foundation
import Storage
import TestSupport
import Testing

@testable import natter

@Suite struct AddressSpoolTests {
  private let folder: TemporaryFolder
  private let spool: MessageSpool

  init() throws {
    folder = try TemporaryFolder("addresses")
    spool = MessageSpool(besideDatabase: folder.path("account.sqlite"))
  }

  private var left: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: spool.folder)) ?? []
  }

  @Test func `what nobody takes is not left`() async throws {
    #expect(await !AddressSpool(spool).hand("xmpp:bob@localhost", within: .milliseconds(20)))
    #expect(left.isEmpty)
  }

  @Test func `who follows opens each once, and whoever has left it is told`() async throws {
    try spool.prepare()
    // Of a program that was ended before anybody took it.
    let old = spool.folder + "/old.address"
    try "xmpp:old@localhost".write(toFile: old, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: old)
    let opened = Observed<[String]>([])
    let spool = spool
    let follower = Task {
      await AddressSpool(spool).follow { text in opened.update { $0.append(text) } }
    }
    defer { follower.cancel() }
    // It is there when it has put away what was there before.
    try await until { left.isEmpty }
    #expect(await AddressSpool(spool).hand("xmpp:bob@localhost?message", within: .seconds(60)))
    #expect(await AddressSpool(spool).hand("natter://me/show", within: .seconds(60)))
    #expect(await opened.waits(upTo: .seconds(60)) { $0.count == 2 })
    #expect(opened.value == ["xmpp:bob@localhost?message", "natter://me/show"])
    #expect(left.isEmpty)
  }

  @Test func `who opens no addresses says so at once`() async throws {
    let spool = spool
    try spool.prepare()
    let refuser = Task { await AddressSpool(spool).refuseAll() }
    defer { refuser.cancel() }
    // Its answer ends the waiting, and not the time.
    let started = ContinuousClock.now
    #expect(await !AddressSpool(spool).hand("xmpp:bob@localhost", within: .seconds(600)))
    #expect(started.duration(to: .now) < .seconds(300))
    #expect(left.isEmpty)
  }

  @Test func `what waits when somebody begins to follow is opened`() async throws {
    let opened = Observed<[String]>([])
    let spool = spool
    let waiting = Task {
      await AddressSpool(spool).hand("xmpp:bob@localhost", within: .seconds(60))
    }
    try await until { left.count == 1 }
    let follower = Task {
      await AddressSpool(spool).follow { text in opened.update { $0.append(text) } }
    }
    defer { follower.cancel() }
    #expect(await waiting.value)
    #expect(await opened.waits(upTo: .seconds(60)) { $0 == ["xmpp:bob@localhost"] })
  }

  @Test func `who cannot watch the folder opens what comes all the same`() async throws {
    let opened = Observed<[String]>([])
    let spool = spool
    let follower = Task {
      await AddressSpool(spool).follow(watch: { _ in nil }) { text in
        opened.update { $0.append(text) }
      }
    }
    defer { follower.cancel() }
    for address in ["xmpp:bob@localhost", "natter://me/show"] {
      #expect(await AddressSpool(spool).hand(address, within: .seconds(60)))
    }
    #expect(
      await opened.waits(upTo: .seconds(60)) {
        $0 == ["xmpp:bob@localhost", "natter://me/show"]
      })
  }
}
