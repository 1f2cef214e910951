import JSONLines
import NatterCore
import XMPP

/// Texts that were not sent.
enum DraftMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod("drafts", .writeDrafts, of: .accounts) { call in
      var drafts: [JSONLine] = []
      for subject in call.subjects {
        let account = subject.account
        let conversations = try await account.stores.conversations.conversations()
        for conversation in conversations.sorted(by: { $0.jid.description < $1.jid.description })
        where !conversation.draft.isEmpty
          && subject.scope.contains(conversation.jid, conversation.kind)
        {
          drafts.append(
            .reference(to: conversation.jid, of: account.jid) {
              $0.add("text", conversation.draft)
            })
        }
      }
      return JSONLine { $0.add("drafts", drafts) }
    },
    BridgeMethod(
      "messages.draft", .writeDrafts,
      [
        .required("conversation", .address), .required("text", .text(1 << 16)),
        BridgeParameter("mode", .choice(["replace", "append"])),
      ]
    ) { call in
      let (account, jid) = (try call.account, try await call.recipient())
      _ = try account.services
      var text = try call.text("text")
      let store = account.stores.conversations
      let previous = try await store.conversation(jid)?.draft ?? ""
      if call.arguments.text("mode") == "append", !previous.isEmpty {
        text = previous + (text.isEmpty ? "" : "\n" + text)
      }
      guard text.utf8.count <= 1 << 16 else {
        throw BridgeError.parameter("text", "makes the draft longer than 65536 bytes")
      }
      try await store.setDraft(text, of: jid)
      if let conversation = try await store.conversation(jid) {
        account.hub.publish(.conversationsChanged([conversation]))
      }
      return .reference(to: jid, of: account.jid) { $0.add("text", text) }
    },
  ]
}
