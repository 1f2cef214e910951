import Foundation
import NatterCore
import XMPP

/// Every port the chats use, in memory, with a record of what was asked.
package actor FakePorts {
  package var messages: [Message]
  package var stored: [JID: Conversation]
  private var hidden: [JID: Conversation] = [:]
  package var drafts: [JID: String] = [:]
  package var history: [JID: [String]] = [:]
  package var roster: [Contact]
  package var presences: [ContactPresence]
  package var requests: [JID]
  package var connection: ConnectionState
  package var own = OwnPresence()
  private var connectionDetails: ConnectionDetails?
  package var blockList: Set<JID> = []
  /// The pending and refused changes of the block list.
  package var blockChanges: [ContactChange] = []
  package var confirmedAt: Date?
  private var described: [JID: ContactDetails] = [:]
  package var preferences: [String: String] = [:]
  /// The calls, in order: `send bob@example.net hi`.
  package var calls: [String] = []
  /// The errors that the next calls of that name throw.
  private var failures: [String: any Error] = [:]
  /// The date of the details that queried contacts return; `nil`: the known ones stay.
  private var answersAt: Date?
  private var seenFailures: Set<Message.ID> = []
  private let now: Date

  package init(
    messages: [Message] = [], conversations: [Conversation] = [], contacts: [Contact] = [],
    presence: [ContactPresence] = [], requests: [JID] = [],
    connection: ConnectionState = .online, now: Date = Date(timeIntervalSince1970: 0)
  ) {
    self.messages = messages
    stored = Dictionary(uniqueKeysWithValues: conversations.map { ($0.jid, $0) })
    roster = contacts
    presences = presence
    self.requests = requests
    self.connection = connection
    self.now = now
  }

  /// Has every later call of `name` throw `error`, or work again.
  package func fail(_ name: String, with error: (any Error)?) { failures[name] = error }
  /// Has the messages there; those of the same ids give way.
  package func add(_ more: [Message]) {
    let ids = Set(more.map(\.id))
    messages.removeAll { ids.contains($0.id) }
    messages += more
    // What is sent again may fail again.
    for message in more {
      guard case .failed = message.delivery else {
        seenFailures.remove(message.id)
        continue
      }
    }
  }
  package func remove(_ id: Message.ID) { messages.removeAll { $0.id == id } }
  package func hide(_ conversations: [Conversation]) {
    for conversation in conversations { hidden[conversation.jid] = conversation }
  }
  /// Has another program store a draft.
  package func setDraftAside(_ text: String, of jid: JID) -> Conversation? {
    stored[jid]?.draft = text
    return stored[jid]
  }
  package func setConnection(_ state: ConnectionState) { connection = state }
  package func setPreferences(_ values: [String: String]) { preferences = values }

  private func called(_ name: String, _ parts: String...) throws {
    calls.append(([name] + parts).joined(separator: " "))
    if let error = failures[name] { throw error }
  }
}

extension FakePorts: TimelineReading {
  private func ordered(_ conversation: JID) -> [Message] {
    messages.filter { $0.conversation == conversation }.sorted { $0.position < $1.position }
      .map(\.shortened)
  }
  package func latest(_ count: Int, in conversation: JID) throws -> [Message] {
    try called("latest", conversation.description)
    return Array(ordered(conversation).suffix(count))
  }
  package func messages(before position: MessagePosition, _ count: Int, in conversation: JID)
    throws -> [Message]
  {
    try called("before", "\(position.id.rawValue)")
    return Array(ordered(conversation).filter { $0.position < position }.suffix(count))
  }
  package func messages(after position: MessagePosition, _ count: Int, in conversation: JID) throws
    -> [Message]
  {
    try called("after", "\(position.id.rawValue)")
    return Array(ordered(conversation).filter { $0.position > position }.prefix(count))
  }
  package func messages(inThread id: String, _ count: Int, in conversation: JID) throws
    -> [Message]
  {
    try called("thread", id)
    return Array(
      ordered(conversation).filter { $0.thread?.id == id && !$0.isRetracted }.suffix(count))
  }
  package func beginnings(ofThreadsFrom id: String, _ count: Int, in conversation: JID) throws
    -> [Message]
  {
    var seen: Set<String> = []
    return Array(
      ordered(conversation).filter {
        guard let thread = $0.thread, thread.parent == id else { return false }
        return seen.insert(thread.id).inserted
      }.suffix(count))
  }
  package func storedMessage(_ id: Message.ID) -> Message? { messages.first { $0.id == id } }
  package func storedMessage(named id: String, in conversation: JID) -> Message? {
    messages.last { $0.conversation == conversation && ($0.stanzaID == id || $0.originID == id) }
  }
}

extension FakePorts: ConversationStoring {
  package func conversations() throws -> [Conversation] {
    try called("conversations")
    return Array(stored.values)
  }
  package func hiddenConversations() -> [Conversation] { Array(hidden.values) }
  package func conversation(_ jid: JID) -> Conversation? { stored[jid] ?? hidden[jid] }
  package func open(_ jid: JID, kind: Conversation.ConversationKind) throws -> Conversation {
    try called("open", jid.description)
    let conversation = stored[jid] ?? Conversation(jid: jid, kind: kind)
    stored[jid] = conversation
    hidden[jid] = nil
    return conversation
  }
  package func hide(_ jid: JID) throws {
    try called("hide", jid.description)
    stored[jid] = nil
  }
  package func markRead(_ jid: JID) throws -> Conversation? {
    try called("markRead", jid.description)
    stored[jid]?.unread = 0
    stored[jid]?.firstUnread = nil
    return stored[jid]
  }
  package func markUnread(_ jid: JID) throws -> Conversation? {
    try called("markUnread", jid.description)
    guard stored[jid]?.unread == 0 else { return nil }
    stored[jid]?.unread = 1
    return stored[jid]
  }
  package func setDraft(_ text: String, of jid: JID) throws {
    try called("setDraft", jid.description, text)
    drafts[jid] = text
    stored[jid]?.draft = text
  }
  package func unseenFailures() throws -> [JID: Set<Message.ID>] {
    if let error = failures["unseenFailures"] { throw error }
    return messages.reduce(into: [:]) { unseen, message in
      guard case .failed = message.delivery, !seenFailures.contains(message.id) else { return }
      unseen[message.conversation, default: []].insert(message.id)
    }
  }
  package func markFailuresSeen(_ ids: Set<Message.ID>) throws {
    try called("seeFailures", ids.map(\.rawValue).sorted().map(String.init).joined(separator: " "))
    seenFailures.formUnion(ids)
  }
}

extension FakePorts: InputHistoryStoring {
  package func inputHistory(of jid: JID, limit: Int) -> [String] {
    Array((history[jid] ?? []).suffix(limit))
  }
  package func appendToInputHistory(_ text: String, of jid: JID) throws {
    try called("history", jid.description, text)
    history[jid, default: []].append(text)
  }
}

extension FakePorts: PreferenceStoring {
  package func values() throws -> [String: String] {
    try called("values")
    return preferences
  }
  package func setValue(_ value: String?, for key: String) throws {
    try called("setValue", key, value ?? "-")
    preferences[key] = value
  }
}

extension FakePorts: RosterStoring {
  package func contacts() -> [Contact] { roster }
  package func rosterVersion() -> String? { nil }
  package func replaceContacts(_ contacts: [Contact], version: String?) {}
  package func apply(_ pushes: [RosterPush]) -> [Contact] { [] }
  package func rosterConfirmedAt() -> Date? { confirmedAt }
  package func confirmRoster(at date: Date) { confirmedAt = date }
}

extension FakePorts: RosterManaging {
  /// As the keepers do: without a connection it waits.
  private func reported(_ name: String, _ parts: String...) throws -> Bool {
    calls.append(([name] + parts).joined(separator: " "))
    if let error = failures[name] { throw error }
    return connection.isOnline
  }
  package func add(
    _ jid: JID, name: String?, invitation: String?, message: String?
  ) throws -> Bool {
    try reported(
      "add", ([jid.description] + [invitation, message].compactMap { $0 }).joined(separator: " "))
  }
  package func remove(_ jid: JID) throws -> Bool { try reported("remove", jid.description) }
  package func rename(_ jid: JID, to name: String?) throws -> Bool {
    try reported("rename", jid.description)
  }
  package func regroup(_ jid: JID, into groups: [String]) throws -> Bool {
    try reported("regroup", jid.description, groups.joined(separator: "+"))
  }
  package func requestPresence(of jid: JID) throws -> Bool { try reported("ask", jid.description) }
  package func approve(_ jid: JID) throws -> Bool { try reported("approve", jid.description) }
  package func deny(_ jid: JID) throws -> Bool { try reported("deny", jid.description) }
  package func retryChanges(of jid: JID) throws -> Bool { try reported("again", jid.description) }
  package func discardChanges(of jid: JID) throws { try called("discard", jid.description) }
}

extension FakePorts: PresenceReading, PresenceSetting {
  package func presence() -> [ContactPresence] { presences }
  package func subscriptionRequests() -> [JID] { requests }
  package func ownPresence() -> OwnPresence { own }
  package func setPriority(_ priority: Int) throws {
    try called("priority", "\(priority)")
    own.priority = priority
  }
  package func setPresence(_ availability: Availability, status: String?) throws {
    try called("presence", availability.rawValue, status ?? "-")
    (own.availability, own.status) = (availability, status)
  }
  package func setIdle(since: Date?) {}
  /// As another program of the account would.
  package func setPresenceAside(_ availability: Availability) { own.availability = availability }
}

extension FakePorts: ConnectionControlling {
  package func state() -> ConnectionState { connection }
  package func details() -> ConnectionDetails? { connectionDetails }
  /// Has the connection be made like this.
  package func connect(by details: ConnectionDetails?) { connectionDetails = details }
  package func connectNow() { calls.append("connect") }
  package func goOffline() { calls.append("offline") }
  package func clientActive(_ isActive: Bool) { calls.append(isActive ? "active" : "inactive") }
}

extension FakePorts: MessageSending {
  @discardableResult package func send(_ body: String, to conversation: JID) throws -> Message {
    try called("send", conversation.description, body)
    let message = Message(
      id: .init(Int64(1000 + messages.count)), conversation: conversation,
      sender: JID(local: "alice", domain: "example.org", resource: "natter"),
      direction: .outgoing, body: body, sentAt: now, originID: "o\(messages.count)",
      delivery: .queued)
    messages.append(message)
    return message
  }
  package func retry(_ message: Message) throws { try called("retry", message.body) }
  package func cancel(_ message: Message) throws { try called("cancel", message.body) }
}

extension FakePorts: MessageSearching {
  package func messages(having query: SearchQuery, in conversation: JID, limit: Int) throws
    -> [Message.ID]
  {
    try called("find", query.text)
    return ordered(conversation).filter { isMatch($0, query) }.reversed().prefix(limit).map(\.id)
  }

  package func matches(of query: SearchQuery, limit: Int) throws -> SearchMatches {
    try called("findEverywhere", query.text)
    let found = messages.filter { isMatch($0, query) }.sorted { $0.position > $1.position }
    return SearchMatches(
      matches: found.prefix(limit).map {
        SearchMatches.Match(id: $0.id, conversation: $0.conversation, sentAt: $0.sentAt)
      }, count: found.count)
  }

  package func bestMatches(of query: SearchQuery, limit: Int) throws -> SearchMatches {
    let found = try matches(of: query, limit: limit)
    try called("findBest", query.text)
    return found
  }

  package func storedMessages(in conversation: JID) -> Int { ordered(conversation).count }

  private func isMatch(_ message: Message, _ query: SearchQuery) -> Bool {
    query.terms.allSatisfy { message.body.lowercased().contains($0.text.lowercased()) }
  }
}

extension FakePorts: MessageRelating {
  @discardableResult package func send(_ body: String, replyingTo message: Message) throws
    -> Message
  {
    try called("reply", "\(message.id.rawValue)", body)
    return message
  }
  package func correct(_ message: Message, with body: String) throws {
    try called("correct", "\(message.id.rawValue)", body)
  }
  package func react(_ emoji: String, to message: Message) throws {
    try called("react", "\(message.id.rawValue)", emoji)
  }
  package func retract(_ message: Message) throws {
    try called("retract", "\(message.id.rawValue)")
  }
}

extension FakePorts: ContactDescribing, BlockListChanging {
  package func describe(_ jid: JID, as details: ContactDetails) { described[jid] = details }
  package func details(of jid: JID) -> ContactDetails {
    var details = described[jid] ?? ContactDetails()
    details.isBlocked = blockList.contains(jid)
    return details
  }
  package func answer(at time: Date) { answersAt = time }
  package func refreshedDetails(of jid: JID) throws -> ContactDetails {
    try called("look", jid.description)
    if let answersAt {
      var details = described[jid] ?? ContactDetails()
      details.card = StoredCard(card: details.card?.card ?? PersonCard(), readAt: answersAt)
      described[jid] = details
    }
    return details(of: jid)
  }
  package func picture(_ id: String, of room: JID) throws -> AvatarPicture? {
    try called("picture", "\(room) \(id)")
    return described[room]?.avatar
  }
  package func blocked() -> [BlockedAddress] {
    let addresses = blockList.union(blockChanges.map(\.jid))
    return addresses.sorted { $0.description < $1.description }.map { jid in
      BlockedAddress(jid: jid, change: blockChanges.first { $0.jid == jid })
    }
  }
  package func keepBlockChanges(_ changes: [ContactChange]) { blockChanges = changes }
  package func blockListConfirmedAt() -> Date? { confirmedAt }
  package func block(_ jid: JID, report: AbuseReport?) throws -> BlockOutcome {
    let isSent = try reported(
      "block", jid.description, report.map { "\($0.reason) \($0.text)" } ?? "-")
    blockList.insert(jid)
    return isSent ? (report == nil ? .blocked : .reported) : .waiting
  }
  package func unblock(_ jid: JID) throws -> Bool {
    let isSent = try reported("unblock", jid.description)
    blockList.remove(jid)
    return isSent
  }
  package func discardBlocking(of jid: JID) throws {
    try called("discardBlocking", jid.description)
    blockChanges.removeAll { $0.jid == jid }
  }
}
