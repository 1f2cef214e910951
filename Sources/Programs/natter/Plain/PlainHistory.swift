import FoundationEssentials
import NatterCore
import Sockets
import Text
import ViewModels
import XMPP

/// Earlier messages in line mode: `/history` and `/goto`.
struct PlainHistory {
  let session: PlainSession

  private static let usual = 20
  private static let most = 1000
  /// The most pages that one command requests from the server.
  private static let pages = 20

  /// Ends the wait for pages: what is typed meanwhile waits, too, also `/quit`.
  var patience: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }

  private var ports: PlainPorts { session.ports }

  /// `/history [N]`: prints the last N messages of the current conversation; those that are missing
  /// before the stored ones are requested from the server.
  func show(_ argument: String) async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    guard let count = argument.isEmpty ? Self.usual : Int(argument), (1...Self.most).contains(count)
    else {
      return session.say("plain.bad-count", ["text": argument, "most": "\(Self.most)"])
    }
    let reason = try await requested { try await fetch(count, of: current) }
    if let reason { session.say(reason) }
    try await session.showNewest(count, of: current)
    if try await ports.timeline.latest(1, in: current).isEmpty { session.say("status.noMessage") }
  }

  /// Requests messages as long as the user may wait.
  /// - Parameter fetch: requests them, and returns the key of a sentence about the result.
  /// - Returns: that key; `nil` if there is nothing to say.
  private func requested(_ fetch: @escaping () async throws -> String?) async throws -> String? {
    let outcome = OneShot<Result<String?, any Error>>()
    let patience = patience
    let fetching = Task {
      do { outcome.settle(.success(try await fetch())) } catch { outcome.settle(.failure(error)) }
    }
    let waiting = Task {
      await patience()
      guard !Task.isCancelled else { return }
      outcome.settle(.success("plain.history-slow"))
    }
    defer {
      // The page that is under way is stored when it arrives.
      fetching.cancel()
      waiting.cancel()
    }
    return try await outcome.value().get()
  }

  /// Requests older messages until `count` are stored.
  /// - Returns: the key of the sentence that says why there are fewer; `nil` if there are as many.
  private func fetch(_ count: Int, of conversation: JID) async throws -> String? {
    for _ in 0..<Self.pages where !Task.isCancelled {
      guard try await ports.timeline.latest(count, in: conversation).count < count else {
        return nil
      }
      switch try await ports.history.fetchOlder(in: conversation) {
      case .fetched: continue
      case .beginning: return "plain.history-beginning"
      case .offline: return "plain.history-offline"
      case .refused: return "plain.history-refused"
      }
    }
    return nil
  }

  /// `/goto DATE`: prints the first messages of a day, or after it; those that are not stored are
  /// requested from the server.
  func show(day text: String) async throws {
    guard !text.isEmpty else { return PlainHelp(session: session).showUsage(of: "goto") }
    guard let current = session.current else { return session.say("plain.no-conversation") }
    let start = try session.format.position(beforeDay: text)
    let reason = try await requested {
      // The position is just before the day.
      let day = start.time.addingTimeInterval(0.001)
      return switch try await ports.history.fetch(from: day, in: current) {
      case .fetched, .beginning: nil
      case .offline:
        await ports.history.isSigningIn() ? "status.dayEarly" : "status.dayUnanswered"
      case .refused: "plain.history-refused"
      }
    }
    if let reason { session.say(reason, ["day": text]) }
    let found = try await ports.timeline.messages(after: start, Self.usual, in: current)
    guard let first = found.first else { return session.say("status.nothingSince", ["day": text]) }
    if reason == nil, session.format.calendarDay(first.sentAt) != CalendarDay(parsing: text) {
      session.say("status.nothingOn", ["day": text])
    }
    var gaps = PlainGaps()
    // Gaps that cannot be read have no line, as in the full screen.
    gaps.known[current] = (try? await ports.history.holes(in: current)) ?? []
    for message in found {
      if gaps.note(message) { session.say("plain.missing") }
      await PlainLists(session: session).show([message])
    }
  }
}
