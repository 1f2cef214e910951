import Foundation
import TestSupport
import Testing

extension Conversations {
  /// A file that is larger than the memory that may be spent on it.
  @Suite struct LargeFileTests {
    /// The resident memory of a process, in bytes (proc(5)).
    private struct Memory {
      /// The pages that it has written to.
      var own: Int
      /// The mapped pages of files, such as its program, which the system drops and reads again as
      /// needed.
      var mapped: Int

      init(of natter: NatterRun) throws {
        let path = "/proc/\(natter.terminal.child.identifier)/status"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        func bytes(_ name: String) throws -> Int {
          let line = try #require(lines.first { $0.hasPrefix(name + ":") })
          return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
            << 10
        }
        (own, mapped) = (try bytes("RssAnon"), try bytes("RssFile"))
      }
    }

    /// Returns the largest growth of the memory during `work`.
    private static func growth(
      of natter: NatterRun, while work: @escaping @Sendable () async throws -> Void
    ) async throws -> Memory {
      let idle = try Memory(of: natter)
      let isOver = Observed(false)
      async let working: Void = {
        defer { isOver.update { $0 = true } }
        try await work()
      }()
      var most = idle
      repeat {
        let now = try Memory(of: natter)
        most.own = max(most.own, now.own)
        most.mapped = max(most.mapped, now.mapped)
      } while !(await isOver.waits(upTo: .milliseconds(20)) { $0 })
      try await working
      most.own -= idle.own
      most.mapped -= idle.mapped
      return most
    }

    @Test func `64 MB go up and come down with less than 16 MB more memory`() async throws {
      var options = XMPPServerOptions()
      options.uploadLimit = 100 << 20
      let server = try await EjabberdServer(options, users: ["alice": "geheim", "bob": "geheim"])
      let folder = try TemporaryFolder("large")
      // The first one brings what any file needs: libraries, certificates.
      let files = [("small.bin", 1), ("large.bin", 64)]
      for (name, size) in files {
        try await CommandRun.check(
          "dd", ["if=/dev/urandom", "of=\(folder.path(name))", "bs=1M", "count=\(size)"])
      }
      let alice = try NatterRun.account(server.jid("alice"), "geheim", on: server)
      let bob = try NatterRun.account(server.jid("bob"), "geheim", on: server)
      try await alice.waitsOnline()
      try await bob.waitsOnline()
      try await alice.open(chat: server.jid("bob"))
      try await alice.say("here they come")
      try await bob.open(chat: server.jid("alice"))
      try await bob.shows("here they come")
      for (name, size) in files {
        let path = folder.path(name)
        let up = try await Self.growth(of: alice) {
          try await alice.say("/upload \(path)")
          try await bob.shows("│ \(name)", upTo: .seconds(120))
        }
        let saved = folder.path("saved-\(name)")
        let down = try await Self.growth(of: bob) {
          try await bob.say("/save 1 \(saved)")
          try await bob.shows("\(name) is saved:", upTo: .seconds(120))
        }
        try await CommandRun.check("cmp", [path, saved])
        for growth in [up, down] where size > 16 {
          #expect(growth.own < 16 << 20)
          // The file is not mapped either. The program itself is not as large.
          #expect(growth.mapped < size << 20)
        }
      }
      #expect(await alice.quit() == .exited(0))
      #expect(await bob.quit() == .exited(0))
      await server.stop()
    }
  }
}
