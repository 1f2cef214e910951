import BridgeService
import FoundationEssentials
import NatterCore
import Storage
import Text
import XMPP

/// Composes the bridge's service: everything that answers clients is created here.
nonisolated struct BridgeComposition: Sendable {
  /// Answers for an account that this process has open; clients end its use by the control, if
  /// there is one.
  var running:
    @Sendable (AccountServices, (any BridgeControlling)?, any BridgeHosting, ProgramRights) ->
      any BridgeServing
  /// Answers from stored data, while a Natter that does not listen has the account open. It reads
  /// only: what would change something is answered before it gets there.
  var reading:
    @Sendable (AccountDatabase, JID, Localizer, any BridgeHosting, ProgramRights) ->
      any BridgeServing
  /// The ids that `running` gives to the messages of the user's own programs in an account.
  var originIDs: @Sendable (JID, Localizer) -> StoredBridge.OriginIDs

  /// The composition of the program.
  static let natter = BridgeComposition(
    running: { $0.bridge(control: $1, host: $2, programs: $3) },
    reading: { database, account, localizer, host, programs in
      // Nothing is published here: the caller notices what others store.
      let stored = BridgeAccount(
        account, hub: EventHub(), stores: database.bridgeStores, services: nil)
      var options = BridgeOptions(localizer: localizer, account: account)
      options.host = host
      options.rights = { name in name.map { programs.rights(of: $0) } ?? .person }
      return Bridge([stored], options: options)
    },
    originIDs: { account, localizer in
      let options = BridgeOptions(localizer: localizer, account: account)
      return { request, conversation in
        let now = Date()
        let ids = options.originIDs(
          of: request, by: nil, in: account, to: conversation, at: now)
        // The process that gets the request may do so after midnight.
        let later = options.originIDs(
          of: request, by: nil, in: account, to: conversation,
          at: now.addingTimeInterval(BridgeOptions.requestPeriod))
        return [ids.today, ids.yesterday, later.today]
      }
    })
}
