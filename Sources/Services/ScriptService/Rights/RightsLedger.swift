import FoundationEssentials
import NatterCore
import Synchronization
import XMPP

/// What a script may do at this moment: its manifest, and what the user has granted. It answers at
/// once, from any task, and a right that is taken back is gone when the call returns.
final class RightsLedger: Sendable {
  /// What a user is asked for: the account is `nil` for a right that belongs to none.
  struct Subject: Hashable, Sendable {
    let right: ScriptRight
    let account: JID?

    init(_ right: ScriptRight, in account: JID?) {
      (self.right, self.account) = (right, right.hasScope ? account?.bare : nil)
    }
  }

  fileprivate struct Use {
    var count = 0
    var last: Date
  }

  fileprivate struct State {
    var manifest: ScriptManifest
    var entry: ScriptGrants.Entry
    /// Until Natter ends; not stored.
    var session: [ScriptGrant] = []
    /// For one process of the script.
    var single: Set<ScriptRight> = []
    /// Indicates whether one was given since that began: the next process has all of them.
    var needsProcess = false
    var declined: Set<Subject> = []
    var revoked: Set<ScriptRight> = []
    var uses: [Subject: Use] = [:]
    var followers: [Int: AsyncStream<BridgeRights.Revocation>.Continuation] = [:]
    var lastFollower = 0
  }

  private let state: Mutex<State>
  private let now: @Sendable () -> Date

  init(
    _ manifest: ScriptManifest, _ entry: ScriptGrants.Entry,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    state = Mutex(State(manifest: manifest, entry: entry))
    self.now = now
  }

  var manifest: ScriptManifest { state.withLock(\.manifest) }

  // MARK: - Decisions

  /// Returns the decision about a right in an account, without asking; `nil`: in any account.
  func decision(_ right: ScriptRight, in account: JID?) -> BridgeRights.Decision {
    state.withLock { $0.decision(right, in: account) }
  }

  /// Indicates whether a right is held anywhere.
  func holds(_ right: ScriptRight) -> Bool {
    if case .held = decision(right, in: nil) { true } else { false }
  }

  /// The rights that were declined or taken back.
  var refused: Set<ScriptRight> {
    Set(
      ScriptRight.all.filter { right in
        let decision = decision(right, in: nil)
        return decision == .refused(.declined) || decision == .refused(.revoked)
      })
  }

  /// The conversations of a right that is granted for one call; `nil`: it is not declared.
  func declared(_ right: ScriptRight) -> BridgeScope? {
    state.withLock { $0.manifest.permission(right)?.scope }
  }

  /// What is held: the grants, each limited to what the manifest declares, and what every script
  /// has that declares it.
  var listed: [ScriptGrant] {
    state.withLock { state in
      let granted = state.effective.map(\.grant)
      let others = state.manifest.permissions.map(\.right).filter { right in
        right.comesWithScript && !granted.contains { $0.right == right }
      }
      return granted + others.map { ScriptGrant($0) }
    }
  }

  /// The grants with their uses, in the order of the manifest.
  var uses: [ScriptGrantUse] {
    state.withLock { state in
      state.effective.map { grant, given in
        var use = ScriptGrantUse(grant, given: given)
        for (subject, made) in state.uses where subject.right == grant.right {
          guard
            grant.accounts.isEmpty || subject.account.map(grant.accounts.contains) ?? true
          else { continue }
          use.count += made.count
          use.lastUse = max(use.lastUse ?? made.last, made.last)
        }
        return use
      }
    }
  }

  /// Notes that a right was used.
  func note(_ right: ScriptRight, in account: JID?) {
    let now = now()
    state.withLock { state in
      state.uses[Subject(right, in: account), default: Use(last: now)].count += 1
      state.uses[Subject(right, in: account)]?.last = now
    }
  }

  // MARK: - Changes

  /// Takes what is stored now.
  func update(_ manifest: ScriptManifest, _ entry: ScriptGrants.Entry) {
    change { state in
      state.forgetDeclined(Set(state.entry.never).subtracting(entry.never))
      (state.manifest, state.entry) = (manifest, entry)
      for right in Set(entry.grants.map(\.grant.right)) where state.entryHolds(right) {
        state.revoked.remove(right)
      }
    }
  }

  /// Gives a right until Natter ends.
  func addSession(_ grant: ScriptGrant) {
    state.withLock { state in
      state.session.removeAll { $0.right == grant.right && $0.accounts == grant.accounts }
      state.session.append(grant)
      state.revoked.remove(grant.right)
    }
  }

  /// Gives a right to the next process of the script: one of those that the system gives to a
  /// process.
  func addSingle(_ right: ScriptRight) {
    state.withLock { state in
      state.single.insert(right)
      state.needsProcess = true
      state.revoked.remove(right)
    }
  }

  /// Takes back what was given to a process, which has ended; not if it was ended for a right that
  /// only another one has.
  /// - Parameter hasNext: whether another one follows at once.
  func dropSingle(hasNext: Bool = false) {
    state.withLock { state in
      if !hasNext || !state.needsProcess { state.single = [] }
      state.needsProcess = false
    }
  }

  /// Takes a right back; `nil`: all. One that was refused for good can be asked for again.
  func revoke(_ right: ScriptRight?) {
    change { state in
      if let right { state.forgetDeclined(Set(state.entry.never).intersection([right])) }
      state.entry.remove(right)
      state.session.removeAll { right == nil || $0.right == right }
      state.single = right.map { state.single.subtracting([$0]) } ?? []
    }
  }

  /// Notes that the user has declined.
  /// - Returns: `false` if they have declined that right in this run before.
  func decline(_ subject: Subject) -> Bool {
    state.withLock { state in
      let isFirst = !state.declined.contains { $0.right == subject.right }
      state.declined.insert(subject)
      return isFirst
    }
  }

  /// Forgets what was declined or taken back: the user has enabled the script anew.
  func forget() {
    state.withLock { state in (state.declined, state.revoked) = ([], []) }
  }

  /// Changes the grants, and reports what was taken back by it.
  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      let before = state
      body(&state)
      for right in ScriptRight.all {
        let accounts = before.accounts(named: right).union(state.accounts(named: right))
        func isTaken(in account: JID?) -> Bool {
          let held = before.scope(of: right, in: account)
          return !state.scope(of: right, in: account).isSuperset(of: held)
        }
        // An account without a name means all others.
        let isTakenElsewhere = isTaken(in: State.other)
        let taken = accounts.filter { isTaken(in: $0) }
        guard isTakenElsewhere || !taken.isEmpty else { continue }
        if state.scope(of: right, in: nil).isEmpty { state.revoked.insert(right) }
        guard case .bridge(let permission) = right else { continue }
        let revocations =
          isTakenElsewhere
          ? [BridgeRights.Revocation(permission, in: nil)]
          : taken.map { BridgeRights.Revocation(permission, in: $0) }
        for revocation in revocations {
          for follower in state.followers.values { follower.yield(revocation) }
        }
      }
    }
  }

  /// Begins to follow what is taken back.
  func revocations() -> AsyncStream<BridgeRights.Revocation> {
    let (stream, continuation) = AsyncStream<BridgeRights.Revocation>.makeStream()
    let number = state.withLock { state in
      state.lastFollower += 1
      state.followers[state.lastFollower] = continuation
      return state.lastFollower
    }
    // Not with the lock of the stream held: `change` takes the two in the other order.
    continuation.onTermination = { [weak self] _ in
      Task { self?.unfollow(number) }
    }
    return stream
  }

  private func unfollow(_ number: Int) {
    state.withLock { state in _ = state.followers.removeValue(forKey: number) }
  }
}

extension RightsLedger.State {
  /// Means the accounts that no grant names.
  fileprivate static let other = JID(local: nil, domain: "")

  /// The grants, stored and of this run, each limited to what the manifest declares.
  fileprivate var effective: [(grant: ScriptGrant, given: Date?)] {
    manifest.permissions.flatMap { permission in
      let stored = entry.grants.filter { $0.grant.right == permission.right }
        .map { ($0.grant, Optional($0.given)) }
      let others = session.filter { $0.right == permission.right }.map { ($0, Date?.none) }
      let single =
        single.contains(permission.right) ? [(ScriptGrant(permission.right), Date?.none)] : []
      return (stored + others + single).compactMap { grant, given in
        guard permission.right.hasScope else {
          return (ScriptGrant(permission.right, scope: .all), given)
        }
        let scope = grant.scope.intersection(permission.scope)
        guard !scope.isEmpty else { return nil }
        return (ScriptGrant(grant.right, accounts: grant.accounts, scope: scope), given)
      }
    }
  }

  /// Returns the conversations of a right in an account, or in any.
  fileprivate func scope(of right: ScriptRight, in account: JID?) -> BridgeScope {
    guard let declared = manifest.permission(right) else { return BridgeScope() }
    guard right.hasScope else {
      let isHeld =
        right.comesWithScript || single.contains(right)
        || session.contains { $0.right == right } || entryHolds(right)
      return isHeld ? .all : BridgeScope()
    }
    var scope = BridgeScope()
    for grant in entry.grants.map(\.grant) + session where grant.right == right {
      if let account, !grant.accounts.isEmpty, !grant.accounts.contains(account.bare) { continue }
      scope = scope.union(grant.scope)
    }
    return scope.intersection(declared.scope)
  }

  /// Forgets what was declined of rights that the script can ask for again.
  fileprivate mutating func forgetDeclined(_ rights: Set<ScriptRight>) {
    declined = declined.filter { !rights.contains($0.right) }
  }

  fileprivate func entryHolds(_ right: ScriptRight) -> Bool {
    entry.grants.contains { $0.grant.right == right }
  }

  fileprivate func accounts(named right: ScriptRight) -> Set<JID> {
    (entry.grants.map(\.grant) + session).filter { $0.right == right }
      .reduce(into: []) { $0.formUnion($1.accounts) }
  }

  fileprivate func decision(_ right: ScriptRight, in account: JID?) -> BridgeRights.Decision {
    if case .bridge(.control) = right { return .refused(.policy) }
    guard manifest.permission(right) != nil else { return .refused(.notDeclared) }
    let scope = scope(of: right, in: account)
    if !scope.isEmpty { return .held(scope) }
    if revoked.contains(right) { return .refused(.revoked) }
    // Declined for all accounts, or for this one.
    let subjects = [
      RightsLedger.Subject(right, in: nil), RightsLedger.Subject(right, in: account),
    ]
    if entry.never.contains(right) || subjects.contains(where: declined.contains) {
      return .refused(.declined)
    }
    return .refused(.notAsked)
  }
}
