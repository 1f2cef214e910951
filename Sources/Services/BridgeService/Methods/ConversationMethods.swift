import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Accounts and the list of conversations.
enum ConversationMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod("accounts.list", .readConversations, of: .accounts, [ObjectPage.skip]) { call in
      var accounts: [(jid: JID, state: ConnectionState)] = []
      for subject in call.subjects {
        accounts.append((subject.account.jid, await subject.account.state))
      }
      return JSONLine {
        $0.add(
          "accounts",
          call.page(accounts) { account in JSONLine { $0.add(account.state, of: account.jid) } })
      }
    },
    BridgeMethod(
      "conversations.list", .readConversations, of: .accounts,
      [BridgeParameter("hidden", .boolean), ObjectPage.skip]
    ) { call in
      let isHidden = call.arguments.boolean("hidden")
      var found: [(account: JID, conversation: Conversation)] = []
      for subject in call.subjects {
        let store = subject.account.stores.conversations
        let all = try await isHidden ? store.hiddenConversations() : store.conversations()
        for conversation in all where subject.scope.contains(conversation.jid, conversation.kind) {
          found.append((subject.account.jid, conversation))
        }
      }
      found.sort {
        let (a, b) = ($0.conversation, $1.conversation)
        return (b.lastActivity ?? .distantPast, a.jid.description)
          < (a.lastActivity ?? .distantPast, b.jid.description)
      }
      return JSONLine {
        $0.add(
          "conversations",
          call.page(found) { item in JSONLine { $0.add(item.conversation, of: item.account) } })
      }
    },
    BridgeMethod(
      "conversations.get", .readConversations, [.required("conversation", .address)]
    ) { call in
      let (account, jid) = (try call.account, try await call.conversation())
      return try await account.answer(for: jid)
    },
    BridgeMethod(
      "conversations.mark_read", .changeConversations, [.required("conversation", .address)]
    ) { call in
      let (account, jid) = (try call.account, try await call.conversation())
      _ = try await account.known(jid)
      _ = try await account.services.reading.markRead(jid)
      return try await account.answer(for: jid)
    },
    BridgeMethod(
      "conversations.pin", .changeConversations,
      [.required("conversation", .address), BridgeParameter("pinned", .boolean)]
    ) { call in
      let (account, jid) = (try call.account, try await call.conversation())
      _ = try account.services
      _ = try await account.known(jid)
      let isPinned = call.arguments.boolean("pinned", default: true)
      guard try await call.host.setPinned(isPinned, jid, of: account.jid) else {
        throw BridgeError(.notFound, "the list does not have this conversation")
      }
      return .reference(to: jid, of: account.jid) { $0.add("pinned", isPinned) }
    },
    BridgeMethod(
      "conversations.hide", .changeConversations, [.required("conversation", .address)]
    ) { call in
      let (account, jid) = (try call.account, try await call.conversation())
      _ = try account.services
      _ = try await account.known(jid)
      try await account.stores.conversations.hide(jid)
      account.hub.publish(.conversationsRemoved([jid]))
      return JSONLine()
    },
    BridgeMethod(
      "conversations.open", .changeConversations, [.required("conversation", .address)]
    ) { call in
      let (account, jid) = (try call.account, try await call.recipient())
      _ = try account.services
      var kind = Conversation.ConversationKind.direct
      if jid.isBare, try await account.book.isRoom(jid) { kind = .room }
      let conversation = try await account.stores.conversations.open(jid, kind: kind)
      account.hub.publish(.conversationsChanged([conversation]))
      return try await account.answer(for: conversation.jid)
    },
  ]
}

extension BridgeAccount {
  /// Returns a conversation.
  /// - Throws: `BridgeError.Code.notFound` if there is none.
  func known(_ jid: JID) async throws -> Conversation {
    guard let conversation = try await stores.conversations.conversation(jid) else {
      throw BridgeError(.notFound, "no such conversation")
    }
    return conversation
  }

  fileprivate func answer(for jid: JID) async throws -> JSONLine {
    let conversation = try await known(jid)
    return JSONLine { $0.add("conversation") { $0.add(conversation, of: self.jid) } }
  }
}
