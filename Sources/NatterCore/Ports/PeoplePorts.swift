import FoundationEssentials
import XMPP

/// The roster as the database holds it (RFC 6121 §2.6: with its version).
package protocol RosterStoring: Sendable {
  /// With what was done here since the server was asked.
  func contacts() async throws -> [Contact]
  /// One of these; `nil`: there is none.
  func contact(_ jid: JID) async throws -> Contact?
  /// The version of what is stored, or `nil` when the server gave none yet.
  func rosterVersion() async throws -> String?
  /// Replaces everything, as after a full roster result.
  func replaceContacts(_ contacts: [Contact], version: String?) async throws
  /// Applies pushes in their order, all or none of them.
  /// - Returns: the contacts that they concern as they are now, with what was done here since; those that are not in it are
  ///   none any more.
  func apply(_ pushes: [RosterPush]) async throws -> [Contact]
  /// Those of `jids` that the user has to do with: contacts, also those that the server has not heard of yet, and addresses of
  /// conversations.
  func acquaintances(among jids: Set<JID>) async throws -> Set<JID>
  /// When it was last known to be as the server has it; `nil`: never.
  func rosterConfirmedAt() async throws -> Date?
  func confirmRoster(at date: Date) async throws
}

/// One change of the roster that the server made known (RFC 6121 §2.1.6).
package struct RosterPush: Hashable, Sendable {
  /// The bare address.
  package let jid: JID
  /// The entry as it is now; `nil`: it was removed.
  package let contact: Contact?
  /// The version of the roster with it; `nil`: the server gives none.
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

/// What was done to contacts and to the block list, and is not at the server yet.
package protocol ContactChangeStoring: Sendable {
  /// In the order in which it was done.
  func contactChanges() async throws -> [ContactChange]
  /// Keeps a wish; earlier ones that it replaces are forgotten.
  func keep(_ wish: ContactChange.Wish, of jid: JID) async throws -> ContactChange
  /// The server has these: they are part of what is known of its lists now.
  func settle(_ changes: [ContactChange]) async throws
  /// Forgets them, or those that are still there.
  func drop(_ changes: [ContactChange]) async throws
  /// - Parameter refusal: why; `nil`: they wait again.
  func mark(_ changes: [ContactChange], refusal: StatusNotice?) async throws
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
  /// Takes up a change of the list without the rest of it.
  /// - Returns: whether anything changed.
  func changeBlocked(adding new: [JID], removing gone: [JID]) async throws -> Bool
  /// When it was last known to be as the server has it; `nil`: never.
  func blockListConfirmedAt() async throws -> Date?
  func confirmBlockList(at date: Date) async throws
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

/// What came of blocking somebody.
package enum BlockOutcome: Hashable, Sendable {
  case blocked
  /// The server's people have the report, too.
  case reported
  /// The server hears of it with the next connection.
  case waiting
}

/// Changes whose messages the server throws away (XEP-0191), at once or as soon as there is a connection.
package protocol BlockListChanging: Sendable {
  /// By address, with what was done here and waits.
  func blocked() async throws -> [BlockedAddress]
  /// When the list was last known to be as the server has it; `nil`: never.
  func blockListConfirmedAt() async throws -> Date?
  /// Blocks an address: of a person, of a server with all its people.
  /// - Parameter report: what the server's people are to be told with it, if they take that.
  /// - Throws: `NatterError` when the server refuses; then nothing has changed.
  func block(_ jid: JID, report: AbuseReport?) async throws -> BlockOutcome
  /// - Returns: whether the server has it; otherwise it waits.
  @discardableResult func unblock(_ jid: JID) async throws -> Bool
  /// Takes back what was done to an address here and the server has not.
  func discardBlocking(of jid: JID) async throws
}

/// Changes the roster at the server: at once, or as soon as there is a connection; the result is seen as an event.
///
/// Each returns whether the server has it; otherwise it waits. Each throws `NatterError` when the server refuses; then
/// nothing has changed.
package protocol RosterManaging: Sendable {
  /// Adds a contact and asks to see its presence.
  /// - Parameters:
  ///   - invitation: what shows that the contact invited this account (XEP-0379 §3.2); `nil`: nothing.
  ///   - message: what is said to him with the request (RFC 6121 §3.1.1), in one line; `nil`: nothing.
  @discardableResult
  func add(_ jid: JID, name: String?, invitation: String?, message: String?) async throws -> Bool
  @discardableResult func remove(_ jid: JID) async throws -> Bool
  @discardableResult func rename(_ jid: JID, to name: String?) async throws -> Bool
  /// Puts a contact into these groups and takes it out of all others.
  @discardableResult func regroup(_ jid: JID, into groups: [String]) async throws -> Bool
  /// Asks once more to see its presence.
  @discardableResult func requestPresence(of jid: JID) async throws -> Bool
  /// Lets `jid` see this account's presence, and asks for its own.
  @discardableResult func approve(_ jid: JID) async throws -> Bool
  @discardableResult func deny(_ jid: JID) async throws -> Bool
  /// Tells once more what the server has refused.
  @discardableResult func retryChanges(of jid: JID) async throws -> Bool
  /// Takes back what was done to a contact here and the server has not.
  func discardChanges(of jid: JID) async throws
}

extension RosterManaging {
  /// The same without having been invited, and without a word.
  @discardableResult package func add(_ jid: JID, name: String?) async throws -> Bool {
    try await add(jid, name: name, invitation: nil, message: nil)
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

/// Tells others of the own presence whom the server does not tell: rooms (XEP-0045 §7.7).
package protocol OwnPresenceFollowing: Sendable {
  func ownPresenceChanged(_ presence: OwnPresence) async
}

/// The contacts' presence at this moment, for a view that has just been made.
package protocol PresenceReading: Sendable {
  func presence() async -> [ContactPresence]
  /// Requests to see this account's presence that have not been answered.
  func subscriptionRequests() async -> [JID]
}
