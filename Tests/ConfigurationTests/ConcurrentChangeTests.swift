import Foundation
import NatterCore
import Testing
import XMPP

@testable import Configuration

/// Several programs of one person change the same small files.
@Suite(.timeLimit(.minutes(6))) struct ConcurrentChangeTests {
  private static func jid(_ writer: Int, _ number: Int) -> JID {
    JID(local: "a\(writer)x\(number)", domain: "example.org")
  }

  @Test func `programs that write secrets keep each other's changes`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("credentials")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          // Each is a program of its own: it knows nothing of the others but the file.
          let file: any CredentialStoring = CredentialFile(path: path, warn: { _ in })
          for number in 0..<10 {
            try await file.save(Credential(password: "old"), for: Self.jid(writer, number))
            try await file.replace(
              Credential(password: "\(writer) \(number)"), for: Self.jid(writer, number))
            if number % 5 == 4 {
              try await file.removeCredential(for: Self.jid(writer, number - 1))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let file = CredentialFile(path: path, warn: { _ in })
    for writer in 0..<4 {
      for number in 0..<10 {
        let kept = try await file.credential(for: Self.jid(writer, number))?.password
        #expect(kept == (number % 5 == 3 ? nil : "\(writer) \(number)"))
      }
    }
    #expect(try scratch.mode("credentials") == 0o600)
    #expect(try scratch.names == ["credentials", "credentials.lock"])
    #expect(try scratch.mode("credentials.lock") == 0o600)
  }

  @Test func `programs that write accounts keep each other's changes`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("accounts.toml")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let file = AccountFile(path: path)
          for number in 0..<10 {
            try await file.save(Account(jid: Self.jid(writer, number)))
            try await file.setDefault(Self.jid(writer, number))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await AccountFile(path: path).accounts().count == 40)
  }

  @Test func `programs that write settings keep each other's changes`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("config.toml")
    let changes = [
      ("ui", "mouse", "false"), ("log", "level", "debug"), ("notify", "bell", "never"),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (section, key, value) in changes {
        group.addTask {
          let setting = try #require(
            Setting.all.first { $0.section == section && $0.key == key })
          let editor = ConfigurationEditor(
            path: path, names: KnownNames(themes: ["day"], languages: ["en"]))
          for _ in 0..<10 {
            _ = try editor.set(setting, to: nil)
            _ = try editor.set(setting, to: value)
          }
        }
      }
      try await group.waitForAll()
    }
    let text = String(decoding: try scratch.bytes("config.toml"), as: UTF8.self)
    for (_, key, value) in changes { #expect(text.contains(key) && text.contains(value)) }
    // The lock leaves no file.
    #expect(try scratch.names == ["config.toml"])
  }

  @Test func `two programs that start at once have one seed`() async throws {
    let scratch = try Scratch()
    let file = ClientIDFile(path: scratch.path("client-id"))
    let seeds = try await withThrowingTaskGroup(of: String.self) { group in
      for writer in 0..<8 {
        group.addTask { try file.seed { String(repeating: "\(writer)", count: 32) } }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(seeds.count == 1)
  }

  @Test func `a setting is not written while another program does not end its change`() throws {
    let scratch = try Scratch()
    let lock = open(scratch.url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
    let editor = ConfigurationEditor(
      path: scratch.path("config.toml"), names: KnownNames(themes: [], languages: ["en"]))
    let mouse = try #require(Setting.all.first { $0.section == "ui" && $0.key == "mouse" })
    #expect(throws: NatterError.self) { try editor.set(mouse, to: "false") }
    close(lock)
    #expect(try editor.set(mouse, to: "false").ui.usesMouse == false)
  }

  @Test func `who comes while another one writes waits, and goes on from what that one wrote`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("credentials")
    let (alice, bob) = (Self.jid(0, 0), Self.jid(1, 1))
    let lock = open(scratch.path("credentials.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
    async let saving: Void = CredentialFile(path: path, warn: { _ in }).save(
      Credential(password: "a"), for: alice)
    try scratch.write("{\"\(bob)\" : \"b\"}", to: "credentials")
    // Given back: closing the only descriptor does it.
    close(lock)
    try await saving
    let file = CredentialFile(path: path, warn: { _ in })
    #expect(try await file.credential(for: alice)?.password == "a")
    #expect(try await file.credential(for: bob)?.password == "b")
  }
}
