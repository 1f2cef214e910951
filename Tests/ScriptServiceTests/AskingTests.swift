import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// Questions of scripts for rights, and the user's answers.
@Suite(.timeLimit(.minutes(1))) struct AskingTests {
  private let account = JID(local: "me", domain: "x.example")
  private let other = JID(local: "me", domain: "y.example")

  /// A script with its rights, a user, and what was stored.
  private final class Fixture: Sendable {
    let clock = ManualClock()
    let changes = Observed(0)
    let questions: ScriptQuestions
    let rights: ScriptRights
    let stored = Observed<[String]>([])

    init(_ names: [String] = ["messages.read", "messages.send", "network"], mayAsk: Bool = true) {
      let (clock, changes, stored) = (clock, changes, stored)
      questions = ScriptQuestions(sleep: { try await clock.sleep(for: $0) }) {
        changes.update { $0 += 1 }
      }
      var manifest = ScriptManifest(title: "Greeter", version: "1", run: ["./greeter"])
      manifest.permissions = names.compactMap { ScriptRight($0) }.map { .init($0, why: "so") }
      var actions = ScriptRightsActions()
      let failing = Failing()
      actions.keep = { grant in
        if failing.isOn.withLock(\.self) { throw NatterError(.storage, "error.file.full") }
        stored.update { $0.append("keep " + grant.right.name) }
        failing.ledger.withLock(\.self)?.addSession(grant)
      }
      actions.refuse = { right in
        if failing.isOn.withLock(\.self) { throw NatterError(.storage, "error.file.full") }
        stored.update { $0.append("never " + right.name) }
      }
      actions.decline = { right in stored.update { $0.append("decline " + right.name) } }
      actions.report = { right in stored.update { $0.append("report " + right.name) } }
      actions.restart = { stored.update { $0.append("restart") } }
      rights = ScriptRights(
        "greeter", manifest, .init(isEnabled: true), mayAsk: mayAsk, questions: questions,
        actions: actions)
      failing.ledger.withLock { [ledger = rights.ledger] in $0 = ledger }
      self.failing = failing
    }

    let failing: Failing

    final class Failing: Sendable {
      let isOn = Mutex(false)
      let ledger = Mutex<RightsLedger?>(nil)
    }

    /// Waits for the one question that is open.
    func question() async throws -> ScriptQuestion {
      while true {
        let seen = changes.value
        if let question = await questions.open().first { return question }
        guard await changes.waits(until: { $0 > seen }) else {
          throw NatterError(.unexpected, "no question")
        }
      }
    }

    /// Asks for a right as a request of the bridge does.
    func begin(
      _ permission: BridgePermission, in account: JID
    ) -> Task<BridgeRights.Decision, Never> {
      Task { [bridge = rights.bridge] in await bridge.decision(permission, in: account) }
    }
  }

  @Test func `a right that is granted for this run is not asked for again, one for once is`()
    async throws
  {
    let fixture = Fixture()
    let first = fixture.begin(.readMessages, in: account)
    var question = try await fixture.question()
    #expect(question.title == "Greeter")
    #expect(question.permission.why == "so")
    #expect(question.account == account)
    #expect(!question.canPassOn)
    try await fixture.questions.answer(question.id, .once)
    #expect(await first.value == .held(.all))
    #expect(
      fixture.rights.bridge.current(.readMessages, in: account) == .refused(.notAsked))
    let second = fixture.begin(.readMessages, in: account)
    question = try await fixture.question()
    let rooms = BridgeScope(hasRooms: true)
    try await fixture.questions.answer(
      question.id,
      .session(ScriptGrant(.bridge(.readMessages), accounts: [account], scope: rooms)))
    #expect(await second.value == .held(rooms))
    #expect(await fixture.begin(.readMessages, in: account).value == .held(rooms))
    #expect(fixture.stored.value.isEmpty)
    #expect(fixture.rights.ledger.uses.first?.count == 3)
    await #expect(throws: NatterError.self) {
      try await fixture.questions.answer(question.id, .once)
    }
  }

  @Test func `a change of contacts is asked about each time, and one that is declined is not`()
    async throws
  {
    let fixture = Fixture(["contacts.write"])
    let contact = JID(local: "eve", domain: "x.example")
    func begin(
      _ kind: AskedContactChange.Kind, _ name: String = "eve"
    ) -> Task<BridgeRights.Reason?, Never> {
      let change = AskedContactChange(kind, JID(local: name, domain: "x.example"), in: account)
      return Task { [bridge = fixture.rights.bridge] in await bridge.refusal(of: change) }
    }
    for _ in 0..<2 {
      let asking = begin(.add)
      let question = try await fixture.question()
      #expect(question.change == AskedContactChange(.add, contact, in: account))
      // Whatever the user answers, it is for this change.
      try await fixture.questions.answer(
        question.id, .session(ScriptGrant(.bridge(.changeContacts))))
      #expect(await asking.value == nil)
    }
    #expect(fixture.rights.bridge.current(.changeContacts, in: account) == .refused(.notAsked))
    for name in ["eve", "bob", "carol"] {
      let asking = begin(.block, name)
      try await fixture.questions.answer(try await fixture.question().id, .no)
      #expect(await asking.value == .declined)
      #expect(await begin(.block, name).value == .declined)
    }
    // After three, nothing of the kind is asked.
    #expect(await begin(.add, "dave").value == .declined)
    #expect(fixture.stored.value.isEmpty)
    fixture.rights.consents.forget()
    let again = begin(.block)
    try await fixture.questions.answer(try await fixture.question().id, .never)
    #expect(await again.value == .declined)
    #expect(await begin(.add, "dave").value == .declined)
  }

  @Test func `without a user contacts are not changed`() async throws {
    let fixture = Fixture(["contacts.write"], mayAsk: false)
    let change = AskedContactChange(.remove, account, in: other)
    #expect(await fixture.rights.bridge.refusal(of: change) == .notAsked)
    let programs = ScriptGrants(entries: ["mailer": .init()]).rights(of: "mailer")
    #expect(await programs.refusal(of: change) == .notAsked)
    #expect(await BridgeRights.person.refusal(of: change) == nil)
  }

  @Test func `a right that is declined is not asked for again in this run`() async throws {
    let fixture = Fixture()
    let first = fixture.begin(.readMessages, in: account)
    try await fixture.questions.answer(try await fixture.question().id, .no)
    #expect(await first.value == .refused(.declined))
    #expect(await fixture.begin(.readMessages, in: account).value == .refused(.declined))
    // Another account is another question, but the run counts once.
    let second = fixture.begin(.readMessages, in: other)
    try await fixture.questions.answer(try await fixture.question().id, .no)
    #expect(await second.value == .refused(.declined))
    #expect(fixture.stored.value == ["decline messages.read"])
    let third = fixture.begin(.sendMessages, in: account)
    try await fixture.questions.answer(try await fixture.question().id, .never)
    #expect(await third.value == .refused(.declined))
    #expect(fixture.stored.value.last == "never messages.send")
  }

  @Test func `one question is open at a time, and its answer counts for those that wait`()
    async throws
  {
    let fixture = Fixture()
    let first = fixture.begin(.readMessages, in: account)
    let question = try await fixture.question()
    let others = [
      fixture.begin(.readMessages, in: account), fixture.begin(.readMessages, in: account),
    ]
    let send = fixture.begin(.sendMessages, in: account)
    #expect(await fixture.questions.open() == [question])
    try await fixture.questions.answer(
      question.id, .session(ScriptGrant(.bridge(.readMessages))))
    for request in [first] + others { #expect(await request.value == .held(.all)) }
    let next = try await fixture.question()
    #expect(next.permission.right == .bridge(.sendMessages))
    try await fixture.questions.answer(next.id, .no)
    #expect(await send.value == .refused(.declined))
    #expect(await fixture.questions.open().isEmpty)
  }

  @Test func `a question without an answer ends after five minutes`() async throws {
    let fixture = Fixture()
    let request = fixture.begin(.readMessages, in: account)
    let question = try await fixture.question()
    #expect(await fixture.clock.waits(untilSleeping: 1))
    fixture.clock.advance(by: .seconds(299))
    #expect(await fixture.questions.open() == [question])
    fixture.clock.advance(by: .seconds(1))
    #expect(await request.value == .refused(.notAnswered))
    #expect(await fixture.questions.open().isEmpty)
    // The user has not declined: they may be asked later.
    let later = fixture.begin(.readMessages, in: account)
    _ = try await fixture.question()
    await fixture.questions.cancel("greeter")
    #expect(await later.value == .refused(.notAnswered))
    #expect(await fixture.questions.open().isEmpty)
    let cancelled = fixture.begin(.readMessages, in: account)
    _ = try await fixture.question()
    cancelled.cancel()
    #expect(await cancelled.value == .refused(.notAnswered))
  }

  @Test func `without a user nothing is asked, and each right is reported once`() async {
    let fixture = Fixture(mayAsk: false)
    for _ in 1...3 {
      #expect(await fixture.begin(.readMessages, in: account).value == .refused(.notAsked))
    }
    #expect(await fixture.begin(.readRooms, in: account).value == .refused(.notDeclared))
    #expect(fixture.stored.value == ["report messages.read"])
    #expect(await fixture.questions.open().isEmpty)
  }

  @Test func `an answer for good that cannot be stored gives no more than this once`() async throws
  {
    let fixture = Fixture()
    fixture.failing.isOn.withLock { $0 = true }
    let first = fixture.begin(.readMessages, in: account)
    let question = try await fixture.question()
    await #expect(throws: NatterError(.storage, "error.file.full")) {
      try await fixture.questions.answer(
        question.id, .always(ScriptGrant(.bridge(.readMessages))))
    }
    #expect(await first.value == .held(.all))
    #expect(
      fixture.rights.bridge.current(.readMessages, in: account) == .refused(.notAsked))
    let second = fixture.begin(.readMessages, in: account)
    let again = try await fixture.question()
    await #expect(throws: NatterError.self) {
      try await fixture.questions.answer(again.id, .never)
    }
    #expect(await second.value == .refused(.declined))
  }

  @Test func `once is no more than what the user has narrowed it to`() async throws {
    let fixture = Fixture()
    let rooms = BridgeScope(hasRooms: true)
    let right = ScriptRight.bridge(.readMessages)
    let here = ScriptGrant(right, accounts: [account], scope: rooms)
    let first = fixture.begin(.readMessages, in: account)
    try await fixture.questions.answer(try await fixture.question().id, .onceWithin(here))
    #expect(await first.value == .held(rooms))
    // Also where it was to be for good.
    fixture.failing.isOn.withLock { $0 = true }
    let second = fixture.begin(.readMessages, in: account)
    var question = try await fixture.question()
    await #expect(throws: NatterError.self) {
      try await fixture.questions.answer(question.id, .always(here))
    }
    #expect(await second.value == .held(rooms))
    let third = fixture.begin(.readMessages, in: other)
    question = try await fixture.question()
    await #expect(throws: NatterError.self) {
      try await fixture.questions.answer(question.id, .always(here))
    }
    #expect(await third.value == .refused(.declined))
    #expect(fixture.stored.value.isEmpty)
  }

  @Test func `a script that reads says that it can pass on, and the network needs a new process`()
    async throws
  {
    let fixture = Fixture()
    fixture.rights.ledger.addSession(ScriptGrant(.bridge(.readMessages)))
    let request = Task { [host = fixture.rights.forHost] in await host.request(.network) }
    let question = try await fixture.question()
    #expect(question.canPassOn)
    #expect(question.account == nil)
    try await fixture.questions.answer(question.id, .once)
    #expect(await request.value == .held(.all))
    #expect(fixture.stored.value == ["restart"])
    #expect(fixture.rights.forHost.holds(.network))
    fixture.rights.ledger.dropSingle()
    #expect(!fixture.rights.forHost.holds(.network))
  }

  @Test func `an answer for another account or right gives nothing here`() async throws {
    let fixture = Fixture()
    let first = fixture.begin(.readMessages, in: account)
    try await fixture.questions.answer(
      try await fixture.question().id,
      .session(ScriptGrant(.bridge(.readMessages), accounts: [other])))
    #expect(await first.value == .refused(.declined))
    #expect(await fixture.begin(.readMessages, in: other).value == .held(.all))
    let second = fixture.begin(.sendMessages, in: account)
    try await fixture.questions.answer(
      try await fixture.question().id, .session(ScriptGrant(.network)))
    #expect(await second.value == .refused(.declined))
    #expect(!fixture.rights.ledger.holds(.network))
  }

  @Test func `three runs without consent count as never`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "natter-declined-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let declined = DeclinedRights(folder.appending(path: "declined").path)
    try declined.forget("greeter")
    #expect(try (1...3).map { _ in try declined.note(.network, of: "greeter") } == [1, 2, 3])
    #expect(try declined.note(.bridge(.readMessages), of: "greeter") == 1)
    #expect(try declined.note(.network, of: "greeter-2") == 1)
    try declined.forget("greeter", .network)
    #expect(try declined.note(.network, of: "greeter") == 1)
    #expect(try declined.note(.bridge(.readMessages), of: "greeter") == 2)
    try declined.forget("greeter")
    #expect(try declined.note(.bridge(.readMessages), of: "greeter") == 1)
    #expect(try declined.note(.network, of: "greeter-2") == 2)
  }
}
