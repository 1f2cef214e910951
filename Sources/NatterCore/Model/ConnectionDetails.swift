/// How the connection to a server is made, for the user to look at.
package struct ConnectionDetails: Hashable, Sendable {
  package let host: String
  package let port: Int
  /// As "TLSv1.3"; `nil` without TLS.
  package let tlsVersion: String?
  package let tlsCipher: String?
  /// The SASL mechanism's name.
  package let mechanism: String
  /// What the sign-in was tied to of the TLS connection, as "tls-exporter"; `nil`: nothing.
  package let channelBinding: String?
  /// Whether acknowledgements are on (XEP-0198).
  package let hasStreamManagement: Bool
  /// Whether copies of what other clients do arrive (XEP-0280); `nil`: that is not known.
  package var hasCarbons: Bool?
  package let resource: String
  /// The account with all that it was told of its server, on the command line as well; `nil`: not known.
  package var account: Account?

  package init(
    host: String, port: Int, tlsVersion: String?, tlsCipher: String?, mechanism: String,
    channelBinding: String?, hasStreamManagement: Bool, hasCarbons: Bool?, resource: String
  ) {
    self.host = host
    self.port = port
    self.tlsVersion = tlsVersion
    self.tlsCipher = tlsCipher
    self.mechanism = mechanism
    self.channelBinding = channelBinding
    self.hasStreamManagement = hasStreamManagement
    self.hasCarbons = hasCarbons
    self.resource = resource
  }
}
