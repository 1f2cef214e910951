import Foundation
import Testing

@testable import System

@Suite(.timeLimit(.minutes(1))) struct ChangeMonitorTests {
  /// A folder of the test's own, and its path.
  private struct TestFolder {
    let folder: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(
        path: "natter-changes-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { folder.path + "/" + name }
    /// Makes a folder: one event.
    func make(_ name: String) { #expect(mkdir(path(name), 0o700) == 0) }
    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  /// Waits for the next changes.
  private func changes(_ monitor: ChangeMonitor) async -> Set<String> {
    for await _ in monitor.signals {
      let changed = monitor.takeChanged()
      if !changed.isEmpty { return changed }
    }
    return []
  }

  @Test func `a file that is created, written, renamed or deleted is a change of its folder`()
    async throws
  {
    let test = try TestFolder()
    defer { test.remove() }
    let works: [() throws -> Void] = [
      { try Data("a".utf8).write(to: URL(filePath: test.path("a"))) },
      {
        let file = try FileHandle(forWritingTo: URL(filePath: test.path("a")))
        try file.write(contentsOf: Data("b".utf8))
        try file.close()
      },
      { #expect(chmod(test.path("a"), 0o600) == 0) },
      { #expect(rename(test.path("a"), test.path("b")) == 0) },
      { #expect(unlink(test.path("b")) == 0) },
    ]
    for work in works {
      // One of its own for each: a file that is written is several events.
      let monitor = try #require(ChangeMonitor())
      #expect(monitor.watch(test.folder.path))
      try work()
      #expect(await changes(monitor) == [test.folder.path])
    }
  }

  @Test func `only the names that concern the watch are reported, from several folders`()
    async throws
  {
    let (first, second) = (try TestFolder(), try TestFolder())
    defer {
      first.remove()
      second.remove()
    }
    let monitor = try #require(ChangeMonitor())
    #expect(monitor.watch(first.folder.path) { $0 == "grants.toml" })
    #expect(monitor.watch(second.folder.path) { !$0.hasPrefix(".") })
    #expect(!monitor.watch(first.path("nowhere")))
    first.make("grants.toml.lock")
    second.make(".swap")
    second.make("program")
    // The events of one descriptor have the order of the changes.
    #expect(await changes(monitor) == [second.folder.path])
    first.make("grants.toml")
    #expect(await changes(monitor) == [first.folder.path])
  }

  @Test func `a folder that is watched no more is not reported, and one that is replaced is again`()
    async throws
  {
    let test = try TestFolder()
    defer { test.remove() }
    let (old, other) = (test.path("old"), test.path("other"))
    test.make("old")
    test.make("other")
    let monitor = try #require(ChangeMonitor())
    #expect(monitor.watch(old) && monitor.watch(other))
    monitor.unwatch(old)
    test.make("old/a")
    test.make("other/a")
    #expect(await changes(monitor) == [other])
    #expect(monitor.watch(old))
    try FileManager.default.removeItem(atPath: old)
    #expect(await changes(monitor) == [old])
    test.make("old")
    #expect(monitor.watch(old))
    _ = monitor.takeChanged()
    test.make("old/b")
    #expect(await changes(monitor) == [old])
  }
}
