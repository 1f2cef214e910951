import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// What a script may do how often, and how much it may use.
@Suite struct LimitTests {
  private static func parameters(
    reply: Int?, request: String? = nil, account: String? = nil
  ) -> [String: JSONValue] {
    var parameters: [String: JSONValue] = ["conversation": .text("a@b.org"), "body": .text("x")]
    parameters["reply_to"] = reply.map { .text(String($0)) }
    parameters["request_id"] = request.map { .text($0) }
    parameters["account"] = account.map { .text($0) }
    return parameters
  }

  /// Counts a message.
  /// - Returns: the code of the error if it is refused.
  private func code(
    _ answered: inout AnsweredMessages, _ parameters: [String: JSONValue]
  ) -> Int? {
    do throws(BridgeError) {
      _ = try answered.take(parameters)
      return nil
    } catch {
      return error.code.rawValue
    }
  }

  @Test func `each message is answered once, and a repeated request counts once`() {
    var answered = AnsweredMessages()
    #expect(code(&answered, Self.parameters(reply: 7, request: "a")) == nil)
    #expect(code(&answered, Self.parameters(reply: 7)) == -32005)
    #expect(code(&answered, Self.parameters(reply: 8)) == nil)
    #expect(code(&answered, Self.parameters(reply: 7, account: "me@b.org")) == nil)
    for _ in 0..<100 {
      #expect(code(&answered, Self.parameters(reply: 7, request: "a")) == nil)
      #expect(code(&answered, Self.parameters(reply: nil)) == nil)
    }
    // Texts that only look the same are two.
    #expect(code(&answered, Self.parameters(reply: 9, request: "\u{E9}")) == nil)
    #expect(code(&answered, Self.parameters(reply: 8, request: "e\u{301}")) == -32005)
  }

  @Test func `an answer that was not sent does not count`() throws {
    var answered = AnsweredMessages()
    let ticket = try #require(try answered.take(Self.parameters(reply: 7, request: "a")))
    answered.fail(ticket)
    #expect(code(&answered, Self.parameters(reply: 7, request: "a")) == nil)
    #expect(code(&answered, Self.parameters(reply: 7)) == -32005)
  }

  @Test func `of long lines only a megabyte in a second is read`() async throws {
    var rate = ByteRate()
    let pauses = [0, 0, 0, 1, 30, 30].map { rate.take(4 << 20, at: .seconds($0)) }
    #expect(pauses == [nil, nil, .seconds(4), .seconds(7), nil, nil])
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let long = String(repeating: " ", count: 1 << 19)
    for _ in 0..<17 { script.write(#"{"jsonrpc":"2.0","method":"ping"}"# + long) }
    let id = script.ask("ping")
    #expect(try await polls { fixture.clock.sleeps.contains { $0 < .seconds(2) } })
    #expect(!script.streams.input.value.contains { $0.contains(#""id":\#(id)"#) })
    fixture.clock.advance(by: .seconds(2))
    #expect(try await script.answer(to: id)["result"] != nil)
  }

  @Test func `old answers are forgotten, one for each new one`() {
    var texts = RecentTexts(3)
    for text in ["a", "b", "c", "a", "d"] { texts.add(text) }
    #expect(["a", "b", "c", "d"].map { texts.contains($0) } == [false, true, true, true])
  }

  @Test func `a text that was removed is not forgotten early when it is added again`() {
    var texts = RecentTexts(3)
    texts.add("a")
    texts.remove("a")
    for text in ["b", "a", "c"] { texts.add(text) }
    #expect(texts.contains("a"))
    var answered = AnsweredMessages()
    let long = String(repeating: "x", count: BridgeLimits.requestID + 1)
    #expect(code(&answered, Self.parameters(reply: 7, request: long)) == nil)
    // It is not kept, so this is no repetition.
    #expect(code(&answered, Self.parameters(reply: 7, request: long)) == -32005)
  }

  @Test func `of errors only so much is read in a second`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let long = String(repeating: "x", count: 1 << 19)
    for number in 0..<18 { script.complain("\(number) " + long) }
    #expect(try await polls { fixture.clock.sleeps.contains { $0 < .seconds(1) } })
    #expect(await fixture.host.logLines().last?.hasPrefix("15 ") == true)
    fixture.clock.advance(by: .seconds(1))
    try await until("last") { await fixture.host.logLines().last?.hasPrefix("17 ") == true }
  }

  @Test func `answers of a script are counted as they pass, and messages by the bridge`()
    async throws
  {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    await fixture.account.receive(7, "hi")
    let answer = #"{"conversation":"bob@example.org","body":"x","reply_to":"7"}"#
    // Without the right none is sent, and none counts.
    #expect(try await script.code(of: "messages.send", answer) == -32001)
    #expect(try await script.code(of: "messages.send", answer) == -32001)
    fixture.rights.hold(.sendMessages)
    fixture.rights.hold(.readMessages)
    try await script.call("messages.send", answer)
    #expect(try await script.code(of: "messages.send", answer) == -32005)
    fixture.clock.advance(by: .seconds(60))
    for _ in 1...9 {
      try await script.call("messages.send", #"{"conversation":"bob@example.org","body":"x"}"#)
      fixture.clock.advance(by: .seconds(1))
    }
    // Ten in a row without another's word.
    #expect(
      try await script.code(
        of: "messages.send", #"{"conversation":"bob@example.org","body":"x"}"#) == -32005)
  }

  @Test func `toasts and lines for the log have a rate, and more are dropped`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    let long = String(repeating: "x", count: 100)
    for (time, isShown) in [(0, true), (0, false), (5, true)] {
      fixture.clock.advance(by: .seconds(time))
      let answer = try await script.call("toast", #"{"text":"\#(long)"}"#)
      #expect(answer["shown"] == .boolean(isShown))
    }
    let toasts = fixture.events.value.compactMap { event in
      if case .toast(let text) = event { text } else { nil }
    }
    #expect(toasts == [String](repeating: String(long.prefix(80)), count: 2))
    for number in 1...21 {
      let answer = try await script.call("log", #"{"text":"x"}"#)
      #expect(answer["logged"] == .boolean(number <= 20))
    }
    // One toast and one line: the page shows how many.
    await fixture.host.stop()
    let dropped = fixture.events.value.compactMap { event in
      if case .dropped(let count) = event { count } else { nil }
    }
    #expect(dropped.last == 2)
  }

  @Test func `sixty-four requests can be open, each with its own id, and be cancelled`()
    async throws
  {
    let fixture = try HostFixture()
    fixture.rights.answer(.later)
    let script = try await fixture.start()
    let request = #"{"permission":"messages.send"}"#
    let ids = (0..<64).map { _ in script.ask("permissions.request", request) }
    let error = try await script.failure(of: "ping")
    #expect(error["code"]?.int == -32005)
    let first = try #require(ids.first)
    script.write(#"{"jsonrpc":"2.0","id":\#(first),"method":"cancel","params":{"id":\#(first)}}"#)
    #expect(await script.streams.input.waits { $0.last?.contains("-32600") == true })
    await fixture.host.stop()
    // With its script it has ended, without an answer.
    #expect(!script.streams.input.value.contains { $0.contains("-32001") })
  }

  @Test func `a request is cancelled where it is performed`() async throws {
    let fixture = try HostFixture()
    fixture.rights.answer(.later)
    fixture.rights.hold(.sendMessages)
    let script = try await fixture.start()
    let asked = script.ask("permissions.request", #"{"permission":"rooms.read"}"#)
    #expect(try await script.answer(to: asked)["error"]?["code"]?.int == -32001)
    let own = script.ask("permissions.request", #"{"permission":"messages.read"}"#)
    let forwarded = script.ask(
      "messages.send", #"{"conversation":"bob@example.org","body":"x","wait":"sent"}"#)
    try await until("sent") { await fixture.account.sender.sent == ["x"] }
    for id in [own, forwarded] {
      try await script.call("cancel", #"{"id":\#(id)}"#)
      #expect(try await script.answer(to: id)["error"]?["code"]?.int == -32009)
    }
  }

  @Test func `a script that asks on although it is refused is stopped`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    for _ in 0..<1300 { script.write(#"{"jsonrpc":"2.0","method":"ping"}"#) }
    #expect(try await fixture.failure().key == "error.script.flood")
    #expect(script.signals.value == [9])
  }

  @Test func `memory and processor time have a limit`() async throws {
    for (memory, processor, key) in [
      (513 << 20, 0, "error.script.memory"), (1 << 20, 50, "error.script.processor"),
    ] {
      let fixture = try HostFixture()
      let script = try await fixture.start()
      script.use(memory: memory, processor: .zero)
      for look in 1...(processor == 0 ? 1 : 7) {
        #expect(await fixture.sleeps(.seconds(10)))
        // Six seconds of ten.
        script.use(memory: memory, processor: .seconds(processor == 0 ? 0 : 6 * look))
        // It is not silent.
        try await script.call("ping")
        fixture.clock.advance(by: .seconds(10))
        #expect(await fixture.waitsForLooks(look))
      }
      #expect(try await fixture.failure().key == key)
    }
  }

  @Test func `too many processes are noticed without a look at what they use`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    script.tasks.update { $0 = 256 }
    try await script.call("ping")
    #expect(fixture.states == [.running])
    script.tasks.update { $0 = 257 }
    #expect(try await fixture.failure().key == "error.script.processes")
    #expect(script.signals.value == [9])
  }

  @Test func `files in its storage are counted with the room that they take`() throws {
    let folder = try TemporaryFolder("stored")
    try folder.makeFolder("a/b")
    try folder.write(String(repeating: "x", count: 100_000), to: "a/b/file")
    #expect(symlink("/usr", folder.path("a/link")) == 0)
    let files = StoredFiles(folder.root.path)
    #expect(files.count == 4 && !files.isTooMuch)
    // How many it is depends on the file system.
    #expect(files.bytes > 0)
    #expect(StoredFiles(folder.path("missing")).count == 0)
  }

  @Test func `files in a folder that cannot be looked into are too many`() throws {
    let folder = try TemporaryFolder("stored")
    try folder.makeFolder("a")
    #expect(!StoredFiles(folder.root.path).isTooMuch)
    for mode: mode_t in [0o300, 0o600] {
      #expect(mkdir(folder.path("a/closed"), mode) == 0)
      #expect(StoredFiles(folder.root.path).isTooMuch)
      #expect(rmdir(folder.path("a/closed")) == 0)
    }
    #expect(!StoredFiles(folder.root.path).isTooMuch)
  }

  @Test func `files below more folders than a path can name are too many`() throws {
    let folder = try TemporaryFolder("stored")
    let name = String(repeating: "n", count: 250)
    var descriptors = [open(folder.root.path, O_RDONLY | O_DIRECTORY)]
    // From the innermost on: the folder itself cannot be removed before.
    defer {
      withExtendedLifetime(folder) {
        for descriptor in descriptors.reversed() {
          unlinkat(descriptor, name, AT_REMOVEDIR)
          close(descriptor)
        }
      }
    }
    for _ in 0..<17 {
      let last = try #require(descriptors.last)
      try #require(mkdirat(last, name, 0o700) == 0)
      descriptors.append(openat(last, name, O_RDONLY | O_DIRECTORY))
    }
    #expect(StoredFiles(folder.root.path).isTooMuch)
  }

  @Test func `a script whose storage has too many files is stopped`() async throws {
    let fixture = try HostFixture()
    let script = try await fixture.start()
    try fixture.folder.makeFolder("bot/storage/many")
    for number in 0..<10_000 {
      try #require(mknod(fixture.folder.path("bot/storage/many/\(number)"), S_IFREG, 0) == 0)
    }
    #expect(await fixture.sleeps(.seconds(10)))
    fixture.clock.advance(by: .seconds(10))
    #expect(try await fixture.failure().key == "error.script.files")
    #expect(script.signals.value == [9])
  }

  @Test func `half a core over a minute is allowed`() {
    var usage = ScriptUsage()
    var problems: [ScriptBreach?] = []
    for look in 0...12 {
      let (percent, problem) = usage.take(
        memory: 512 << 20, processor: .seconds(5 * look), at: .seconds(10 * look))
      #expect(percent == (look == 0 ? 0 : 50))
      problems.append(problem)
    }
    #expect(problems.allSatisfy { $0 == nil })
    // A burst counts over the minute.
    #expect(usage.take(memory: 0, processor: .seconds(70), at: .seconds(130)).problem == .processor)
    var young = ScriptUsage()
    #expect(young.take(memory: 0, processor: .seconds(10), at: .seconds(10)).problem == nil)
    #expect(young.take(memory: 0, processor: .seconds(50), at: .seconds(50)).problem == nil)
  }

  @Test func `crashes are forgotten after ten minutes, and when the user starts the script`() {
    var policy = RestartPolicy()
    let pauses = [0, 1, 2, 3, 601].map { policy.crash(at: .seconds($0)) }
    #expect(pauses == [.seconds(1), .seconds(5), .seconds(30), nil, .seconds(30)])
    policy.reset()
    #expect(policy.crash(at: .seconds(602)) == .seconds(1))
  }
}
