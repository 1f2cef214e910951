import BridgeService
import NatterCore
import Storage
import Text
import XMPP

/// Composes the bridge's service: everything that answers clients is created here.
nonisolated struct BridgeComposition: Sendable {
  /// Answers for an account that this process has open.
  var running: @Sendable (AccountServices) -> any BridgeServing
  /// Answers from stored data, while a Natter that does not listen has the account open. It reads
  /// only: what would change something is answered before it gets there.
  var reading: @Sendable (AccountDatabase, JID, Localizer) -> any BridgeServing

  /// The composition of the program.
  static let natter = BridgeComposition(
    running: { $0.bridge() },
    reading: { database, account, localizer in
      // Nothing is published here: the caller notices what others store.
      let stored = BridgeAccount(
        account, hub: EventHub(), stores: database.bridgeStores, services: nil)
      return Bridge([stored], options: BridgeOptions(localizer: localizer, account: account))
    })
}
