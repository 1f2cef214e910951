import Sockets

/// The reason why a stream could not be set up, or ended.
package indirect enum StreamFailure: Error, Equatable, Sendable {
  case socket(SocketError)
  /// The server's stream error (RFC 6120 §4.9).
  case stream(StreamError)
  /// The received bytes are not the XML of a stream.
  case notXMPP(ProtocolFault)
  /// The server ended the stream without a reason.
  case ended
  /// The end of the stream, or a stream error, in answer to the request to resume a session
  /// (XEP-0198 §5).
  case resuming(StreamFailure)
  /// The server offers no TLS, or refused to start it.
  case tlsUnavailable
  /// The server requires TLS, and the user disabled it.
  case tlsRequired
  /// No offered mechanism is supported here, or safe on this connection.
  case noUsableMechanism(offered: [String])
  /// The server offers only ways to sign in that expose more of the password than the last time, or
  /// than it first offered. Nothing of the password was sent.
  case weakerSignIn(offered: [String])
  case authentication(SASLFailure)
  /// The server rejects the access token; with its details where it gives any (RFC 7628 §3.2.2).
  case accessToken(SASLFailure, TokenRefusal?)
  /// The server's proof is wrong: the server may be an impostor.
  case scram(SCRAMError)
  case bind(StanzaError)
  /// The server signed in another account than the requested one (RFC 6120 §7.6).
  case otherAccount(JID)
  /// The server accepts no new accounts.
  case registrationNotOffered
  case registration(StanzaError)
  /// The server violates the protocol: this side ends the stream.
  case protocolViolation(ProtocolFault)
  /// The time limit ran out.
  case timedOut
  /// This program cannot compute what is needed.
  case internalFailure(String)
}
