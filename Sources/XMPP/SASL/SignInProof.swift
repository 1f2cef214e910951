import Sockets

/// How much a password's sign-in shows the server, and a peer in its place: the weakest first.
package enum SignInStrength: String, Hashable, Sendable, CaseIterable, Comparable, Codable {
  /// The password itself (PLAIN).
  case password
  /// That the password is known, and nothing of it (SCRAM).
  case proof
  /// The same, of use on this TLS connection only (SCRAM with channel binding).
  case boundProof = "bound-proof"

  package static func < (weaker: SignInStrength, stronger: SignInStrength) -> Bool {
    weaker.rank < stronger.rank
  }

  private var rank: Int {
    switch self {
    case .password: 0
    case .proof: 1
    case .boundProof: 2
    }
  }
}

/// How an account was signed in to with its password.
package struct SignInProof: Hashable, Sendable, Codable {
  package let strength: SignInStrength
  /// What it was tied to of the TLS connection; `nil`: nothing.
  package let binding: ChannelBinding.Kind?

  package init(_ strength: SignInStrength, binding: ChannelBinding.Kind? = nil) {
    self.strength = strength
    self.binding = binding
  }
}

/// What is asked of a sign-in with a password.
package struct SignInDemand: Hashable, Sendable {
  /// How the account was signed in to the last time; `nil`: never, or that is not known.
  package var last: SignInProof?
  /// Whether the user takes a weaker way than the last time, and than the server offers.
  package var acceptsWeaker: Bool
  /// What came of it when the user took a weaker way in this run; `nil`: they did not. It is no more of a surprise, and nothing
  /// weaker than it is meant.
  package var taken: SignInStrength?

  package init(
    last: SignInProof? = nil, acceptsWeaker: Bool = false, taken: SignInStrength? = nil
  ) {
    self.last = last
    self.acceptsWeaker = acceptsWeaker
    self.taken = taken
  }
}
