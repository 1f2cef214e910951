import Sockets

// How a stream was made and signed in to.
extension XMPPStream {
  /// The mechanism's name.
  package nonisolated var mechanism: String { authentication.mechanism }
  /// How it was signed in to with a password; `nil`: with a token.
  package nonisolated var proof: SignInProof? { authentication.proof }
  /// The connection under it.
  package nonisolated var connection: any ByteStream { transport }
}
