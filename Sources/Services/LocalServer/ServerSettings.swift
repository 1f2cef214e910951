import Crypto
import FoundationEssentials

/// The limits, intervals and texts of a server.
package struct ServerSettings: Sendable {
  /// A function that returns the text of a key, with its `{name}` arguments filled in.
  /// `Resources/locales/en/guide.toml` has the guide's texts in English.
  package typealias Texts = @Sendable (_ key: String, _ arguments: [String: String]) -> String

  /// The served domain. The default resolves on every machine without DNS.
  package var domain = "localhost"
  /// Indicates whether the accounts of this server are in each other's rosters from the start.
  package var introducesAccounts = true
  /// The time that the server keeps running after its last client has left.
  package var linger = Duration.seconds(3)
  /// The time that the server waits for its first client.
  package var patience = Duration.seconds(30)
  /// The time in which a session can be resumed after its connection broke (XEP-0198 §5).
  package var resumption = Duration.seconds(120)
  /// The time limit for signing in on a connection.
  package var negotiation = Duration.seconds(60)
  /// The largest stanza in bytes, after signing in.
  package var stanzaLimit = 1 << 20
  /// The largest stanza in bytes, before signing in.
  package var unauthenticatedStanzaLimit = 16 << 10
  /// The largest number of bytes that wait for a client that does not read.
  package var queueLimit = 4 << 20
  /// The time that a client has to read the stream error that ends its connection.
  package var farewell = Duration.seconds(2)
  /// The largest number of connections.
  package var connectionLimit = 2_500
  /// The largest uploaded file in bytes.
  package static let uploadLimit = 4 << 30
  /// The upload service; `nil` without a web server.
  var uploads: UploadSlot?
  /// The largest number of offline messages of an account.
  package var offlineLimit = 10_000
  /// The largest number of accounts.
  package var accountLimit = 1_000
  /// The largest number of messages in an archive; new messages replace the oldest.
  package var archiveLimit = 200_000
  /// The largest number of rooms.
  package var roomLimit = 1_000
  /// The largest number of occupants of a room.
  package var occupantLimit = 5_000
  /// The limits of a page of an archive.
  package var archivePages = ArchivePageLimits()
  /// The number of failed sign-ins after which a connection ends.
  package var attemptLimit = 5
  /// The number of PBKDF2 iterations for new passwords (RFC 7677 §4: at least 4096).
  package var iterations = 4096
  /// The version that the server reports (XEP-0092).
  package var version = "0.1"
  /// The source of texts, in the user's language.
  package var texts: Texts
  /// The shell command of Natter, which the guide mentions.
  package var program = "natter"
  /// The secret that proves ownership of the server's data in a registration; `nil` accepts no
  /// proof.
  package var ownerKey: String?
  /// Indicates whether a new account requires the `ownerKey`. Other users of this machine can reach
  /// the port as well.
  package var asksForKey = false
  /// The URL of the sign-in over HTTP; `nil` if there is none.
  var loginAddress: String?
  /// The lifetime of an access token in seconds; a request can ask for less.
  package var tokenLifetime = 3600.0

  /// - Parameter texts: the source of texts; all other settings have defaults.
  package init(texts: @escaping Texts) { self.texts = texts }

  /// Returns whether `key` proves ownership of the server's data.
  func isOwner(_ key: String?) -> Bool {
    guard let key, let ownerKey else { return false }
    return isEqualInConstantTime(Array(key.utf8), Array(ownerKey.utf8))
  }
}

/// The limits of a page of an archive.
package struct ArchivePageLimits: Sendable {
  /// The largest number of messages in it.
  package var messages = 250
  /// The largest number of messages that are searched for it (XEP-0431).
  package var searched = 10_000
}
