import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import XMPP

/// The times from a message in the database to the standard input of a script, and to the screen.
struct StoredMessages {
  let natter: String
  let count: Int

  private static let name = "listener"

  /// Returns the milliseconds of each message.
  func times() async throws -> (script: [Double], screen: [Double]) {
    let scene = try await ScriptScene(
      natter,
      .init(
        name: Self.name, run: ["python3", "-B", "main.py"],
        file: ("main.py", ScriptPrograms.listen),
        manifest: """
          start = "login"
          [permission."messages.read"]
          why = "to note when they come"
          in = ["direct"]

          """, grants: [["messages.read", "--in", "direct"]]))
    let bob = scene.bob
    bob.type("/chat \(ScriptProfile.account)")
    let file = scene.profile.home.data.appending(
      path: "accounts/\(AccountDatabase.fileName(of: ScriptProfile.account))")
    guard let database = try await AccountDatabase.openReading(at: file.path) else {
      throw TimedProcess.Failure(description: "\(file.path) is not there")
    }
    let writes = try WriteWatch(file.path + "-wal")
    var random = SeededGenerator(seed: 1)
    var times = (script: [Double](), screen: [Double]())
    // The first fills caches.
    for number in 0...count {
      let text = "message \(number) of a series"
      let start = writes.last
      async let stored = Self.time(of: text, in: database, writes, since: start)
      bob.type(text)
      let shown = try await scene.screen.terminal.time(of: text, upTo: .seconds(60)) {
        $0.contains(text)
      }
      let begin = try await stored
      let heard = try await heard(text, at: scene.storage)
      if number > 0 {
        times.script.append((heard - begin) / .milliseconds(1))
        times.screen.append((shown - begin) / .milliseconds(1))
      }
      // The pause imitates the other one; it does not wait for anything.
      try await Task.sleep(for: .milliseconds(.random(in: 60...140, using: &random)))
    }
    await database.close()
    await scene.end()
    return times
  }

  private func heard(_ text: String, at storage: ScriptStorageFolder) async throws
    -> ContinuousClock.Instant
  {
    var instant: ContinuousClock.Instant?
    _ = try await polls {
      let lines = (try? String(contentsOfFile: storage.path("heard"), encoding: .utf8)) ?? ""
      instant = StampedTexts(lines).instant(of: text)
      return instant != nil
    }
    guard let instant else {
      throw TimedProcess.Failure(description: "a script did not get “\(text)”")
    }
    return instant
  }

  /// Waits until a message is stored.
  /// - Returns: when the file was last written before it could be read.
  private static func time(
    of text: String, in database: AccountDatabase, _ writes: WriteWatch,
    since start: ContinuousClock.Instant
  ) async throws -> ContinuousClock.Instant {
    let clock = ContinuousClock()
    let peer = JID(local: "bob", domain: "localhost")
    let end = clock.now + .seconds(60)
    while clock.now < end {
      let last = writes.last
      if last > start,
        try await database.timeline.latest(1, in: peer).last?.body == text
      {
        return last
      }
      // So short that it hardly counts beside a frame.
      try await Task.sleep(for: .microseconds(200))
    }
    throw TimedProcess.Failure(description: "“\(text)” was not stored")
  }
}

/// Notes when a file was last written.
final class WriteWatch: Sendable {
  private let noted = Mutex(ContinuousClock.now)

  /// - Throws: `TimedProcess.Failure` when the file cannot be watched.
  init(_ path: String) throws {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw TimedProcess.Failure(description: "\(path): \(reason)")
    }
    Thread.detachNewThread { [weak self] in
      var events = [UInt8](repeating: 0, count: 4096)
      while let self {
        // It looks now and then whether somebody still needs it.
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 200) > 0 else { continue }
        let now = ContinuousClock.now
        _ = read(descriptor, &events, events.count)
        noted.withLock { $0 = now }
      }
      close(descriptor)
    }
  }

  /// When it was last written; at first, when the watch began.
  var last: ContinuousClock.Instant { noted.withLock(\.self) }
}
