import JSONLines
import NatterCore
import XMPP

/// The roster and the block list.
enum ContactMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod("contacts.list", .readContacts, of: .accounts, [ObjectPage.skip]) { call in
      try await call.list("contacts") { account in
        try await account.stores.roster.contacts().map { contact in
          ListedObject(jid: contact.jid, object: JSONLine { $0.add(contact, of: account.jid) })
        }
      }
    },
    BridgeMethod("contacts.get", .readContacts, [.required("address", .address)]) { call in
      let (account, jid) = (try call.account, try call.contact())
      guard let contact = try await account.stores.roster.contact(jid) else {
        throw BridgeError(.notFound, "no such contact")
      }
      return JSONLine { $0.add("contact") { $0.add(contact, of: account.jid) } }
    },
    BridgeMethod(
      "contacts.add", .changeContacts,
      [
        .required("address", .address), BridgeParameter("name", .text(1024)),
        BridgeParameter("message", .text(1024)),
      ]
    ) { call in
      let jid = try call.contact()
      guard jid.local != nil, jid != (try call.account.jid) else {
        throw BridgeError.parameter("address", "is not the address of another user")
      }
      try await call.confirm(.add, jid)
      let arguments = call.arguments
      return .accepted(
        try await call.services.contacts.add(
          jid, name: arguments.text("name"), invitation: nil, message: arguments.text("message")))
    },
    BridgeMethod("contacts.remove", .changeContacts, [.required("address", .address)]) { call in
      let jid = try call.contact()
      guard try await call.account.stores.roster.contact(jid) != nil else {
        throw BridgeError(.notFound, "no such contact")
      }
      try await call.confirm(.remove, jid)
      return .accepted(try await call.services.contacts.remove(jid))
    },
    BridgeMethod("contacts.block", .changeContacts, [.required("address", .address)]) { call in
      let jid = try call.contact()
      guard jid != (try call.account.jid) else {
        throw BridgeError.parameter("address", "is the account's own")
      }
      try await call.confirm(.block, jid)
      return .accepted(try await call.services.blocking.block(jid, report: nil) != .waiting)
    },
    BridgeMethod("contacts.unblock", .changeContacts, [.required("address", .address)]) { call in
      let jid = try call.contact()
      try await call.confirm(.unblock, jid)
      return .accepted(try await call.services.blocking.unblock(jid))
    },
  ]
}

extension BridgeCall {
  /// Returns the bare address of the parameter `address`.
  /// - Throws: `BridgeError.Code.permission` outside of the scope.
  func contact() throws(BridgeError) -> JID {
    let jid = try address("address").bare
    if let permission, try !subject.scope.contains(jid, .direct) {
      throw .permission(permission, .notDeclared, scope: jid.description)
    }
    return jid
  }

  /// Has the user agree to a change of a contact, where the client needs that.
  /// - Throws: `BridgeError.Code.permission`; `CancellationError`.
  fileprivate func confirm(_ kind: AskedContactChange.Kind, _ jid: JID) async throws {
    let change = AskedContactChange(kind, jid, in: try account.jid)
    guard let reason = await session.rights?.refusal(of: change) else { return }
    // A question that was not waited for has another answer.
    try Task.checkCancellation()
    throw BridgeError.permission(.changeContacts, reason, scope: jid.description)
  }
}

extension JSONLine {
  /// The answer to a change of a list that the server keeps.
  /// - Parameter isAccepted: `false`: it is pending until there is a connection.
  static func accepted(_ isAccepted: Bool) -> JSONLine {
    JSONLine { $0.add("pending", !isAccepted) }
  }
}
