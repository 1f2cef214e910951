import FoundationEssentials
import XMPP

/// The roster as the database holds it (RFC 6121 §2.6: with its version).
package protocol RosterStoring: Sendable {
  func contacts() async throws -> [Contact]
  /// The version of what is stored, or `nil` when the server gave none yet.
  func rosterVersion() async throws -> String?
  /// Replaces everything, as after a full roster result.
  func replaceContacts(_ contacts: [Contact], version: String?) async throws
  /// Applies one push.
  func saveContact(_ contact: Contact, version: String?) async throws
  func removeContact(_ jid: JID, version: String?) async throws
}

/// What people publish of themselves, as the database holds it.
package protocol ProfileStoring: Sendable {
  /// `nil` when he was never asked.
  func profile(of jid: JID) async throws -> Profile?
  func save(_ profile: Profile, of jid: JID) async throws
}

/// The block list as the database holds it (XEP-0191).
package protocol BlockListStoring: Sendable {
  func blocked() async throws -> Set<JID>
  func replaceBlocked(_ jids: Set<JID>) async throws
}

/// What somebody did whose messages are to be thrown away (XEP-0377).
package struct AbuseReport: Hashable, Sendable {
  package enum Reason: String, Hashable, Sendable { case spam, abuse }
  package let reason: Reason
  /// In the person's words; empty for none.
  package let words: String

  package init(reason: Reason, words: String = "") {
    self.reason = reason
    self.words = words
  }
}

/// Changes whose messages the server throws away (XEP-0191).
package protocol BlockListChanging: Sendable {
  /// By address.
  func blocked() async throws -> [JID]
  /// Blocks an address: of a person, of a server with all its people.
  /// - Parameter report: what the server's people are to be told with it.
  /// - Returns: whether the server takes reports; `false` where there was none.
  /// - Throws: `NatterError` when offline or when the server refuses.
  func block(_ jid: JID, report: AbuseReport?) async throws -> Bool
  func unblock(_ jid: JID) async throws
}

/// Changes the roster at the server. The result is seen as an event, after the server's push.
package protocol RosterManaging: Sendable {
  /// Adds a contact and asks to see its presence.
  /// - Parameter invitation: what shows that the contact invited this account (XEP-0379 §3.2); `nil`: nothing.
  /// - Throws: `NatterError` when offline or when the server refuses.
  func add(_ jid: JID, name: String?, invitation: String?) async throws
  func remove(_ jid: JID) async throws
  func rename(_ jid: JID, to name: String?) async throws
  /// Puts a contact into these groups and takes it out of all others.
  func regroup(_ jid: JID, into groups: [String]) async throws
  /// Asks once more to see its presence.
  func requestPresence(of jid: JID) async throws
  /// Lets `jid` see this account's presence, and asks for its own.
  func approve(_ jid: JID) async throws
  func deny(_ jid: JID) async throws
}

extension RosterManaging {
  /// The same without having been invited.
  package func add(_ jid: JID, name: String?) async throws {
    try await add(jid, name: name, invitation: nil)
  }
}

/// One's own presence (RFC 6121 §4.7).
package protocol PresenceSetting: Sendable {
  func ownPresence() async -> OwnPresence
  func setPresence(_ availability: Availability, status: String?) async throws
  /// - Parameter priority: −128 to 127.
  func setPriority(_ priority: Int) async throws
  /// Nobody has touched this client since then; `nil`: somebody does again (XEP-0319).
  func setIdle(since: Date?) async
}

/// The contacts' presence at this moment, for a view that has just been made.
package protocol PresenceReading: Sendable {
  func presence() async -> [ContactPresence]
  /// Requests to see this account's presence that have not been answered.
  func subscriptionRequests() async -> [JID]
}
