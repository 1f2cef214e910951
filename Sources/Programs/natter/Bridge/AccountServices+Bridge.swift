import BridgeService
import Crypto
import Diagnostics
import FoundationEssentials
import MessagingService
import NatterCore
import Storage
import Text
import ViewModels
import XML
import XMPP

nonisolated extension AccountServices {
  /// Returns the bridge of the account, for the full screen, line mode and `natter serve`.
  /// - Parameters:
  ///   - control: ends the program, or its use of the account; `nil`: clients cannot do that.
  ///   - host: the program around the account.
  ///   - programs: the rights of clients that say a name.
  func bridge(
    control: (any BridgeControlling)?, host: any BridgeHosting, programs: ProgramRights
  ) -> any BridgeServing {
    var options = BridgeOptions(localizer: localizer, account: account.jid)
    options.log = log.category("bridge")
    options.control = control
    options.host = host
    options.rights = { name in name.map { programs.rights(of: $0) } ?? .person }
    return Bridge([bridgeAccount], options: options)
  }

  /// The account for clients of a bridge.
  var bridgeAccount: BridgeAccount {
    var services = BridgeServices(
      sending: outbox, reading: readState, history: history, contacts: roster,
      blocking: blockList, presence: presence, rooms: rooms, connection: connection)
    services.deliveries = AccountDeliveries(services: self)
    services.transfers = historyTransfers
    services.exports = AccountExports(
      account: account.jid.bare, database: database, localizer: localizer)
    return BridgeAccount(
      account.jid, hub: hub, stores: database.bridgeStores, services: services)
  }

  /// The imports into the account.
  var historyTransfers: AccountTransfers {
    AccountTransfers(
      account: account.jid.bare, database: database, hub: hub, localizer: localizer,
      languages: LanguageChoice.read(
        besides: localizer.tag, ProcessInfo.processInfo.environment))
  }
}

nonisolated extension AccountDatabase {
  /// The stores that clients of a bridge read, also of a database that is open for reading.
  var bridgeStores: BridgeStores {
    BridgeStores(
      timeline: timeline, log: messageLog, search: search, conversations: conversations,
      roster: roster)
  }
}

nonisolated extension BridgeOptions {
  /// - Parameter account: the account whose dates and names a search has.
  init(localizer: Localizer, account: JID) {
    self.init(version: ClientIdentity.version, locale: localizer.tag)
    // The text of the screen names a key.
    let named = localizer.saying(["error.offline": "error.bridge.offline"])
    texts = { named($0) }
    originID = { Self.requestID($0) }
    search = { text in
      await MainActor.run {
        let format = ItemFormat(localizer: localizer, account: account)
        return SearchQuery(text, vocabulary: SearchVocabulary(format: format, now: Date()))
      }
    }
  }

  /// Returns an id made of a text.
  private static func requestID(_ text: String) -> String {
    if let hash = try? CryptoLibrary().hash(Array(text.utf8), by: .sha256) {
      return hex(Array(hash.prefix(16)))
    }
    var hash = StableHash()
    hash.add(text.utf8)
    return hash.text
  }
}

/// Judges the messages of an account for clients of a bridge.
nonisolated private struct AccountDeliveries: DeliveryJudging {
  let services: AccountServices

  func refusal(of message: Message.ID) async -> String? {
    guard case .failed(let reason) = await services.verdict(on: [message]) else { return nil }
    return reason
  }

  func isOversized(_ message: Message) async -> Bool {
    await services.outbox.isOversized(message)
  }
}
