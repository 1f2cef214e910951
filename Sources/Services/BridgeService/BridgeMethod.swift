import JSONLines
import NatterCore
import XMPP

/// The answer to a request, and what follows once it was sent.
struct BridgeAnswer: Sendable {
  let result: JSONLine
  var completion: (@Sendable () async -> Void)?
  /// Waits for the result to answer with instead of `result`, while further requests are
  /// performed.
  var waiting: (@Sendable () async throws -> JSONLine)?
  /// Takes back what was done, where the answer is an error all the same.
  var undo: (@Sendable () async -> Void)?

  init(_ result: JSONLine, then completion: (@Sendable () async -> Void)? = nil) {
    (self.result, self.completion) = (result, completion)
  }
}

/// A method that clients can call: its name, its parameters, the right that it needs, and what it
/// does.
package struct BridgeMethod: Sendable {
  /// The accounts that a request concerns.
  enum Subject: Sendable {
    case none
    /// One: that of the parameter `account`, or the only one.
    case account
    /// That of the parameter `account`, or all.
    case accounts
  }

  package let name: String
  /// `nil`: it needs none.
  package let permission: BridgePermission?
  package let parameters: [BridgeParameter]
  let subject: Subject
  let perform: @Sendable (BridgeCall) async throws -> BridgeAnswer

  /// A method that needs no right.
  /// - Parameter parameters: without `account`.
  init(
    base name: String, _ parameters: [BridgeParameter] = [],
    answering perform: @escaping @Sendable (BridgeCall) async throws -> BridgeAnswer
  ) {
    (self.name, permission, self.parameters) = (name, nil, parameters)
    (subject, self.perform) = (.none, perform)
  }

  /// A method of one account, or of all.
  init(
    _ name: String, _ permission: BridgePermission, of subject: Subject = .account,
    _ parameters: [BridgeParameter] = [],
    _ perform: @escaping @Sendable (BridgeCall) async throws -> JSONLine
  ) {
    self.init(
      name, permission, of: subject, parameters, answering: { BridgeAnswer(try await perform($0)) })
  }

  init(
    _ name: String, _ permission: BridgePermission, of subject: Subject = .account,
    _ parameters: [BridgeParameter] = [],
    answering perform: @escaping @Sendable (BridgeCall) async throws -> BridgeAnswer
  ) {
    (self.name, self.permission, self.subject) = (name, permission, subject)
    let account = subject == .none ? [] : [BridgeParameter("account", .address)]
    self.parameters = account + parameters
    self.perform = perform
  }

  /// All methods, in the order of the manual.
  package static let all =
    BaseMethods.all + ConversationMethods.all + HistoryMethods.all + SendingMethods.all
    + DraftMethods.all + ContactMethods.all + PresenceMethods.all + RoomMethods.all
    + ModerationMethods.all + HostMethods.all + TransferMethods.all + ControlMethods.all

  /// Returns the methods by name.
  /// - Parameter hasControl: indicates whether the program can be ended by clients.
  static func table(hasControl: Bool) -> [String: BridgeMethod] {
    let methods = hasControl ? all : all.filter { !ControlMethods.names.contains($0.name) }
    return Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
  }

  /// Checks a request up to its parameters.
  /// - Throws: `BridgeError.Code.unknownMethod`; `BridgeError.Code.parameters` for the first
  ///   parameter that is missing or not valid.
  package static func check(_ name: String, _ parameters: JSONValue?) throws(BridgeError) {
    guard let method = all.first(where: { $0.name == name }) else {
      throw BridgeError(.unknownMethod)
    }
    var members: [String: JSONValue] = [:]
    if case .object(let given)? = parameters { members = given }
    _ = try BridgeArguments(members, for: method.parameters)
  }

  /// Indicates whether a request without `account` is about all accounts.
  package var coversAllAccounts: Bool { subject == .accounts }
  /// Indicates whether a request is about one account.
  package var isOfOneAccount: Bool { subject == .account }

  /// Indicates whether the rate of messages limits it, besides that of requests.
  var isSending: Bool { permission == .sendMessages }

  /// The kinds of changes that have a rate of their own.
  enum Change: Hashable, Sendable, CaseIterable { case contacts, presence, rooms }

  /// `nil`: it changes nothing that others see, or messages.
  var change: Change? {
    switch permission {
    case .changeContacts: .contacts
    case .changePresence: .presence
    case .changeRooms, .moderateRooms: .rooms
    default: nil
    }
  }

  /// Indicates whether it reads what is stored: the answer may be as long as a line can be.
  var isReading: Bool {
    switch permission {
    case .readConversations, .readMessages, .readContacts, .readPresence, .readRooms, .writeDrafts:
      true
    default: false
    }
  }
}

/// A request that is performed: its parameters are valid, and the client has the right.
struct BridgeCall: Sendable {
  /// An account, with the conversations in which the client has the right.
  struct Subject: Sendable {
    let account: BridgeAccount
    let scope: BridgeScope
  }

  let bridge: Bridge
  let session: BridgeSession
  /// The number of the request in the session.
  let number: Int
  /// The name of the client; `nil`: the user's own program.
  let clientName: String?
  let limits: ClientLimits
  let arguments: BridgeArguments
  let permission: BridgePermission?
  /// The accounts that it concerns; exactly one for methods of one account.
  let subjects: [Subject]

  /// The account of a method of one account.
  var subject: Subject {
    get throws(BridgeError) {
      guard let subject = subjects.first else { throw BridgeError(.internal) }
      return subject
    }
  }

  var account: BridgeAccount { get throws(BridgeError) { try subject.account } }

  /// The services of the account.
  var services: BridgeServices { get throws(BridgeError) { try subject.account.services } }

  /// Returns the address that is the value of a required parameter.
  func address(_ name: String) throws(BridgeError) -> JID {
    guard let jid = arguments.address(name) else { throw .parameter(name, "is missing") }
    return jid
  }

  /// Returns the text that is the value of a required parameter.
  func text(_ name: String) throws(BridgeError) -> String {
    guard let text = arguments.text(name) else { throw .parameter(name, "is missing") }
    return text
  }

  /// Returns the address of the parameter `conversation`.
  /// - Throws: `BridgeError.Code.permission` outside of the scope.
  func conversation() async throws -> JID {
    let jid = try address("conversation")
    try await check(jid)
    return jid
  }

  /// Returns the address of the parameter `conversation` for something that is sent to it: that of
  /// a known contact without its resource.
  func recipient() async throws -> JID {
    let typed = try address("conversation")
    // Before the room of an occupant becomes a conversation.
    try await check(typed, isNew: true)
    let jid = try await account.book.meant(by: typed)
    try await check(jid, isNew: true)
    return jid
  }

  /// Checks that the client has the right in a conversation. The answer is the same, whether or not
  /// there is one.
  /// - Parameter isNew: whether one that there is not may begin, as a direct one. Otherwise it is
  ///   outside of the scope, unless that names it: it could be a room as well as a contact.
  private func check(_ jid: JID, isNew: Bool = false) async throws {
    let (account, scope) = (try subject.account, try subject.scope)
    guard let permission, !scope.isAll, !scope.addresses.contains(jid) else { return }
    var kind = try await account.stores.conversations.conversation(jid)?.kind
    if kind == nil {
      let isContact = try await isKnownContact(jid)
      if isNew || isContact { kind = .direct }
    }
    guard let kind, scope.contains(jid, kind) else {
      throw BridgeError.permission(permission, .notDeclared, scope: jid.description)
    }
  }

  /// Returns whether there is a contact of that address, as far as the client may know.
  func isKnownContact(_ jid: JID) async throws -> Bool {
    let (account, rights) = (try account, await session.rights ?? .none)
    guard let scope = try? rights.scope(of: .readContacts, in: account.jid),
      scope.contains(jid.bare, .direct)
    else { return false }
    return try await account.stores.roster.contact(jid) != nil
  }

  /// Returns the message of the parameter `name`.
  func message(_ name: String = "message") async throws -> Message {
    guard let id = arguments.message(name) else { throw BridgeError.parameter(name, "is missing") }
    let subject = try subject
    return try await subject.account.message(id, in: subject.scope)
  }
}
