import NatterCore
import Synchronization
import XMPP

/// Lets clients of the bridge end this process, or give its account over to a full screen.
nonisolated final class ServeControl: BridgeControlling {
  private struct State {
    var gateway: AccountGateway?
    var owner: OwnedAccount?
  }

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

  func release(_ account: JID) async {
    await state.withLock(\.gateway)?.release()
    set(owner: nil)
  }

  func shutDown() async { end.finish() }
}
