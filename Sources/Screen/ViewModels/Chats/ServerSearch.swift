import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The accounts whose servers may learn what is searched for, until the program ends.
final class ServerSearchConsent {
  var accounts: Set<JID> = []
}

/// The search on the server for the terms of a list of matches (XEP-0431). It begins only with a
/// key of its own.
struct ServerSearch {
  enum State: Hashable {
    /// It begins when the list is complete.
    case next
    /// The servers are asked whether they offer it, which discloses nothing.
    case checking
    /// The user is asked whether the servers may learn the terms.
    case question
    case underWay
    case found(Int, isComplete: Bool)
    case notOffered, unanswered
    /// The sign-in is not finished: nothing was asked.
    case early
    /// There is nothing but filters to search for.
    case withoutTerms
    /// A message and what follows it are being fetched.
    case fetching
    /// The message is not in the archive any more.
    case gone
  }

  var state: State
  /// The number of servers that are asked.
  let servers: Int

  /// - Parameter isNarrow: whether there are 36 columns only.
  func text(_ localizer: Localizer, isNarrow: Bool) -> String {
    switch state {
    case .next: ""
    case .checking, .underWay: localizer("find.serverUnderWay")
    case .question where isNarrow: localizer("find.serverQuestionShort")
    case .question: localizer.plural("find.serverQuestion", servers)
    case .found(0, isComplete: true): localizer("find.serverNothing")
    case .found(0, isComplete: false):
      localizer(isNarrow ? "find.serverNothingYetShort" : "find.serverNothingYet")
    case .found(let count, isComplete: true):
      localizer.plural(isNarrow ? "find.serverFoundShort" : "find.serverFound", count)
    case .found(let count, isComplete: false):
      localizer.plural(isNarrow ? "find.serverNewestShort" : "find.serverNewest", count)
    case .notOffered:
      localizer(isNarrow ? "find.serverNotOfferedShort" : "find.serverNotOffered")
    case .unanswered:
      localizer(isNarrow ? "find.serverUnansweredShort" : "find.serverUnanswered")
    case .early: localizer("find.serverEarly")
    case .withoutTerms:
      localizer(isNarrow ? "find.serverWithoutTermsShort" : "find.serverWithoutTerms")
    case .fetching: localizer(isNarrow ? "find.serverFetchingShort" : "find.serverFetching")
    case .gone: localizer(isNarrow ? "find.serverGoneShort" : "find.serverGone")
    }
  }
}

/// The check of a server's results against the query: a server has its own idea of a match, and
/// knows no filters but times.
struct ServerMatchFilter {
  let query: SearchQuery
  let account: SearchedAccount

  /// Returns the results that match, with their texts shortened as those of stored messages are.
  func matches(among results: [ServerMatch]) async -> [ServerMatch] {
    await Self.results(results, having: query).filter { passes($0.message) }.map {
      ServerMatch(id: $0.id, stamp: $0.stamp, message: $0.message.shortened)
    }
  }

  /// Returns the results that have the terms, off the main actor: texts from a server may be long.
  @concurrent nonisolated private static func results(
    _ results: [ServerMatch], having query: SearchQuery
  ) async -> [ServerMatch] {
    func has(_ term: SearchQuery.Term, _ message: Message) -> Bool {
      [message.body, message.file?.safeName ?? ""].contains {
        !FoundText.ranges(of: [term.text], in: $0, limit: 1).isEmpty
      }
    }
    return results.filter { result in
      query.terms.allSatisfy { has($0, result.message) }
        && !query.excluded.contains { has($0, result.message) }
    }
  }

  private func passes(_ message: Message) -> Bool {
    // It is not known whether it was read.
    guard !query.isUnread,
      query.start.map({ message.sentAt >= $0 }) ?? true,
      query.end.map({ message.sentAt < $0 }) ?? true,
      query.attachments.allSatisfy({ has($0, message) })
    else { return false }
    let isOwn = query.includesUser && message.direction == .outgoing
    let hasSender = query.senders.isEmpty && !query.includesUser || isOwn
    return (hasSender || isNamed(query.senders, message.sender, account.author(message)))
      && (query.conversations.isEmpty
        || isNamed(
          query.conversations, message.conversation, account.name(message.conversation)))
  }

  private func has(_ attachment: SearchQuery.Attachment, _ message: Message) -> Bool {
    switch attachment {
    case .link: contains(message.body, "://")
    case .file: message.file != nil
    case .image: message.file?.isPicture == true
    // They are stored with the messages that they are for.
    case .reaction: false
    case .location: message.location != nil
    }
  }

  private func isNamed(_ parts: [String], _ jid: JID, _ name: String) -> Bool {
    let names = [jid.bare.description, name].map { SearchForm.of($0) }
    return parts.contains { part in
      let form = SearchForm.of(part)
      return names.contains { contains($0, form) }
    }
  }

  private func contains(_ text: String, _ part: String) -> Bool {
    part.isEmpty || text.utf8.firstRange(of: part.utf8) != nil
  }
}
