import Sockets

/// What SCRAM says of channel binding (`gs2-cbind-flag`, RFC 5802 §6).
package enum SCRAMBinding: Hashable, Sendable {
  /// `n`: this client has none.
  case none
  /// `y`: this client has some, and the server offered none. A server that did offer it learns from this that somebody in the
  /// middle took it out.
  case notOffered
  /// `p`
  case bound(ChannelBinding)
}

/// One try to authenticate.
struct SASLAttempt: Hashable, Sendable {
  let mechanism: SASLMechanism
  var binding = SCRAMBinding.none
  /// Whether the server has to prove that its offer arrived as it was made (XEP-0474), as a weaker way than it may have is used.
  var requiresAnnouncement = false
  /// Whether the server does not say which channel bindings it takes: what is refused may be this one.
  var isGuess = false

  /// What is known of the sign-in once it succeeded; `nil` for tokens.
  var proof: SignInProof? {
    guard let strength = mechanism.strength else { return nil }
    guard case .bound(let binding) = binding else { return SignInProof(strength) }
    return SignInProof(strength, binding: binding.kind)
  }
}

/// What to try of what a server offers, in order.
///
/// A password is never shown to a server that offers a way without showing it, and nothing weaker is used than the last time:
/// but where the user says so, or where the server proves that it means what it offers. Not even then is the password shown to a
/// server that offers SCRAM, unless it was shown before.
struct SASLPlan {
  let announcement: SASLAnnouncement
  /// What signing in can be tied to here, the preferred first.
  let bindings: [ChannelBinding]
  /// Whether nobody can read along (TLS, or a connection inside this machine).
  let isProtected: Bool
  /// Whether there is an access token, and no password.
  let hasToken: Bool
  let demand: SignInDemand

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

  /// Goes through the attempts until one leads to the end.
  /// - Parameter work: one attempt.
  /// - Throws: as `attempts`; the last refusal; at once what no other attempt would change, a wrong password above all: it is
  ///   not tried again in another way.
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
          // Offered and yet refused: the next one may do.
          rest.removeAll { $0.mechanism == attempt.mechanism }
        } else if !attempt.isGuess || !hasAnotherBinding || !error.mayBeAboutBinding {
          throw error
        }
      }
    }
    throw refusal
  }

  /// Whether the server would take the password itself, and nobody reads along.
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

  /// The one to use of what the server takes (XEP-0440); where it does not say, all in the order in which they are tried.
  private var usableBindings: ([ChannelBinding], isGuess: Bool) {
    if let taken = announcement.bindings {
      return (Array(bindings.filter { taken.contains($0.kind.rawValue) }.prefix(1)), false)
    }
    // Up to TLS 1.2 there is one that all know (RFC 5802 §6.1). Of TLS 1.3 some know what RFC 9266 defines, and some the older
    // one still. What the server took the last time saves an attempt that it refuses.
    let guesses = bindings.prefix(bindings.first?.kind == .exporter ? 2 : 1)
    let last = demand.last?.binding
    return (guesses.filter { $0.kind == last } + guesses.filter { $0.kind != last }, true)
  }

  // MARK: - SCRAM without

  private func proofs(_ known: [SASLMechanism]) -> [SASLAttempt] {
    let isOffered = announcement.offersBinding
    let binding: SCRAMBinding = bindings.isEmpty || isOffered ? .none : .notOffered
    // Where the server binds and this client could: only if the offer is the server's own (XEP-0474 §6, rule 6), or the user
    // has taken it without.
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
    // Who has been shown the password before learns nothing from it.
    if last == .password { return [SASLAttempt(mechanism: .plain)] }
    // To go without channel binding, where SCRAM is there still, is not to go without SCRAM.
    guard bound(known).isEmpty, !known.contains(where: { $0.strength == .proof }) else { return [] }
    let isWeaker = last != nil || !bindings.isEmpty && announcement.offersBinding
    return isWeaker && !demand.acceptsWeaker ? [] : [SASLAttempt(mechanism: .plain)]
  }
}

extension StreamFailure {
  /// Whether the mechanism is what is refused, and not the secret.
  var asksForAnotherMechanism: Bool {
    switch self {
    case .authentication(let failure), .accessToken(let failure, _):
      failure.condition == .invalidMechanism || failure.condition == .mechanismTooWeak
    default: false
    }
  }

  /// Whether it may be the channel binding that is refused: servers say so with the same conditions as for a wrong password.
  var mayBeAboutBinding: Bool {
    guard case .authentication(let failure) = self else { return false }
    return failure.condition == .notAuthorized || failure.condition == .malformedRequest
  }
}
