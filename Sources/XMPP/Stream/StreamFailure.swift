import Sockets

/// Why a stream could not be set up, or ended.
package indirect enum StreamFailure: Error, Equatable, Sendable {
  case socket(SocketError)
  /// The server's stream error (RFC 6120 §4.9).
  case stream(StreamError)
  /// What arrives is not the XML of a stream.
  case notXMPP(ProtocolFault)
  /// The server ended the stream without a reason.
  case ended
  /// What came in place of an answer to the wish to go on with a session (XEP-0198 §5): the end, or an error of the stream.
  case resuming(StreamFailure)
  /// The server offers no TLS, or refused to begin it.
  case tlsUnavailable
  /// The server takes nobody without TLS, and the person wants none.
  case tlsRequired
  /// Nothing that the server offers is known here, or safe on this connection.
  case noUsableMechanism(offered: [String])
  /// The server offers only ways to sign in that show more of the password than the last time, or than it first offered. Nothing
  /// of it was sent.
  case weakerSignIn(offered: [String])
  case authentication(SASLFailure)
  /// The access token is not taken; with what the server says about it where it says more (RFC 7628 §3.2.2).
  case accessToken(SASLFailure, TokenRefusal?)
  /// The server's proof is wrong: it may be an impostor.
  case scram(SCRAMError)
  case bind(StanzaError)
  /// The server signed another account in than the one that was asked for (RFC 6120 §7.6).
  case otherAccount(JID)
  /// The server takes no new accounts.
  case registrationNotOffered
  case registration(StanzaError)
  /// The server does not keep to the protocol: this side ends the stream.
  case protocolViolation(ProtocolFault)
  /// It took too long.
  case timedOut
  /// This program cannot compute what is needed.
  case internalFailure(String)
}
