import JSONLines
import NatterCore
import Synchronization

/// The connection of a script to a session of the bridge: requests that the host does not answer
/// go in, and the lines of the bridge go straight to the program.
///
/// While the program sleeps, events wake it, and are not kept: those of messages are read from the
/// store after its cursors.
final class ScriptLink: BridgeConnection {
  /// The id of the host's own `hello`.
  private static let greeting = BridgeRequest.ID.text("natter")
  private static let answerHead = #"{"jsonrpc":"2.0","id":"#
  private static let eventHead = #"{"jsonrpc":"2.0","method":"event"#

  /// A request that the bridge has not answered.
  private struct Forwarded {
    let method: String
    let ticket: AnsweredMessages.Ticket?
    /// The subscription that it ends.
    let subscription: String?
  }

  private struct State {
    var isOpen = true
    var isGreeted = false
    /// `nil`: it sleeps.
    var target: (any BridgeConnection)?
    var whenWoken: (@Sendable () -> Void)?
    var open: [BridgeRequest.ID: Forwarded] = [:]
    var subscriptions: Set<String> = []
  }

  let lines: AsyncStream<LineSplitter.Line>
  private let input: AsyncStream<LineSplitter.Line>.Continuation
  private let traffic: ScriptTraffic
  private let clock: BridgeClock
  private let state: Mutex<State>

  /// - Parameter target: the connection of the program.
  init(to target: any BridgeConnection, _ traffic: ScriptTraffic, _ clock: BridgeClock) {
    (self.traffic, self.clock) = (traffic, clock)
    (lines, input) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(ScriptLimits.forwarded))
    state = Mutex(State(target: target))
    let hello = JSONLine { $0.add("api", BridgeVersion.current) }
    input.yield(.line(Array(BridgeLine.request("hello", hello, id: Self.greeting).utf8)))
  }

  // MARK: - The script's side

  /// The number of requests without an answer.
  var openCount: Int { state.withLock { $0.open.count } }
  /// The names of its subscriptions.
  var subscriptions: [String] { state.withLock { $0.subscriptions.sorted() } }

  func isOpen(_ id: BridgeRequest.ID) -> Bool { state.withLock { $0.open[id] != nil } }

  /// Passes a request on.
  /// - Parameter ticket: that of a message that it sends.
  /// - Throws: `BridgeError`: `busy` when the bridge's session has ended, `tooFast` if too many
  ///   lines wait.
  func forward(
    _ request: BridgeRequest, _ line: [UInt8], _ ticket: AnsweredMessages.Ticket?
  ) throws(BridgeError) {
    let isOpen = state.withLock { state in
      guard state.isOpen else { return false }
      if let id = request.id {
        state.open[id] = Forwarded(
          method: request.method, ticket: ticket,
          subscription: request.method == "events.unsubscribe"
            ? request.parameters["subscription"]?.string : nil)
      }
      return true
    }
    guard isOpen else { throw BridgeError(.busy) }
    switch input.yield(.line(line)) {
    case .enqueued: return
    case .dropped, .terminated:
      if let id = request.id { state.withLock { $0.open[id] = nil } }
      throw .tooFast(BridgeLimits.pause)
    @unknown default: return
    }
  }

  /// Begins to keep the subscriptions without the program.
  /// - Parameter whenWoken: called once, at the next event.
  func sleep(_ whenWoken: @escaping @Sendable () -> Void) {
    state.withLock { ($0.target, $0.whenWoken) = (nil, whenWoken) }
  }

  /// Ends the session of the bridge.
  /// - Returns: the requests without an answer.
  @discardableResult func end() -> [BridgeRequest.ID] {
    let open = state.withLock { state in
      state.isOpen = false
      state.target = nil
      state.whenWoken = nil
      defer { state.open = [:] }
      return Array(state.open.keys)
    }
    input.finish()
    return open
  }

  // MARK: - The bridge's side

  var isOpen: Bool {
    let (isOpen, target) = state.withLock { ($0.isOpen, $0.target) }
    return isOpen && target?.isOpen ?? true
  }

  /// Ends the lines of the script. Its open requests are answered by `ScriptSession`.
  func close() {
    state.withLock { $0.isOpen = false }
    input.finish()
  }

  func waitForRoom(for line: String) async {
    await state.withLock(\.target)?.waitForRoom(for: line)
  }

  func send(_ line: String) -> Bool {
    if line.utf8.starts(with: Self.answerHead.utf8) { return answer(line) }
    guard line.utf8.starts(with: Self.eventHead.utf8) else { return pass(line) }
    let isAsleep = state.withLock { $0.isOpen && $0.target == nil }
    if isAsleep {
      state.withLock { $0.whenWoken.take() }?()
      return true
    }
    let message = note(line)
    guard pass(line) else { return false }
    if let message { traffic.reach(message.id, of: message.account) }
    return true
  }

  private func pass(_ line: String) -> Bool {
    let (isOpen, target) = state.withLock { ($0.isOpen, $0.target) }
    guard isOpen else { return false }
    guard let target else { return true }
    guard target.send(line) else { return false }
    traffic.noteWork(at: clock.steady())
    return true
  }

  private func answer(_ line: String) -> Bool {
    guard let (id, isError) = Self.answered(line) else { return pass(line) }
    if id == Self.greeting {
      let isOwn = state.withLock { state in
        defer { state.isGreeted = true }
        return !state.isGreeted
      }
      if isOwn { return true }
    }
    // The session may send it again when there is room. It is not open any more all the same: an
    // answer to a line that is no request is not sent again.
    let forwarded = state.withLock { $0.open.removeValue(forKey: id) }
    if let forwarded { settle(forwarded, line, isError) }
    return pass(line)
  }

  private func settle(_ forwarded: Forwarded, _ line: String, _ isError: Bool) {
    switch forwarded.method {
    case AnsweredMessages.method where isError:
      guard let ticket = forwarded.ticket, let error = Self.value(line)?["error"] else { return }
      // With a message it is stored, and so it is without waiting any longer for the server.
      let isStored = error["data"]?["message"] != nil
      if !isStored, error["code"]?.int != BridgeError.Code.cancelled.rawValue {
        traffic.fail(ticket)
      }
    case "events.subscribe" where !isError:
      guard let result = Self.value(line)?["result"] else { return }
      if let name = result["subscription"]?.string {
        _ = state.withLock { $0.subscriptions.insert(name) }
      }
      if case .object(let cursors)? = result["after"] {
        for (account, cursor) in cursors {
          if let message = cursor.int { traffic.reach(message, of: account) }
        }
      }
    case "events.unsubscribe" where !isError:
      if let name = forwarded.subscription { remove(name) }
    default: return
    }
  }

  /// Notes the end of a subscription.
  /// - Returns: the id of the message of an event, and its account.
  private func note(_ line: String) -> (id: Int, account: String)? {
    // Only these two are read: others may come often.
    let head = String(decoding: line.utf8.prefix(200), as: UTF8.self)
    guard head.contains(#""cursor":"#) || head.contains(#""event.ended""#),
      let value = Self.value(line), let parameters = value["params"]
    else { return nil }
    if value["method"]?.string == "event.ended" || parameters["event"]?.string == "event.ended" {
      if let name = parameters["subscription"]?.string { remove(name) }
      return nil
    }
    guard let cursor = parameters["cursor"]?.int,
      let account = parameters["data"]?["account"]?.string
    else { return nil }
    return (cursor, account)
  }

  private func remove(_ subscription: String) {
    _ = state.withLock { $0.subscriptions.remove(subscription) }
  }

  private static func value(_ line: String) -> JSONValue? { try? JSONValue(parsing: line.utf8) }

  /// Returns the id of the request that a line answers, without reading all of it.
  static func answered(_ line: String) -> (id: BridgeRequest.ID, isError: Bool)? {
    let rest = line.utf8.dropFirst(answerHead.utf8.count)
    var end = rest.startIndex
    if rest.first == UInt8(ascii: "\"") {
      var isEscaped = false
      end = rest.index(after: end)
      while end < rest.endIndex, isEscaped || rest[end] != UInt8(ascii: "\"") {
        isEscaped = !isEscaped && rest[end] == UInt8(ascii: "\\")
        end = rest.index(after: end)
      }
      guard end < rest.endIndex else { return nil }
      end = rest.index(after: end)
    } else {
      end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
    }
    guard let id = (try? JSONValue(parsing: rest[..<end])).flatMap({ BridgeRequest.ID($0) }) else {
      return nil
    }
    return (id, rest[end...].starts(with: #","error":"#.utf8))
  }
}
