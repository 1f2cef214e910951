import JSONLines
import NatterCore
import Synchronization

/// What clients of the account's socket may ask of the process that serves it, beside the methods
/// of the bridge: to give the account over to a full screen, and to end.
nonisolated final class ServeControl: Sendable {
  private struct State {
    var gateway: AccountGateway?
    var owner: OwnedAccount?
  }

  private static let shutdown = "shutdown"
  /// The methods that it answers. They need a right that programs with a name do not have.
  static let methods: Set<String> = [AccountRelease.method, shutdown]

  private let state = Mutex(State())
  /// Ends when a client asks the process to end.
  let life: AsyncStream<Never>
  private let end: AsyncStream<Never>.Continuation
  /// The account each time that this process opens it; one consumer.
  let owners: AsyncStream<OwnedAccount>
  private let opening: AsyncStream<OwnedAccount>.Continuation

  init() {
    (life, end) = AsyncStream<Never>.makeStream()
    (owners, opening) = AsyncStream<OwnedAccount>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The account, as long as this process has it open.
  var owner: OwnedAccount? { state.withLock(\.owner) }

  func set(gateway: AccountGateway) { state.withLock { $0.gateway = gateway } }
  func set(owner: OwnedAccount?) {
    state.withLock { $0.owner = owner }
    if let owner { opening.yield(owner) }
  }

  /// The answer to these requests of a program with a name.
  static func refusal(_ id: JSONValue) -> BridgeEnvelope {
    .error(
      .permission, "permission denied: control, not-declared",
      data: [
        "permission": .text("control"), "scope": .text("all"), "reason": .text("not-declared"),
      ], id: id)
  }

  /// Answers these requests.
  var interception: LineConnection.Interception {
    { [weak self] line, connection in
      guard let self, let request = BridgeEnvelope(line) else { return false }
      connection.note(named: request.method == "hello" && request.parameter("as") != nil)
      guard let id = request.id else { return false }
      let done = BridgeEnvelope.result(.object([:]), id: id).text
      guard let method = request.method, Self.methods.contains(method) else { return false }
      guard !connection.isNamed else {
        connection.send(Self.refusal(id).text)
        return true
      }
      switch method {
      case AccountRelease.method:
        await state.withLock(\.gateway)?.release()
        set(owner: nil)
        connection.send(done)
        connection.close()
        return true
      case Self.shutdown:
        connection.send(done)
        end.finish()
        return true
      default: return false
      }
    }
  }
}
