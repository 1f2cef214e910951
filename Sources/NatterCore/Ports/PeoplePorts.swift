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

/// Changes the roster at the server. The result is seen as an event, after the server's push.
package protocol RosterManaging: Sendable {
  /// Adds a contact and asks to see its presence.
  /// - Throws: `NatterError` when offline or when the server refuses.
  func add(_ jid: JID, name: String?) async throws
  func remove(_ jid: JID) async throws
  func rename(_ jid: JID, to name: String?) async throws
  /// Lets `jid` see this account's presence, and asks for its own.
  func approve(_ jid: JID) async throws
  func deny(_ jid: JID) async throws
}

/// One's own presence (RFC 6121 §4.7).
package protocol PresenceSetting: Sendable {
  func setPresence(_ availability: Availability, status: String?) async throws
}

/// The contacts' presence at this moment, for a view that has just been made.
package protocol PresenceReading: Sendable {
  func presence() async -> [ContactPresence]
  /// Requests to see this account's presence that have not been answered.
  func subscriptionRequests() async -> [JID]
}
