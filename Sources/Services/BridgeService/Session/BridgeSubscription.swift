import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// A subscription of a client to events.
final class BridgeSubscription {
  /// The part of an account that it covers.
  struct Coverage {
    /// The conversations in which the client has the right for an event. What the user grants later
    /// is not among them, and what they take back is left out.
    var rights: [BridgePermission: BridgeScope] = [:]
    /// The id up to which messages were handled.
    var cursor: Message.ID
    /// The id of the last message that the client was sent, or of its own cursor.
    var delivered: Message.ID
    /// The time before which messages from the store count as history.
    var historyBefore: Date?
    var isDraining = false
    var needsDrain = false
  }

  let name: String
  let events: Set<BridgeEvent>
  let scope: BridgeScope
  /// Indicates whether messages from archives are included.
  let includesHistory: Bool
  var accounts: [JID: Coverage]
  /// Indicates whether the answer to its request was sent.
  var isStarted = false
  /// Indicates whether it was ended.
  var isEnded = false
  /// The line that says that it was ended before the answer to its request was sent.
  var ending: String?
  /// Lines that follow the messages that are being sent, and their bytes.
  private(set) var deferred: [String] = []
  private var deferredBytes = 0
  /// Indicates whether events were dropped, and the client was not notified yet.
  var hasGap = false

  init(
    _ name: String, to events: Set<BridgeEvent>, in scope: BridgeScope, includesHistory: Bool,
    accounts: [JID: Coverage]
  ) {
    (self.name, self.events, self.scope) = (name, events, scope)
    (self.includesHistory, self.accounts) = (includesHistory, accounts)
  }

  /// Indicates whether other events have to wait.
  var defers: Bool { !isStarted || accounts.values.contains(where: \.isDraining) }

  /// The most lines that can wait for messages, and their most bytes.
  static let (mostDeferred, mostDeferredBytes) = (1000, 4 << 20)

  /// Has a line wait for the messages that are being sent.
  /// - Returns: `false` if too much waits.
  func deferLine(_ line: String) -> Bool {
    let bytes = deferredBytes + line.utf8.count
    guard deferred.count < Self.mostDeferred, bytes <= Self.mostDeferredBytes else { return false }
    deferred.append(line)
    deferredBytes = bytes
    return true
  }

  /// Returns the lines that have waited.
  func takeDeferred() -> [String] {
    defer { (deferred, deferredBytes) = ([], 0) }
    return deferred
  }

  /// Returns whether it has an event of a conversation of an account.
  func covers(
    _ event: BridgeEvent, _ conversation: JID, _ kind: Conversation.ConversationKind,
    of account: JID
  ) -> Bool {
    guard events.contains(event), scope.contains(conversation, kind),
      let permission = event.permission, let right = accounts[account]?.rights[permission]
    else { return false }
    return right.contains(conversation, kind)
  }

  /// Leaves out what a right covered that was taken back. Accounts without the right are left out
  /// whole.
  /// - Returns: whether no account is left.
  func cut(by revocation: BridgeRights.Revocation, leaving rights: BridgeRights) -> Bool {
    let permission = revocation.permission
    for (account, coverage) in accounts {
      guard revocation.concerns(account), let scope = coverage.rights[permission] else { continue }
      if case .held(let left) = rights.current(permission, in: account),
        !left.intersection(scope).isEmpty
      {
        accounts[account]?.rights[permission] = left.intersection(scope)
      } else {
        accounts[account] = nil
      }
    }
    return accounts.isEmpty
  }

  /// Ends it.
  func end() {
    isEnded = true
    (deferred, deferredBytes) = ([], 0)
  }

  // MARK: - Lines for the client

  /// The answer to its request.
  var answer: JSONLine {
    JSONLine {
      $0.add("subscription", name)
      $0.add("after") {
        for (account, coverage) in accounts.sorted(by: {
          $0.key.description < $1.key.description
        }) {
          $0.add(account.description, Int(coverage.cursor.rawValue))
        }
      }
    }
  }

  /// The line that says that events were dropped.
  var gapLine: String {
    let data = JSONLine {
      $0.add("after") {
        guard events.contains(.messageNew) else { return }
        for (account, coverage) in accounts.sorted(by: {
          $0.key.description < $1.key.description
        }) {
          $0.add(account.description, Int(coverage.delivered.rawValue))
        }
      }
    }
    return BridgeLine.event(.gap, data: data.text, of: name)
  }

  /// Returns the line that says that it was ended, because a right was taken back.
  func endLine(without permission: BridgePermission) -> String {
    let parameters = JSONLine {
      $0.add("subscription", name)
      $0.add("permission", permission.rawValue)
      $0.add("reason", BridgeRights.Reason.revoked.rawValue)
    }
    return BridgeLine.notification("event.ended", parameters)
  }
}
