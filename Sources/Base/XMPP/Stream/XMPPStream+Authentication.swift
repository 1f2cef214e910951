import Sockets

// The sign-in of a stream, and its connection.
extension XMPPStream {
  /// The mechanism's name.
  package nonisolated var mechanism: String { authentication.mechanism }
  /// The proof of the sign-in with a password; `nil` for a token.
  package nonisolated var proof: SignInProof? { authentication.proof }
  /// The connection under it.
  package nonisolated var connection: any ByteStream { transport }
}
