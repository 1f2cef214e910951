import JSONLines
import NatterCore
import Storage
import Terminal
import XMPP

/// `natter contacts`: the contacts as they are stored, by address.
struct ContactsCommand {
  let request: ReadingRequest
  let output: ReadingOutput

  func run(_ account: StoredAccount) async throws -> ExitCode {
    let contacts = try await account.database?.roster.contacts() ?? []
    for contact in contacts.sorted(by: { $0.jid.description < $1.jid.description }) {
      if request.isJSON {
        try output.print(JSONLine { Self.add(contact, of: account.jid, to: &$0) })
      } else {
        try output.print(Self.line(contact.jid, contact.name ?? contact.nickname))
      }
    }
    return .done
  }

  /// Returns an address, and the name behind a tab where there is one.
  static func line(_ jid: JID, _ name: String?) -> String {
    let name = name.map { SafeText.line($0) } ?? ""
    return SafeText.line(jid.shown) + (name.isEmpty ? "" : "\t" + name)
  }

  nonisolated private static func add(
    _ contact: Contact, of account: JID, to line: inout JSONLine
  ) {
    line.add("account", account.description)
    line.add("address", contact.jid.description)
    line.add("name", contact.name)
    line.add("nickname", contact.nickname)
    line.add("groups", contact.groups)
    line.add("subscription", contact.subscription.rawValue)
    line.add("pending", contact.isPending)
  }
}
