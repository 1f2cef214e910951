import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Reading messages.
enum HistoryMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod(
      "messages.history", .readMessages,
      [
        .required("conversation", .address), BridgeParameter("before", .message),
        BridgeParameter("after", .message), BridgeParameter("limit", .integer(1...500)),
        BridgeParameter("fetch", .boolean),
      ]
    ) { call in
      let (account, jid) = (try call.account, try await call.conversation())
      guard try await call.hasHistory(jid) else {
        throw BridgeError(.notFound, "no such conversation")
      }
      let arguments = call.arguments
      var page = HistoryPage(account: account, conversation: jid)
      page.limit = arguments.integer("limit") ?? 50
      page.before = try await account.position(arguments.message("before"), in: jid)
      page.after = try await account.position(arguments.message("after"), in: jid)
      return try await page.read(fetching: arguments.boolean("fetch"))
    },
    BridgeMethod("messages.get", .readMessages, [.required("message", .message)]) { call in
      let message = try await call.message()
      let object = try await call.account.object(message)
      return JSONLine { $0.add("message", object) }
    },
    BridgeMethod(
      "messages.search", .readMessages, of: .accounts,
      [
        .required("query", .filled(2000)), BridgeParameter("conversation", .address),
        BridgeParameter("limit", .integer(1...500)),
        BridgeParameter(ObjectPage.skip.name, .integer(0...MessageSearch.mostSkipped)),
      ]
    ) { call in
      let query = await call.bridge.options.search(try call.text("query"))
      return try await MessageSearch(call, query).find()
    },
  ]
}

extension BridgeCall {
  /// Returns whether an address is that of a conversation, or of a contact with whom there may be
  /// one in the archive. Without the right for contacts only the conversations count: the answer
  /// must not say who is in the roster.
  fileprivate func hasHistory(_ jid: JID) async throws -> Bool {
    let account = try account
    if try await account.stores.conversations.conversation(jid) != nil { return true }
    return try await isKnownContact(jid)
  }
}

extension BridgeAccount {
  /// Returns the position of a message of a conversation; `nil` for `nil`.
  /// - Throws: `BridgeError.Code.notFound`.
  fileprivate func position(
    _ id: Message.ID?, in conversation: JID
  ) async throws -> MessagePosition? {
    guard let id else { return nil }
    guard let message = try await stores.timeline.storedMessage(id),
      message.conversation == conversation
    else { throw BridgeError(.notFound, "no such message") }
    return message.position
  }
}

/// A page of the history of a conversation.
private struct HistoryPage {
  /// The most requests to the server for one page.
  private static let mostFetches = 20

  let account: BridgeAccount
  let conversation: JID
  var limit = 50
  var before: MessagePosition?
  var after: MessagePosition?

  init(account: BridgeAccount, conversation: JID) {
    (self.account, self.conversation) = (account, conversation)
  }

  /// - Parameter fetching: indicates whether missing messages are requested from the server first.
  func read(fetching: Bool) async throws -> JSONLine {
    let isBeginning = fetching ? try await fetch() : false
    let messages = try await messages()
    var page = ObjectPage()
    // A page that goes backwards ends with its newest message, others begin with their oldest.
    let ordered = after == nil ? messages.reversed() : messages
    for message in ordered {
      guard try await page.add(account.object(message)) else { break }
    }
    let shown = ordered.prefix(page.objects.count)
    let objects = after == nil ? page.objects.reversed() : page.objects
    let isCut = page.isFull || messages.count == limit
    let holes = try await holes(around: shown.map(\.position))
    return JSONLine {
      $0.add("messages", objects)
      $0.add(
        "holes",
        holes.map { hole in
          JSONLine {
            $0.add("before", hole.before)
            $0.add("after", hole.after)
            $0.add("count", hole.count)
          }
        })
      $0.add("more", isCut)
      $0.add("beginning", isBeginning && !isCut)
    }
  }

  private func messages() async throws -> [Message] {
    let timeline = account.stores.timeline
    if let after {
      let page = try await timeline.messages(after: after, limit, in: conversation)
      return page.filter { message in before.map { message.position < $0 } ?? true }
    }
    guard let before else { return try await timeline.latest(limit, in: conversation) }
    return try await timeline.messages(before: before, limit, in: conversation)
  }

  /// Returns the gaps between the messages of a page, and those beside it as far as its limits
  /// reach.
  private func holes(around positions: [MessagePosition]) async throws -> [HistoryHole] {
    guard let history = try? account.services.history else { return [] }
    let first = after?.time ?? positions.map(\.time).min() ?? .distantPast
    let last = before?.time ?? .distantFuture
    return try await history.holes(in: conversation).filter { hole in
      hole.before >= first && hole.after <= last
    }
  }

  /// Requests messages that are missing in the page.
  /// - Returns: whether the archive has nothing before the page.
  private func fetch() async throws -> Bool {
    let history = try account.services.history
    for _ in 0..<Self.mostFetches {
      try Task.checkCancellation()
      let positions = try await messages().map(\.position)
      let outcome: HistoryOutcome
      if let hole = try await holes(around: positions).last {
        outcome = try await history.fetchMissing(in: hole, of: conversation)
        // A gap that cannot be filled stays in the answer.
        if outcome == .beginning { return false }
      } else if after == nil, positions.count < limit {
        outcome = try await history.fetchOlder(in: conversation)
        if outcome == .beginning { return true }
      } else {
        return false
      }
      switch outcome {
      case .offline:
        guard await history.isSigningIn() else { throw BridgeError(.offline) }
        await history.signedIn()
      case .refused: return false
      case .fetched, .beginning: break
      }
    }
    return false
  }
}

/// A search of a client.
private struct MessageSearch {
  /// The most matches that the client may have already.
  static let mostSkipped = 10_000

  let call: BridgeCall
  let query: SearchQuery
  let limit: Int
  let skip: Int

  init(_ call: BridgeCall, _ query: SearchQuery) throws {
    (self.call, self.query) = (call, query)
    limit = call.arguments.integer("limit") ?? 50
    skip = call.arguments.integer(ObjectPage.skip.name) ?? 0
    // Without the filter, a program would take other messages for the matches.
    if let problem = query.problems.first {
      throw BridgeError.parameter("query", "has a filter that is not valid: \(problem)")
    }
  }

  func find() async throws -> JSONLine {
    var found: [(message: Message, account: BridgeAccount)] = []
    var count = 0
    var missingUpTo: Date?
    for subject in try await coveredSubjects() {
      let (ids, number, missing) = try await ids(in: subject)
      if let number { count += number }
      missingUpTo = [missingUpTo, missing].compactMap(\.self).max()
      for id in ids {
        let message: Message
        do {
          message = try await subject.account.message(id, in: subject.scope)
        } catch is BridgeError {
          // It is outside of the scope, or was removed meanwhile.
          continue
        }
        guard !message.isRetracted else { continue }
        if number == nil { count += 1 }
        // Of a limited scope, more is looked through than is asked for.
        guard found.count < reach * call.subjects.count else { continue }
        found.append((message, subject.account))
      }
    }
    if call.subjects.count > 1 { found.sort { $0.message.sentAt > $1.message.sentAt } }
    var page = ObjectPage()
    for item in found.dropFirst(skip).prefix(limit) {
      guard try await page.add(item.account.object(item.message)) else { break }
    }
    return JSONLine {
      $0.add("messages", page.objects)
      $0.add("more", found.count > skip + page.objects.count)
      $0.add("count", count)
      $0.add("missing_up_to", missingUpTo)
    }
  }

  /// The matches to look for: one more than the answer may have.
  private var reach: Int { skip + limit + 1 }

  /// The accounts in which the conversation of the request may be read; all of them without one.
  /// - Throws: `BridgeError.Code.permission` if it may be read in none: the number of matches would
  ///   disclose what its messages contain.
  private func coveredSubjects() async throws -> [BridgeCall.Subject] {
    guard let conversation = call.arguments.address("conversation") else { return call.subjects }
    var covered: [BridgeCall.Subject] = []
    for subject in call.subjects {
      // An unknown one counts as outside, unless the scope names it: another answer would say which
      // rooms there are.
      let known = try await subject.account.stores.conversations.conversation(conversation)
      let isCovered =
        known.map { subject.scope.contains(conversation, $0.kind) }
        ?? (subject.scope.isAll || subject.scope.addresses.contains(conversation))
      if isCovered { covered.append(subject) }
    }
    if covered.isEmpty, let permission = call.permission {
      throw BridgeError.permission(permission, .notDeclared, scope: conversation.description)
    }
    return covered
  }

  /// The most matches that are looked through for those in a limited scope.
  private static let scopedLimit = 5000

  /// - Returns: the matches, and their number in all; `nil`: it has matches outside of the scope.
  private func ids(
    in subject: BridgeCall.Subject
  ) async throws -> (ids: [Message.ID], count: Int?, missingUpTo: Date?) {
    let search = subject.account.stores.search
    guard let conversation = call.arguments.address("conversation") else {
      let isAll = subject.scope.isAll
      let found = try await search.matches(of: query, limit: isAll ? reach : Self.scopedLimit)
      return (found.matches.map(\.id), isAll ? found.count : nil, found.missingUpTo)
    }
    let ids = try await search.messages(having: query, in: conversation, limit: reach)
    return (ids, ids.count, nil)
  }
}
