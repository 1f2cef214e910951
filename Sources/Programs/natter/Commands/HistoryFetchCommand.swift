import BridgeService
import FoundationEssentials
import Glibc
import JSONLines
import NatterCore
import System
import Text
import ViewModels
import XMPP

/// `natter history --fetch`: requests what is missing of a conversation from the server, before the
/// stored messages are printed. The Natter that has the account open does that; without one, this
/// command connects.
struct HistoryFetchCommand {
  let request: ReadingRequest
  let context: LaunchContext
  var now = Date()

  /// The longest time that a Natter may take to answer at all.
  private static let greetingLimit = Duration.seconds(10)
  /// The most repetitions of a request that is refused for the moment, and the time before each.
  private static let (attempts, pause) = (10, Duration.seconds(1))

  /// - Returns: the exit code when a signal has ended it; `nil`: it has fetched what there is.
  /// - Throws: `CommandFailure`, `ConnectionProblem`.
  func run(_ address: String) async throws -> ExitCode? {
    let jid = try SentText(localizer: context.localizer).recipient(address)
    let (result, signal) = await StopSignals.cancelling { try await fetch(jid) }
    if let signal { return signal == SIGINT ? .interrupted : .terminated }
    try await BridgeCommand.reporting(context.localizer) { try result.get() }
    return nil
  }

  private func fetch(_ jid: JID) async throws {
    let control = ServeControl()
    let access = try await BridgeAccess(context, control)
    let isNew = try await !access.hasStoredData
    let gateway = access.gateway(isOffline: false)
    do {
      try await gateway.connection().close()
      if let problem = await control.owner?.firstProblem() { throw problem }
      try await fetch(jid, through: gateway, knowsAll: !isNew || control.owner == nil)
    } catch {
      await gateway.close()
      throw error
    }
    await gateway.close()
  }

  /// - Parameter knowsAll: whether a conversation that is not known does not exist; otherwise the
  ///   lists of the account are still to come.
  private func fetch(
    _ jid: JID, through gateway: AccountGateway, knowsAll: Bool
  ) async throws {
    let client = try BridgeClient(gateway)
    defer { client.close() }
    try await client.greet(within: Self.greetingLimit)
    let progress = ProgressLine()
    defer { progress.end() }
    let format = ItemFormat(localizer: context.localizer, account: jid)
    let start = request.since?.beginning(now: now, in: format)
    var walk = HistoryFetchWalk(
      jid,
      HistoryPeriod(
        start: start, end: request.until?.end(after: start, now: now, in: format),
        limit: request.limit == 0 ? nil : request.limit))
    var (id, refusals, isGoingOn) = (1, 0, true)
    while isGoingOn {
      id += 1
      do {
        isGoingOn = walk.take(try await client.ask("messages.history", walk.parameters, id: id))
        refusals = 0
      } catch let refusal as BridgeClient.Refusal
        where refusal.mayPass(knowsAll: knowsAll) && refusals < Self.attempts
      {
        refusals += 1
        try await Task.sleep(for: Self.pause)
      }
      progress.show(
        jid.description, context.localizer.plural("cli.export-progress", walk.count))
    }
  }
}

extension BridgeClient.Refusal {
  /// Indicates whether a request may be answered after a moment: a room that is being joined does
  /// not answer yet, and the lists of a new account are still to come. A session that is being set
  /// up needs no repetition: the request waits for it.
  nonisolated fileprivate func mayPass(knowsAll: Bool) -> Bool {
    switch BridgeError.Code(rawValue: code) {
    case .offline, .tooFast: true
    case .notFound: !knowsAll
    default: false
    }
  }
}

/// The requests by which what is missing of a conversation is fetched: pages of its history, from
/// the newest message backwards, each one until it has no gap that the server fills. It does no
/// I/O.
nonisolated struct HistoryFetchWalk {
  /// The state of a page in an answer.
  private struct Page: Hashable {
    let oldest: String?
    let count: Int
    let holes: [JSONValue]
  }

  private static let pageSize = 500

  private let conversation: JID
  private let period: HistoryPeriod
  /// The number of messages of the period that are still to come; `nil`: no limit.
  private var missing: Int?
  /// The message before which the next page is.
  private var before: String?
  /// The page as it was in the last answer; `nil`: it was not requested yet.
  private var last: Page?
  /// The number of messages of the pages so far.
  private(set) var count = 0

  init(_ conversation: JID, _ period: HistoryPeriod) {
    (self.conversation, self.period, missing) = (conversation, period, period.limit)
  }

  /// The parameters of the next request.
  var parameters: JSONValue {
    // Messages after the period are not counted.
    let limit = period.end == nil ? min(Self.pageSize, missing ?? Self.pageSize) : Self.pageSize
    var members: [String: JSONValue] = [
      "conversation": .text(conversation.description), "limit": .integer(limit),
      "fetch": .boolean(true),
    ]
    members["before"] = before.map { .text($0) }
    return .object(members)
  }

  /// Takes an answer.
  /// - Returns: whether there is another request.
  mutating func take(_ answer: JSONValue) -> Bool {
    let messages = answer["messages"]?.elements ?? []
    let holes = answer["holes"]?.elements ?? []
    let isCut = answer["more"]?.bool == true
    let isFilled = holes.isEmpty && (isCut || answer["beginning"]?.bool == true)
    let page = Page(oldest: messages.first?["id"]?.string, count: messages.count, holes: holes)
    // A request ends after some pages of the archive. It is over when it brings nothing more.
    if !isFilled, page != last {
      last = page
      return true
    }
    last = nil
    count += messages.count
    let times = messages.map { $0["at"]?.string.flatMap { XEP0082DateTime.date(from: $0) } }
    if let missing {
      self.missing =
        missing
        - times.count { time in
          guard let time, let end = period.end else { return true }
          return time < end
        }
    }
    guard isCut, missing.map({ $0 > 0 }) ?? true, let oldest = page.oldest else { return false }
    if let start = period.start, let first = times.first ?? nil, first < start { return false }
    before = oldest
    return true
  }
}
