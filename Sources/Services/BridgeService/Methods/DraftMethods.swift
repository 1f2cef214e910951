import JSONLines
import NatterCore
import XMPP

/// Texts that were not sent.
enum DraftMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod("drafts", .writeDrafts, of: .accounts, [ObjectPage.skip]) { call in
      try await call.list("drafts") { account in
        try await account.stores.conversations.conversations().filter { !$0.draft.isEmpty }
          .map { conversation in
            ListedObject(
              jid: conversation.jid, kind: conversation.kind,
              object: .reference(to: conversation.jid, of: account.jid) {
                $0.add("text", conversation.draft)
              })
          }
      }
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
