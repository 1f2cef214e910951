import NatterCore
import XMPP

/// What `ScriptRights` asks of the façade of the scripts.
struct ScriptRightsActions: Sendable {
  /// Stores a right that was granted for good, before the call returns.
  /// - Throws: `NatterError`.
  var keep: @Sendable (ScriptGrant) async throws -> Void = { _ in }
  /// Stores that the user does not want to be asked for a right.
  /// - Throws: `NatterError`.
  var refuse: @Sendable (ScriptRight) async throws -> Void = { _ in }
  /// Notes that the user has declined a right, once in a run.
  var decline: @Sendable (ScriptRight) async -> Void = { _ in }
  /// Reports that a right is needed, and that there is no user to ask; once in a run.
  var report: @Sendable (ScriptRight) async -> Void = { _ in }
  /// Called when a right was given that only a new process of the script has.
  var restart: @Sendable () async -> Void = {}
}

/// The rights of one script: what its manifest declares and the user has granted, and the questions
/// for the rest.
package actor ScriptRights {
  private let name: String
  private let mayAsk: Bool
  private let questions: ScriptQuestions
  private let actions: ScriptRightsActions
  nonisolated let ledger: RightsLedger
  nonisolated let consents = ContactConsents()
  /// The rights that were reported as not to be asked for.
  private var reported: Set<ScriptRight> = []

  /// - Parameter mayAsk: `false`: there is no user to ask.
  init(
    _ name: String, _ manifest: ScriptManifest, _ entry: ScriptGrants.Entry, mayAsk: Bool,
    questions: ScriptQuestions, actions: ScriptRightsActions
  ) {
    (self.name, self.mayAsk) = (name, mayAsk)
    (self.questions, self.actions) = (questions, actions)
    ledger = RightsLedger(manifest, entry)
  }

  /// The rights for the bridge.
  nonisolated package var bridge: BridgeRights {
    BridgeRights(
      held: { [ledger] in ledger.decision(.bridge($0), in: $1) },
      ask: { [weak self] permission, account in
        await self?.request(.bridge(permission), in: account) ?? .refused(.notAnswered)
      },
      revocations: { [ledger] in ledger.revocations() },
      note: { [ledger] in ledger.note(.bridge($0), in: $1) },
      confirm: { [weak self] change in
        guard let self else { return .notAnswered }
        return await refusal(of: change)
      })
  }

  /// The rights for the host of the script.
  nonisolated package var forHost: ScriptHostRights {
    ScriptHostRights(
      bridge: bridge,
      holds: { [ledger] right in
        guard ledger.holds(right) else { return false }
        // The bridge notes the use of its own.
        if case .bridge = right { return true }
        ledger.note(right, in: nil)
        return true
      },
      request: { [weak self] right in
        await self?.request(right, in: nil) ?? .refused(.notAnswered)
      },
      listed: { [ledger] in ledger.listed })
  }

  /// Returns the decision about a right that is needed now; the user may be asked.
  /// - Parameter account: where it is needed; `nil`: in no account, or all of them.
  func request(_ right: ScriptRight, in account: JID?) async -> BridgeRights.Decision {
    if let decision = Self.settled(right, account, ledger) { return decision }
    guard let permission = ledger.manifest.permission(right) else {
      return .refused(.notDeclared)
    }
    guard mayAsk else {
      if reported.insert(right).inserted { await actions.report(right) }
      return .refused(.notAsked)
    }
    return await questions.ask(
      ScriptQuestions.Request(
        script: name, title: ledger.manifest.title, permission: permission,
        account: right.hasScope ? account?.bare : nil, canPassOn: canPassOn(with: right),
        settled: { [ledger] in Self.settled(right, account, ledger) },
        answered: { [weak self] answer in
          try await self?.take(answer, right, account) ?? .refused(.notAnswered)
        }))
  }

  /// Asks the user about a change of contacts.
  /// - Returns: why it is refused; `nil`: they agree.
  private func refusal(of change: AskedContactChange) async -> BridgeRights.Reason? {
    let right = ScriptRight.bridge(.changeContacts)
    guard let permission = ledger.manifest.permission(right) else { return .notDeclared }
    guard mayAsk else { return .notAsked }
    if consents.isDeclined(change) { return .declined }
    let decision = await questions.ask(
      ScriptQuestions.Request(
        script: name, title: ledger.manifest.title, permission: permission,
        account: change.account, canPassOn: false, change: change,
        settled: { [consents] in consents.isDeclined(change) ? .refused(.declined) : nil },
        answered: { [consents] answer in
          switch answer {
          case .no: consents.note(change, isAccepted: false)
          case .never: consents.end()
          case .once, .onceWithin, .session, .always:
            consents.note(change, isAccepted: true)
            return .held(permission.scope)
          }
          return .refused(.declined)
        }))
    guard case .refused(let reason) = decision else { return nil }
    return reason
  }

  /// Returns the decision if the user need not be asked for it.
  private static func settled(
    _ right: ScriptRight, _ account: JID?, _ ledger: RightsLedger
  ) -> BridgeRights.Decision? {
    let decision = ledger.decision(right, in: account)
    return decision == .refused(.notAsked) ? nil : decision
  }

  /// Indicates whether a script with one more right could pass on what it reads.
  private func canPassOn(with right: ScriptRight) -> Bool {
    func has(_ other: ScriptRight) -> Bool { other == right || ledger.holds(other) }
    return (has(.bridge(.readMessages)) || has(.bridge(.readFiles))) && has(.network)
  }

  private func take(
    _ answer: ScriptAnswer, _ right: ScriptRight, _ account: JID?
  ) async throws -> BridgeRights.Decision {
    switch answer {
    case .no:
      if ledger.decline(RightsLedger.Subject(right, in: account)) {
        await actions.decline(right)
      }
      return .refused(.declined)
    case .never:
      _ = ledger.decline(RightsLedger.Subject(right, in: account))
      try await actions.refuse(right)
      return .refused(.declined)
    case .once:
      guard right.belongsToProcess else { return .held(ledger.declared(right) ?? BridgeScope()) }
      ledger.addSingle(right)
    case .onceWithin(let grant):
      guard grant.right == right else { return .refused(.declined) }
      guard right.hasScope else { return try await take(.once, right, account) }
      let isHere = account.map { grant.accounts.isEmpty || grant.accounts.contains($0.bare) }
      let scope = grant.scope.intersection(ledger.declared(right) ?? BridgeScope())
      return isHere ?? true && !scope.isEmpty ? .held(scope) : .refused(.declined)
    case .session(let grant):
      guard grant.right == right else { return .refused(.declined) }
      ledger.addSession(grant)
    case .always(let grant):
      guard grant.right == right else { return .refused(.declined) }
      try await actions.keep(grant)
    }
    if right.belongsToProcess { await actions.restart() }
    let decision = ledger.decision(right, in: account)
    // The user has given it for other accounts only, and is not asked for this one again.
    if case .refused = decision {
      _ = ledger.decline(RightsLedger.Subject(right, in: account))
      return .refused(.declined)
    }
    return decision
  }
}

extension ScriptRight {
  /// Indicates whether the system gives the right to a process when it starts.
  var belongsToProcess: Bool {
    switch self {
    case .network, .readFolder, .writeFolder: true
    default: false
    }
  }
}
