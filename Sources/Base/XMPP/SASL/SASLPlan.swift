import Sockets

/// SCRAM's statement about channel binding (`gs2-cbind-flag`, RFC 5802 §6).
package enum SCRAMBinding: Hashable, Sendable {
  /// `n`: this client does not support it.
  case none
  /// `y`: this client supports it, and the server offered none. From this, a server that did offer
  /// it detects that a man in the middle removed the offer.
  case notOffered
  /// `p`
  case bound(ChannelBinding)
}

/// An attempt to authenticate.
struct SASLAttempt: Hashable, Sendable {
  let mechanism: SASLMechanism
  var binding = SCRAMBinding.none
  /// Indicates whether the server has to prove that its offer arrived unchanged (XEP-0474), because
  /// a weaker mechanism is used than it may support.
  var requiresAnnouncement = false
  /// Indicates whether the server does not announce its channel bindings, so that a failure may be
  /// due to this one.
  var isGuess = false

  /// The record of the sign-in if it succeeds; `nil` for tokens.
  var proof: SignInProof? {
    guard let strength = mechanism.strength else { return nil }
    guard case .bound(let binding) = binding else { return SignInProof(strength) }
    return SignInProof(strength, binding: binding.kind)
  }
}

/// The attempts to make with a server's offer, in order.
///
/// A password is never sent to a server that offers a mechanism that protects it, and no weaker
/// mechanism is used than the last time, unless the user accepts it or the server proves that its
/// offer is genuine. Even then, the password is not sent to a server that offers SCRAM, unless it
/// was sent before.
struct SASLPlan {
  let announcement: SASLAnnouncement
  /// The available channel bindings, the preferred one first.
  let bindings: [ChannelBinding]
  /// Indicates whether the connection cannot be read by others (TLS, or a connection inside this
  /// machine).
  let isProtected: Bool
  /// Indicates whether there is an access token instead of a password.
  let hasToken: Bool
  let demand: SignInDemand

  /// Returns the attempts, the preferred one first.
  /// - Throws: `.noUsableMechanism`, `.weakerSignIn`.
  func attempts() throws(StreamFailure) -> [SASLAttempt] {
    let known = SASLMechanism.known(in: announcement.mechanisms)
    if hasToken {
      let usable = known.filter { $0.takesToken && isProtected }
      guard !usable.isEmpty else { throw unusable }
      return usable.map { SASLAttempt(mechanism: $0) }
    }
    let attempts = bound(known) + proofs(known) + passwords(known)
    guard !attempts.isEmpty else {
      throw offersPassword ? .weakerSignIn(offered: announcement.mechanisms) : unusable
    }
    return attempts
  }

  /// Makes the attempts until one succeeds.
  /// - Parameter work: Makes a single attempt.
  /// - Throws: The errors of `attempts`; the last failure; at once a failure that no other attempt
  ///   would avoid, above all a wrong password, which is not tried with another mechanism.
  func carriedOut<Result>(
    _ work: (SASLAttempt) async throws(StreamFailure) -> Result
  ) async throws(StreamFailure) -> Result {
    let attempts = try attempts()
    var refusal: StreamFailure = .authentication(SASLFailure(.invalidMechanism))
    var rest = attempts[...]
    while let attempt = rest.popFirst() {
      do { return try await work(attempt) } catch {
        refusal = error
        let hasAnotherBinding = rest.first?.mechanism == attempt.mechanism
        if error.asksForAnotherMechanism {
          // The mechanism was offered and is still rejected: another one may work.
          rest.removeAll { $0.mechanism == attempt.mechanism }
        } else if !attempt.isGuess || !hasAnotherBinding || !error.mayBeAboutBinding {
          throw error
        }
      }
    }
    throw refusal
  }

  /// Indicates whether the server accepts the plain password, and the connection is protected.
  private var offersPassword: Bool {
    isProtected && SASLMechanism.known(in: announcement.mechanisms).contains(.plain)
  }

  private var unusable: StreamFailure { .noUsableMechanism(offered: announcement.mechanisms) }

  // MARK: - SCRAM with channel binding

  private func bound(_ known: [SASLMechanism]) -> [SASLAttempt] {
    let (usable, isGuess) = usableBindings
    return known.filter(\.bindsChannel).flatMap { mechanism in
      usable.map { SASLAttempt(mechanism: mechanism, binding: .bound($0), isGuess: isGuess) }
    }
  }

  /// The binding to use of those that the server supports (XEP-0440); if it does not announce them,
  /// all candidates in the order of the attempts.
  private var usableBindings: ([ChannelBinding], isGuess: Bool) {
    let isLatest = bindings.first?.kind == .exporter
    if let taken = announcement.bindings {
      let common = bindings.filter { taken.contains($0.kind.rawValue) }
      // With TLS 1.3, tls-unique is not defined (RFC 9266 §3): only if the server has no other.
      let defined = common.filter { !isLatest || $0.kind != .unique }
      return (Array((defined + common).prefix(1)), false)
    }
    // Up to TLS 1.2, there is a binding that all servers support (RFC 5802 §6.1). With TLS 1.3,
    // some support that of RFC 9266, and some still the older one. The binding of the last sign-in
    // comes first, which saves a failed attempt.
    let guesses = bindings.prefix(isLatest ? 2 : 1)
    let last = demand.last?.binding
    return (guesses.filter { $0.kind == last } + guesses.filter { $0.kind != last }, true)
  }

  // MARK: - SCRAM without

  private func proofs(_ known: [SASLMechanism]) -> [SASLAttempt] {
    let isOffered = announcement.offersBinding
    let binding: SCRAMBinding = bindings.isEmpty || isOffered ? .none : .notOffered
    // If server and client both support binding, go without it only if the offer is the server's
    // own (XEP-0474 §6, rule 6), or the user has accepted that.
    let isWeaker =
      isOffered && !bindings.isEmpty && (demand.taken ?? .boundProof) > .proof
      || demand.last?.strength == .boundProof
    return known.filter { $0.strength == .proof }.map {
      SASLAttempt(
        mechanism: $0, binding: binding, requiresAnnouncement: isWeaker && !demand.acceptsWeaker)
    }
  }

  // MARK: - The password itself

  private func passwords(_ known: [SASLMechanism]) -> [SASLAttempt] {
    guard offersPassword else { return [] }
    let last = demand.last?.strength
    // A server that has received the password before learns nothing from it.
    if last == .password { return [SASLAttempt(mechanism: .plain)] }
    // Accepting a sign-in without channel binding does not mean accepting a sign-in without SCRAM.
    guard bound(known).isEmpty, !known.contains(where: { $0.strength == .proof }) else { return [] }
    let isWeaker =
      last != nil || demand.exchangesPassword || !bindings.isEmpty && announcement.offersBinding
    return isWeaker && !demand.acceptsWeaker ? [] : [SASLAttempt(mechanism: .plain)]
  }
}

extension StreamFailure {
  /// Indicates whether the mechanism is rejected, not the secret.
  var asksForAnotherMechanism: Bool {
    switch self {
    case .authentication(let failure), .accessToken(let failure, _):
      failure.condition == .invalidMechanism || failure.condition == .mechanismTooWeak
    default: false
    }
  }

  /// Indicates whether the channel binding may be the cause: servers report it with the same
  /// conditions as a wrong password.
  var mayBeAboutBinding: Bool {
    guard case .authentication(let failure) = self else { return false }
    return failure.condition == .notAuthorized || failure.condition == .malformedRequest
  }
}
