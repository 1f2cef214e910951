import Sockets

/// The degree to which a sign-in protects the password from the server, or from an impostor: the
/// weakest first.
package enum SignInStrength: String, Hashable, Sendable, CaseIterable, Comparable, Codable {
  /// The password itself is sent (PLAIN).
  case password
  /// Knowledge of the password is proved, without revealing it (SCRAM).
  case proof
  /// The same, valid only on this TLS connection (SCRAM with channel binding).
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

/// A record of how an account was signed in with its password.
package struct SignInProof: Hashable, Sendable, Codable {
  package let strength: SignInStrength
  /// The channel binding that was used, if any.
  package let binding: ChannelBinding.BindingType?

  package init(_ strength: SignInStrength, binding: ChannelBinding.BindingType? = nil) {
    self.strength = strength
    self.binding = binding
  }
}

/// The requirements for a sign-in with a password.
package struct SignInDemand: Hashable, Sendable {
  /// The account's last sign-in; `nil` when there was none, or it is unknown.
  package var last: SignInProof?
  /// Indicates whether the user accepts a weaker sign-in than the last, and than the server offers.
  package var acceptsWeaker: Bool
  /// The strength of a weaker sign-in that the user accepted in this run, if any. It needs no
  /// further confirmation, but the user accepted nothing weaker than it.
  package var taken: SignInStrength?
  /// Indicates whether the password is exchanged for a token at an address that the user named
  /// (`--http-url`): if that fails, the server may check the password, but not read it.
  package var exchangesPassword: Bool

  package init(
    last: SignInProof? = nil, acceptsWeaker: Bool = false, taken: SignInStrength? = nil,
    exchangesPassword: Bool = false
  ) {
    self.last = last
    self.acceptsWeaker = acceptsWeaker
    self.taken = taken
    self.exchangesPassword = exchangesPassword
  }
}
