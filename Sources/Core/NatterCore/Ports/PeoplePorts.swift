import FoundationEssentials
import XMPP

/// Stores the roster (RFC 6121 §2.6: with its version).
package protocol RosterStoring: Sendable {
  /// Returns the contacts with their pending changes.
  func contacts() async throws -> [Contact]
  /// Returns a contact; `nil` if there is none.
  func contact(_ jid: JID) async throws -> Contact?
  /// Returns the version of the stored roster, or `nil` if the server has sent none yet.
  func rosterVersion() async throws -> String?
  /// Replaces everything, as after a full roster result.
  func replaceContacts(_ contacts: [Contact], version: String?) async throws
  /// Applies pushes in their order, all or none of them.
  /// - Returns: the affected contacts as they are now, with their pending changes; those that are
  ///   missing are no longer contacts.
  func apply(_ pushes: [RosterPush]) async throws -> [Contact]
  /// Returns those of `jids` that are known to the user: contacts, including pending ones, and
  /// addresses of conversations.
  func acquaintances(among jids: Set<JID>) async throws -> Set<JID>
  /// Returns the time when it was last known to match the server's; `nil`: never.
  func rosterConfirmedAt() async throws -> Date?
  /// Records that the stored roster matches the server's at this time.
  func confirmRoster(at date: Date) async throws
}

/// One change of the roster that the server pushed (RFC 6121 §2.1.6).
package struct RosterPush: Hashable, Sendable {
  /// The bare address.
  package let jid: JID
  /// The present entry; `nil`: it was removed.
  package let contact: Contact?
  /// The version of the roster with it; `nil` if the server sends none.
  package let version: String?

  package init(_ contact: Contact, version: String?) {
    (jid, self.contact, self.version) = (contact.jid.bare, contact, version)
  }

  package init(removing jid: JID, version: String?) {
    (self.jid, contact, self.version) = (jid.bare, nil, version)
  }
}

extension RosterStoring {
  package func acquaintances(among jids: Set<JID>) async throws -> Set<JID> {
    jids.intersection(try await contacts().map(\.jid))
  }

  package func saveContact(_ contact: Contact, version: String?) async throws {
    _ = try await apply([RosterPush(contact, version: version)])
  }

  package func removeContact(_ jid: JID, version: String?) async throws {
    _ = try await apply([RosterPush(removing: jid, version: version)])
  }

  package func contact(_ jid: JID) async throws -> Contact? {
    let jid = jid.bare
    return try await contacts().first { $0.jid == jid }
  }
}

/// Stores the pending changes of contacts and of the block list.
package protocol ContactChangeStoring: UnreadableChangeReading {
  /// Returns them in the order of the user's requests.
  func contactChanges() async throws -> [ContactChange]
  /// Returns those of exactly one address, without reading the others.
  func contactChanges(of jid: JID) async throws -> [ContactChange]
  /// Stores a change; earlier ones that it replaces are removed.
  func keep(_ operation: ContactChange.Operation, of jid: JID) async throws -> ContactChange
  /// Applies changes that the server accepted to the stored lists, and removes them.
  func settle(_ changes: [ContactChange]) async throws
  /// Removes changes without applying them; those that no longer exist are ignored.
  func drop(_ changes: [ContactChange]) async throws
  /// - Parameter refusal: the reason of the refusal; `nil`: they are pending again.
  func mark(_ changes: [ContactChange], refusal: StatusNotice?) async throws
}

/// Stores the own presence and the unanswered subscription requests for the next start.
package protocol PresenceStoring: UnreadableChangeReading {
  /// Returns everything that was stored.
  func storedPresence() async throws -> StoredPresence
  /// Stores the own presence; the default one removes it.
  func keep(_ presence: OwnPresence) async throws
  /// Stores a subscription request, or its time anew.
  func keepRequest(from jid: JID, at date: Date) async throws
  func removeRequest(from jid: JID) async throws
}

/// The own presence and the subscription requests of the last run.
package struct StoredPresence: Hashable, Sendable {
  package let own: OwnPresence
  /// The senders of unanswered subscription requests, the oldest first.
  package let requests: [JID]

  package init(own: OwnPresence = OwnPresence(), requests: [JID] = []) {
    (self.own, self.requests) = (own, requests)
  }
}

/// Stores the profiles that contacts publish. The parts of one are published, and stored,
/// independently of each other.
package protocol ProfileStoring: Sendable {
  /// Returns the profile of `jid`; `nil` if it was never queried.
  func profile(of jid: JID) async throws -> Profile?
  /// Stores an empty profile where none is stored.
  func addProfile(of jid: JID) async throws
  /// - Parameter nickname: `nil`: there is none.
  func setNickname(_ nickname: String?, of jid: JID) async throws
  /// - Parameter id: the SHA-1 of the picture; `nil`: there is none.
  func setAvatarID(_ id: String?, of jid: JID) async throws
  /// Stores the ID of a picture where none is stored.
  /// - Returns: the ID that is stored then.
  func addAvatarID(_ id: String, of jid: JID) async throws -> String
}

/// Stores the block list (XEP-0191).
package protocol BlockListStoring: Sendable {
  /// Returns the blocked addresses as the server has them.
  func blocked() async throws -> Set<JID>
  func replaceBlocked(_ jids: Set<JID>) async throws
  /// Applies a change of the list.
  /// - Returns: `true` if anything changed.
  func changeBlocked(adding new: [JID], removing gone: [JID]) async throws -> Bool
  /// Returns the time when it was last known to match the server's; `nil`: never.
  func blockListConfirmedAt() async throws -> Date?
  /// Records that the stored list matches the server's at this time.
  func confirmBlockList(at date: Date) async throws
}

/// A report about a blocked address (XEP-0377).
package struct AbuseReport: Hashable, Sendable {
  /// The category of the report (XEP-0377).
  package enum Reason: String, Hashable, Sendable { case spam, abuse }
  package let reason: Reason
  /// The user's text; may be empty.
  package let text: String

  package init(reason: Reason, text: String = "") {
    self.reason = reason
    self.text = text
  }
}

/// The result of blocking an address.
package enum BlockOutcome: Hashable, Sendable {
  case blocked
  /// Blocked, and the server accepted the report.
  case reported
  /// Pending until the next connection.
  case waiting
}

/// Changes the block list (XEP-0191), at once or as soon as there is a connection.
package protocol BlockListChanging: Sendable {
  /// Returns the addresses with their pending changes, sorted by address.
  func blocked() async throws -> [BlockedAddress]
  /// Returns the time when the list was last known to match the server's; `nil`: never.
  func blockListConfirmedAt() async throws -> Date?
  /// Blocks the address of a user, or of a server with all its users.
  /// - Parameter report: the report to send to the server's operators, if it accepts reports.
  /// - Throws: `NatterError` if the server refuses; then nothing has changed.
  func block(_ jid: JID, report: AbuseReport?) async throws -> BlockOutcome
  /// - Returns: `true` if the server accepted it; otherwise it is pending.
  @discardableResult func unblock(_ jid: JID) async throws -> Bool
  /// Discards the pending changes of an address.
  func discardBlocking(of jid: JID) async throws
}

/// Changes the roster on the server: at once, or as soon as there is a connection; the result is
/// published as an event.
///
/// Each method returns `true` if the server accepted the change, and `false` if it is pending. Each
/// throws `NatterError` if the server refuses; then nothing has changed.
package protocol RosterManaging: Sendable {
  /// Adds a contact and asks to see its presence.
  /// - Parameters:
  ///   - invitation: the token of the contact's invitation to this account (XEP-0379 §3.2); `nil`:
  ///     none.
  ///   - message: the text of the subscription request (RFC 6121 §3.1.1), in one line; `nil`: none.
  @discardableResult
  func add(_ jid: JID, name: String?, invitation: String?, message: String?) async throws -> Bool
  @discardableResult func remove(_ jid: JID) async throws -> Bool
  @discardableResult func rename(_ jid: JID, to name: String?) async throws -> Bool
  /// Sets the groups of a contact, and removes it from all others.
  @discardableResult func regroup(_ jid: JID, into groups: [String]) async throws -> Bool
  /// Repeats the request to see its presence.
  @discardableResult func requestPresence(of jid: JID) async throws -> Bool
  /// Allows `jid` to see this account's presence, and asks for its own.
  @discardableResult func approve(_ jid: JID) async throws -> Bool
  @discardableResult func deny(_ jid: JID) async throws -> Bool
  /// Retries the refused changes.
  @discardableResult func retryChanges(of jid: JID) async throws -> Bool
  /// Discards the pending changes of a contact.
  func discardChanges(of jid: JID) async throws
}

extension RosterManaging {
  /// Adds a contact without an invitation and a message.
  @discardableResult package func add(_ jid: JID, name: String?) async throws -> Bool {
    try await add(jid, name: name, invitation: nil, message: nil)
  }
}

/// The account's own presence (RFC 6121 §4.7).
package protocol PresenceSetting: Sendable {
  func ownPresence() async -> OwnPresence
  /// Publishes an availability and a status text.
  func setPresence(_ availability: Availability, status: String?) async throws
  /// - Parameter priority: −128 to 127.
  func setPriority(_ priority: Int) async throws
  /// Reports that the client has been idle since this time; `nil`: it is in use again (XEP-0319).
  func setIdle(since: Date?) async
}

/// Receives the own presence for destinations that the server does not send it to: rooms
/// (XEP-0045 §7.7).
package protocol OwnPresenceFollowing: Sendable {
  func ownPresenceChanged(_ presence: OwnPresence) async
}

/// Provides the contacts' present presence, for a newly created view.
package protocol PresenceReading: Sendable {
  func presence() async -> [ContactPresence]
  /// Returns the unanswered requests to see this account's presence.
  func subscriptionRequests() async -> [JID]
}
