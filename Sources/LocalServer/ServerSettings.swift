import Crypto
import FoundationEssentials

/// The numbers and texts that a server is started with.
package struct ServerSettings: Sendable {
  /// Gives the text of one of the guide's keys (`Resources/locales/en/guide.toml` has them in
  /// English), its `{name}`s filled.
  package typealias Texts = @Sendable (_ key: String, _ arguments: [String: String]) -> String

  /// The domain that is served: one that every machine can resolve without DNS.
  package var domain = "localhost"
  /// Whether two accounts of this server are on each other's contact lists from the start.
  package var introducesAccounts = true
  /// How long the server stays when its last client has left.
  package var linger = Duration.seconds(3)
  /// How long it waits for its first client.
  package var patience = Duration.seconds(30)
  /// How long a session whose connection broke can be taken up again (XEP-0198 §5).
  package var resumption = Duration.seconds(120)
  /// How long a connection may take to sign in.
  package var negotiation = Duration.seconds(60)
  /// The largest stanza in bytes, signed in and not.
  package var stanzaLimit = 1 << 20
  package var unauthenticatedStanzaLimit = 16 << 10
  /// How many bytes may wait for a client that does not read.
  package var queueLimit = 4 << 20
  /// How long a client that is being sent away has to read the reason.
  package var farewell = Duration.seconds(2)
  package var connectionLimit = 2_500
  /// Bytes that an uploaded file may have.
  package static let uploadLimit = 4 << 30
  /// Where files are put; `nil` where there is no web side.
  var uploads: UploadSlot?
  /// How many stored messages an account may have.
  package var offlineLimit = 10_000
  package var accountLimit = 1_000
  /// How many messages an archive keeps; the oldest make room for new ones.
  package var archiveLimit = 200_000
  package var roomLimit = 1_000
  /// How many nicknames there may be in one room.
  package var occupantLimit = 5_000
  /// How many results a page of an archive has at most.
  package var archivePageLimit = 250
  /// How often the password of one connection may be wrong.
  package var attemptLimit = 5
  /// PBKDF2 rounds for new passwords (RFC 7677 §4: at least 4096).
  package var iterations = 4096
  /// What version queries are answered (XEP-0092).
  package var version = "0.1"
  package var texts: Texts
  /// How Natter is called in a shell, for the guide to tell.
  package var program = "natter"
  /// What proves that somebody owns the server's data, with a registration; `nil`: nothing does.
  package var ownerKey: String?
  /// Whether new accounts need the `ownerKey`: others of this machine reach its port as well.
  package var asksForKey = false
  /// Where people sign in over HTTP; `nil`: nowhere.
  var loginAddress: String?
  /// Seconds that an access token lives unless who asks for it wants less.
  package var tokenLifetime = 3600.0

  package init(texts: @escaping Texts) { self.texts = texts }

  /// Whether `key` proves that somebody owns the server's data.
  func isOwner(_ key: String?) -> Bool {
    guard let key, let ownerKey else { return false }
    return isEqualInConstantTime(Array(key.utf8), Array(ownerKey.utf8))
  }
}
