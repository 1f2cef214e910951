import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

@Suite struct SendCommandTests {
  /// A command's surroundings, with options as they are typed.
  static func context(_ arguments: [String], home: Home, language: String = "en") throws
    -> LaunchContext
  {
    let resources = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources")
    return try LaunchContext(
      options: try CommandLineOptions.parse(arguments).0, environment: home.environment(),
      resources: resources,
      localizer: Localizer(
        tag: language,
        texts: try LocaleCatalogue(language, in: [resources.appending(path: "locales")]).text))
  }

  @Test func `standard input is not both the password and the text`() async throws {
    let context = try Self.context(
      ["send", "--account", "alice@natter.test", "--password-file", "-", "bob@natter.test"],
      home: try Home())
    let failure = try await #require(throws: CommandFailure.self) {
      try await SendCommand(context: context).run(to: "bob@natter.test", text: nil)
    }
    #expect(failure.code == .usage)
    #expect(failure.text.contains("standard input"))
  }

  @Test func `text is bounded, and more than any server takes is refused at once`() throws {
    let checked = SentText(
      localizer: try Self.context(["send", "a@b", "x"], home: Home()).localizer)
    let marks = "a" + String(repeating: "\u{301}", count: 5000)
    #expect(try checked.text(Array(marks.utf8)).count > 100)
    #expect(try checked.text(Array("hello".utf8)) == "hello")
    let long = try #require(throws: CommandFailure.self) {
      try checked.text([UInt8](repeating: 0x61, count: SentText.limit + 1))
    }
    #expect(long.code == .badData && long.text.contains("--file"), "\(long.text)")
    #expect(throws: CommandFailure.self) { try checked.text([0xFF]) }
  }

  @Test func `a word that is no address is refused, and nothing is left behind`() async throws {
    let home = try Home()
    let server = try MisbehavingServer(.neverAnswers)
    try home.folder.write("secret\n", to: "password")
    let context = try Self.context(
      [
        "send", "--account", "alice@natter.test", "--password-file", home.folder.path("password"),
        "--server", server.address, "--tls", "starttls", "bad", "hi",
      ], home: home)
    let failure = try await #require(throws: CommandFailure.self) {
      try await SendCommand(context: context).run(to: "bad", text: "hi")
    }
    #expect(failure.code == .failed && failure.code.rawValue == 1)
    #expect(failure.text.contains("bad is not an address to send to"), "\(failure.text)")
    let account = try #require(try await context.choice.account())
    let database = try await context.openDatabase(of: account.jid)
    #expect(try await database.conversations.conversations().isEmpty)
    #expect(try await database.outbox.queued().isEmpty)
    await database.close()
  }

  @Test func `an address may be written as the screen shows it`() throws {
    let checked = SentText(
      localizer: try Self.context(["send", "a@b", "x"], home: Home()).localizer)
    let jid = try checked.recipient("d'artagnan@natter.test")
    #expect(jid.description == "d\\27artagnan@natter.test")
    #expect(throws: CommandFailure.self) { try checked.recipient("mailto:bob@natter.test") }
  }

  @Test func `an account may be named as the screen shows it`() async throws {
    let context = try Self.context(["--account", "d'artagnan@natter.test"], home: Home())
    try context.choice.check()
    #expect(try await context.choice.account()?.jid.local == "d\\27artagnan")
    let named = try await context.choice.account(named: "o'neil@natter.test")
    #expect(named?.jid.local == "o\\27neil")
    // Known as an address, and only not signed in.
    let failure = try await #require(throws: CommandFailure.self) {
      try await AccountCommands(context: context).logout("o'neil@natter.test")
    }
    #expect(failure.code == .failed, "\(failure.text)")
  }

  @Test func `a server's own address, and one with a dot, may be written to`() throws {
    let checked = SentText(
      localizer: try Self.context(["send", "a@b", "x"], home: Home()).localizer)
    let account = try #require(JID(userInput: "alice@lan"))
    for address in ["lan", "gateway.lan", "bob@lan", "localhost", "[::1]"] {
      try checked.check(try checked.recipient(address), from: account)
    }
  }

  @Test func `a text that the server does not take leaves no conversation either`() async throws {
    let context = try Self.context(["send", "a@b", "x"], home: Home())
    let bob = JID(local: "bob", domain: "natter.test")
    for outcome in [SendOutcome.failed("no"), .oversized("no"), .timedOut, .interrupted(2)] {
      let database = try await AccountDatabase.inMemory()
      let conversation = try await SentConversation(bob, in: database.conversations)
      _ = try await database.conversations.open(bob, kind: .direct)
      await SendCommand(context: context).withdraw(conversation, [], after: outcome, database)
      let isLeft = try await !database.conversations.conversations().isEmpty
      #expect(isLeft == !outcome.isRefusal, "\(outcome)")
    }
    #expect(SendOutcome.oversized("no").isRefusal && !SendOutcome.timedOut.isRefusal)
  }

  @Test func `a server that lets in a few thousand bytes in a second gets the time that takes`() {
    #expect(SendCommand.limit(for: ["hello"]) == .seconds(60))
    #expect(SendCommand.limit(for: [String(repeating: "x", count: 250_000)]) == .seconds(160))
    // It is not written.
    #expect(SendCommand.limit(for: [String(repeating: "x", count: 3_000_000)]) == .seconds(60))
  }

  @Test func `work over a session that ended has its result, or that of the limit`() async throws {
    var command = SendCommand(context: try Self.context(["send", "a@b", "x"], home: Home()))
    let (endless, _) = AsyncStream<Void>.makeStream()
    command.sleep = { _ in for await _ in endless {} }
    let done = await command.result(
      within: .zero, orElse: "late", running: {}, closing: {}
    ) { "done" }
    #expect(done == "done")
    // The limit is over as soon as it begins.
    command.sleep = { _ in }
    let (untilClosed, session) = AsyncStream<Void>.makeStream()
    let late = await command.result(
      within: .zero, orElse: "late", running: {}, closing: { session.finish() }
    ) {
      for await _ in untilClosed {}
      return "done"
    }
    #expect(late == "late")
  }

  @Test func `what the server does not confirm within the limit is exit 75, and is kept`()
    async throws
  {
    let home = try Home()
    let server = try MisbehavingServer(.neverAnswers)
    try home.folder.write("secret\n", to: "password")
    let context = try Self.context(
      [
        "send", "--account", "alice@natter.test", "--password-file", home.folder.path("password"),
        "--server", server.address, "--tls", "starttls", "bob@natter.test", "hello",
      ], home: home)
    var command = SendCommand(context: context)
    // The limit is over as soon as it begins.
    command.sleep = { _ in }
    let failure = try await #require(throws: CommandFailure.self) {
      try await command.run(to: "bob@natter.test", text: "hello")
    }
    #expect(failure.code == .temporary)
    #expect(failure.code.rawValue == 75)
    #expect(failure.text.contains("has not confirmed the message in time"))
    #expect(failure.text.contains("is kept"))
    let account = try #require(try await context.choice.account())
    let database = try await context.openDatabase(of: account.jid)
    #expect(try await database.outbox.queued().map(\.body) == ["hello"])
    await database.close()
  }
}
