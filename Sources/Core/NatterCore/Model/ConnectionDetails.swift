/// Technical details of the connection to a server, for the user to inspect.
package struct ConnectionDetails: Hashable, Sendable {
  package let host: String
  package let port: Int
  /// For example "TLSv1.3"; `nil` without TLS.
  package let tlsVersion: String?
  package let tlsCipher: String?
  /// The SASL mechanism's name.
  package let mechanism: String
  /// The channel binding type that ties the sign-in to the TLS connection, such as "tls-exporter";
  /// `nil`: none.
  package let channelBinding: String?
  /// Indicates whether acknowledgements are on (XEP-0198).
  package let hasStreamManagement: Bool
  /// Indicates whether copies of other clients' messages arrive (XEP-0280); `nil`: not known.
  package var hasCarbons: Bool?
  package let resource: String
  /// The account with all settings of its server, including those of the command line; `nil`: not
  /// known.
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
