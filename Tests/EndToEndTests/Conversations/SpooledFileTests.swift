import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Files that `natter send --file` has left to the program that has the account, and that nobody
  /// waits for any more.
  @Suite struct SpooledFileTests {
    @Test func `a spooled file that is gone when it is to be sent is reported on the screen`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let first = try alice.natter()
      try await first.waitsOnline()
      try await first.open(chat: bob.jid)
      #expect(await first.quit() == .exited(0))
      // As a command leaves it that has ended since: nothing there asks for an answer.
      let left = first.home.data.appending(path: "accounts/\(alice.jid).db.outbox")
      try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
      let file = left.appending(path: "f-1.file")
      let record: [String: Any] = [
        "id": "f-1", "to": bob.jid, "path": first.home.folder.path("gone.png"),
        "begun": Date().timeIntervalSince1970,
      ]
      try JSONSerialization.data(withJSONObject: record).write(to: file)
      let again = try first.startsAgain()
      try await again.shows("gone.png was not sent:")
      #expect(try await polls { !FileManager.default.fileExists(atPath: file.path) })
      #expect(await again.quit() == .exited(0))
    }
  }
}
