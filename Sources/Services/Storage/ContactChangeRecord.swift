import NatterCore
import XMPP

/// A change of a contact or of the block list, as it is stored.
struct ContactChangeRecord: PendingChange {
  static let kind = PendingChangeKind.contact

  /// The operations; the payload has the raw values. A change with another one, which a later
  /// version may have stored, cannot be read.
  enum Operation: String, Codable {
    case add, rename, regroup, remove, ask, approve, deny, block, unblock
  }

  let jid: String
  let operation: Operation
  /// Of a contact to add or to rename.
  var name: String?
  /// Of a contact to add.
  var invitation: String?
  var message: String?
  /// Of a contact to put into groups.
  var groups: [String]?
  /// Of an address to block: the category and the text of the report.
  var reason: String?
  var report: String?

  init(_ operation: ContactChange.Operation, of jid: JID) {
    self.jid = jid.description
    switch operation {
    case .add(let name, let invitation, let message):
      self.operation = .add
      (self.name, self.invitation, self.message) = (name, invitation, message)
    case .rename(let name):
      self.operation = .rename
      self.name = name
    case .regroup(let groups):
      self.operation = .regroup
      self.groups = groups
    case .remove: self.operation = .remove
    case .ask: self.operation = .ask
    case .approve: self.operation = .approve
    case .deny: self.operation = .deny
    case .block(let report):
      self.operation = .block
      (reason, self.report) = (report?.reason.rawValue, report?.text)
    case .unblock: self.operation = .unblock
    }
  }

  /// The operation with its parameters.
  var value: ContactChange.Operation {
    switch operation {
    case .add:
      .add(
        name: name.flatMap { $0.isEmpty ? nil : $0 }, invitation: invitation,
        message: message.flatMap { $0.isEmpty ? nil : $0 })
    case .rename: .rename(name)
    case .regroup: .regroup(groups?.filter { !$0.isEmpty } ?? [])
    case .remove: .remove
    case .ask: .ask
    case .approve: .approve
    case .deny: .deny
    case .block:
      .block(
        reason.flatMap { AbuseReport.Reason(rawValue: $0) }.map {
          AbuseReport(reason: $0, text: report ?? "")
        })
    case .unblock: .unblock
    }
  }

  var subject: [String] { [jid, value.subject.rawValue] }
}
