import Crypto
import Sockets
import Testing

@testable import XMPP

/// The mechanisms that are tried of a server's offer.
@Suite struct SASLPlanTests {
  static let exporter = ChannelBinding(.exporter, [1])
  static let unique = ChannelBinding(.unique, [2])
  static let serverEndPoint = ChannelBinding(.serverEndPoint, [3])
  static let all = [exporter, unique, serverEndPoint]

  private func plan(
    _ offered: String, taking types: String? = nil, bindings: [ChannelBinding] = [],
    isProtected: Bool = true, hasToken: Bool = false, last: SignInProof? = nil,
    acceptsWeaker: Bool = false, exchangesPassword: Bool = false
  ) -> SASLPlan {
    func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
    return SASLPlan(
      announcement: SASLAnnouncement(mechanisms: words(offered), bindings: types.map(words)),
      bindings: bindings, isProtected: isProtected, hasToken: hasToken,
      demand: SignInDemand(
        last: last, acceptsWeaker: acceptsWeaker, exchangesPassword: exchangesPassword))
  }

  /// The attempts in short: `MECHANISM/FLAG`, with `!` where the offer has to be proven.
  private func text(_ plan: SASLPlan) throws -> String {
    try plan.attempts().map { attempt in
      let flag =
        switch attempt.binding {
        case .none: "n"
        case .notOffered: "y"
        case .bound(let binding): binding.kind.rawValue
        }
      return "\(attempt.mechanism.rawValue)/\(flag)\(attempt.requiresAnnouncement ? "!" : "")"
    }.joined(separator: " ")
  }

  @Test(arguments: [
    ("PLAIN SCRAM-SHA-1", true, "SCRAM-SHA-1/n"),
    (
      "PLAIN SCRAM-SHA-1 SCRAM-SHA-512 SCRAM-SHA-256", true,
      "SCRAM-SHA-512/n SCRAM-SHA-256/n SCRAM-SHA-1/n"
    ),
    ("PLAIN SCRAM-SHA-1", false, "SCRAM-SHA-1/n"), ("plain", true, "PLAIN/n"),
    ("PLAIN X-OAUTH2 SCRAM-SHA3-512", true, "PLAIN/n"),
  ])
  func `the strongest comes first, and PLAIN only where no one reads along`(
    offered: String, isProtected: Bool, attempts: String
  ) throws {
    #expect(try text(plan(offered, isProtected: isProtected)) == attempts)
  }

  @Test func `a password with an address of its own is not shown to the chat server`() throws {
    #expect(throws: StreamFailure.weakerSignIn(offered: ["PLAIN"])) {
      try plan("PLAIN", exchangesPassword: true).attempts()
    }
    #expect(try text(plan("PLAIN SCRAM-SHA-1", exchangesPassword: true)) == "SCRAM-SHA-1/n")
    #expect(try text(plan("PLAIN", acceptsWeaker: true, exchangesPassword: true)) == "PLAIN/n")
    // It has been shown already.
    let shown = SignInProof(.password)
    #expect(try text(plan("PLAIN", last: shown, exchangesPassword: true)) == "PLAIN/n")
    #expect(try text(plan("X-OAUTH2", hasToken: true, exchangesPassword: true)) == "X-OAUTH2/n")
  }

  @Test(arguments: [("PLAIN", false), ("SCRAM-SHA-1-PLUS EXTERNAL", true), ("", true)])
  func `where nothing is of use that is said`(offered: String, isProtected: Bool) {
    #expect(
      throws: StreamFailure.noUsableMechanism(
        offered: offered.split(separator: " ").map(String.init))
    ) { try plan(offered, isProtected: isProtected).attempts() }
  }

  @Test(
    arguments: [
      // What the server says that it takes (XEP-0440), the preferred first.
      ("tls-server-end-point tls-exporter", "SCRAM-SHA-1-PLUS/tls-exporter SCRAM-SHA-1/n!"),
      ("tls-server-end-point", "SCRAM-SHA-1-PLUS/tls-server-end-point SCRAM-SHA-1/n!"),
      // Of TLS 1.3 the one that is not defined there comes last.
      (
        "tls-unique tls-server-end-point",
        "SCRAM-SHA-1-PLUS/tls-server-end-point SCRAM-SHA-1/n!"
      ),
      ("tls-unique", "SCRAM-SHA-1-PLUS/tls-unique SCRAM-SHA-1/n!"),
      // None that is known here: then the offer has to be proven.
      ("tls-future", "SCRAM-SHA-1/n!"), ("", "SCRAM-SHA-1/n!"),
      // It does not say.
      (
        nil,
        "SCRAM-SHA-1-PLUS/tls-exporter SCRAM-SHA-1-PLUS/tls-unique"
          + " SCRAM-SHA-1/n!"
      ),
    ] as [(String?, String)])
  func `a server that binds is bound to`(types: String?, attempts: String) throws {
    let offered = "PLAIN SCRAM-SHA-1 SCRAM-SHA-1-PLUS"
    #expect(try text(plan(offered, taking: types, bindings: Self.all)) == attempts)
  }

  @Test func `binding goes before the hash, and is enough alone`() throws {
    let offered = "SCRAM-SHA-512 SCRAM-SHA-1-PLUS SCRAM-SHA-256-PLUS"
    let bindings = [Self.unique]
    #expect(
      try text(plan(offered, taking: "tls-unique", bindings: bindings))
        == "SCRAM-SHA-256-PLUS/tls-unique SCRAM-SHA-1-PLUS/tls-unique SCRAM-SHA-512/n!")
    #expect(
      try text(plan("SCRAM-SHA-256-PLUS", bindings: bindings)) == "SCRAM-SHA-256-PLUS/tls-unique")
  }

  @Test func `of TLS 1.2 a server that does not say takes the one that all know`() throws {
    let bindings = [Self.unique, Self.exporter, Self.serverEndPoint]
    #expect(
      try text(plan("SCRAM-SHA-1-PLUS", bindings: bindings)) == "SCRAM-SHA-1-PLUS/tls-unique")
    // What it says goes before that.
    #expect(
      try text(plan("SCRAM-SHA-1-PLUS", taking: "tls-exporter", bindings: bindings))
        == "SCRAM-SHA-1-PLUS/tls-exporter")
  }

  @Test func `what the server took the last time is tried first`() throws {
    let last = SignInProof(.boundProof, binding: .unique)
    #expect(
      try text(plan("SCRAM-SHA-1-PLUS", bindings: [Self.exporter, Self.unique], last: last))
        == "SCRAM-SHA-1-PLUS/tls-unique SCRAM-SHA-1-PLUS/tls-exporter")
  }

  @Test func `a server that offers no binding learns that this client could`() throws {
    #expect(try text(plan("SCRAM-SHA-256 PLAIN", bindings: Self.all)) == "SCRAM-SHA-256/y")
    // Also where names say nothing here: somebody in the middle could have made them of those that
    // do (RFC 5802 §6: who did not see the name with -PLUS of the mechanism must not say `n`).
    for name in ["SCRAM-SHA3-512-PLUS", "X-PLUS", "SCRAM-SHA-256-PLUS-PLUS", "-PLUS"] {
      #expect(
        try text(plan("SCRAM-SHA-256 \(name)", bindings: Self.all)) == "SCRAM-SHA-256/y")
    }
    #expect(try text(plan("SCRAM-SHA-256 SCRAM-SHA-256-PLUS")) == "SCRAM-SHA-256/n")
  }

  @Test(arguments: [SignInStrength.proof, .boundProof])
  func `after SCRAM the password is not shown, but where the user says so`(last: SignInStrength)
    throws
  {
    let proof = SignInProof(last)
    #expect(throws: StreamFailure.weakerSignIn(offered: ["PLAIN"])) {
      try plan("PLAIN", bindings: Self.all, last: proof).attempts()
    }
    #expect(try text(plan("PLAIN", last: proof, acceptsWeaker: true)) == "PLAIN/n")
    #expect(try text(plan("PLAIN", last: SignInProof(.password))) == "PLAIN/n")
  }

  @Test func `after a sign-in that was bound the server has to prove an offer without`() throws {
    let last = SignInProof(.boundProof, binding: .exporter)
    let offered = "SCRAM-SHA-1 PLAIN"
    #expect(try text(plan(offered, bindings: Self.all, last: last)) == "SCRAM-SHA-1/y!")
    #expect(
      try text(plan(offered, bindings: Self.all, last: last, acceptsWeaker: true))
        == "SCRAM-SHA-1/y")
    #expect(
      try text(plan(offered, bindings: Self.all, last: SignInProof(.proof))) == "SCRAM-SHA-1/y")
  }

  @Test(arguments: [nil, .proof, .boundProof] as [SignInStrength?])
  func `the password is not shown to a server that offers SCRAM, whatever the user takes`(
    last: SignInStrength?
  ) throws {
    for offered in ["PLAIN SCRAM-SHA-1", "PLAIN SCRAM-SHA-1 SCRAM-SHA-1-PLUS"] {
      let plan = plan(
        offered, bindings: [Self.unique], last: last.map { SignInProof($0) }, acceptsWeaker: true)
      #expect(try !text(plan).contains("PLAIN"))
    }
  }

  @Test func `what the user has taken is taken again, and nothing weaker`() throws {
    func text(_ offered: String, last: SignInStrength) throws -> String {
      var plan = plan(offered, taking: "tls-future", bindings: Self.all, last: SignInProof(last))
      #expect(plan.demand.taken == nil)
      plan = SASLPlan(
        announcement: plan.announcement, bindings: plan.bindings, isProtected: true,
        hasToken: false, demand: SignInDemand(last: SignInProof(last), taken: .proof))
      return try self.text(plan)
    }
    let offered = "PLAIN SCRAM-SHA-1 SCRAM-SHA-1-PLUS"
    #expect(try text(offered, last: .proof) == "SCRAM-SHA-1/n")
    // It has been bound again since.
    #expect(try text(offered, last: .boundProof) == "SCRAM-SHA-1/n!")
    #expect(throws: StreamFailure.self) { try text("PLAIN", last: .proof) }
  }

  // MARK: - Going through them

  /// Returns the mechanisms that are tried of a plan where each attempt ends as `outcome` says.
  private func tried(
    _ plan: SASLPlan, _ outcome: (Int) -> SASLFailure.Condition?
  ) async -> (count: Int, failure: StreamFailure?) {
    var count = 0
    do throws(StreamFailure) {
      try await plan.carriedOut { _ throws(StreamFailure) in
        count += 1
        if let condition = outcome(count) { throw .authentication(SASLFailure(condition)) }
      }
      return (count, nil)
    } catch {
      return (count, error)
    }
  }

  @Test func `which binding a server means is found out where it does not say`() async {
    let found = await tried(plan("SCRAM-SHA-1-PLUS", bindings: [Self.exporter, Self.unique])) {
      $0 == 1 ? .notAuthorized : nil
    }
    #expect(found.count == 2 && found.failure == nil)
    // A wrong password ends it, and not in a weaker way.
    let refused = await tried(
      plan("SCRAM-SHA-1-PLUS SCRAM-SHA-1 PLAIN", bindings: [Self.exporter, Self.unique])
    ) { _ in .notAuthorized }
    #expect(refused.count == 2)
    #expect(refused.failure == .authentication(SASLFailure(.notAuthorized)))
    // Where it does say it is not tried twice.
    let said = await tried(
      plan("SCRAM-SHA-1-PLUS", taking: "tls-unique tls-exporter", bindings: Self.all)
    ) { _ in .notAuthorized }
    #expect(said.count == 1)
  }

  @Test func `a server that refuses what it offers is not shown the password instead`() async {
    let refused = await tried(plan("SCRAM-SHA-1 SCRAM-SHA-256 PLAIN")) { _ in .invalidMechanism }
    #expect(refused.count == 2)
    // The user could not change that.
    #expect(refused.failure == .authentication(SASLFailure(.invalidMechanism)))
    let accepted = await tried(plan("SCRAM-SHA-1 PLAIN", acceptsWeaker: true)) { _ in
      .mechanismTooWeak
    }
    #expect(accepted.count == 1)
    // It was shown before.
    let again = await tried(plan("SCRAM-SHA-1 PLAIN", last: SignInProof(.password))) {
      $0 == 1 ? .invalidMechanism : nil
    }
    #expect(again.count == 2 && again.failure == nil)
  }
}
