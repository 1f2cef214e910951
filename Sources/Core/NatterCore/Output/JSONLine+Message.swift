import JSONLines
import XMPP

extension JSONLine {
  /// Creates the object of a message in the output for programs (interface.md, "Output for
  /// programs"), the same in commands, in the bridge and in exports.
  /// - Parameters:
  ///   - kind: that of its conversation (`Conversation.outputKind`).
  ///   - first: the text before the corrections.
  package init(_ message: Message, of account: JID, kind: String, first: String?) {
    let isIncoming = message.direction == .incoming
    let hasNick = kind == "room" || kind == "private" && isIncoming
    self.init {
      $0.add("id", String(message.id.rawValue))
      $0.add("account", account.description)
      $0.add("conversation", message.conversation.description)
      $0.add("kind", kind)
      $0.add("from", message.sender.description)
      $0.add("nick", hasNick ? message.sender.resource : nil)
      $0.add("direction", isIncoming ? "in" : "out")
      $0.add("at", message.sentAt)
      $0.add("body", message.body)
      if let content = message.content { $0.add(content) }
      $0.add(message.delivery)
      $0.add("delayed", message.isDelayed)
      $0.add("origin_id", message.originID)
      $0.add("stanza_id", message.stanzaID)
      $0.addRelations(of: message, first: first)
      if let file = message.file { $0.add(file) }
      if let location = message.location { $0.add(location) }
    }
  }

  private mutating func add(_ content: Message.Content) {
    switch content {
    case .encrypted(let encryption):
      add("content", "encrypted")
      add("encryption") {
        $0.add("method", encryption.method)
        $0.add("name", encryption.name)
      }
    case .unknown(let namespace):
      add("content", "unknown")
      add("namespace", namespace)
    case .call(let call):
      add("content", "call")
      add("call", call.rawValue)
    }
  }

  /// Adds how far a message has been delivered.
  package mutating func add(_ delivery: Delivery?) {
    switch delivery {
    case nil: break
    case .queued: add("delivery", "queued")
    case .sent: add("delivery", "sent")
    case .delivered: add("delivery", "delivered")
    case .read: add("delivery", "read")
    case .failed(let reason):
      add("delivery", "failed")
      add("failure", reason)
    }
  }

  private mutating func addRelations(of message: Message, first: String?) {
    if let reply = message.reply {
      add("reply_to") {
        $0.add("id", reply.id)
        $0.add("author", reply.author?.description)
        $0.add("text", reply.text)
      }
    }
    add("thread", message.thread?.id)
    add("thread_parent", message.thread?.parent)
    add("by", message.sentBy)
    if message.edit != nil { add("edited") { $0.add("first", first) } }
    if !message.reactions.isEmpty {
      add(
        "reactions",
        message.reactions.map { reaction in
          JSONLine {
            $0.add("from", reaction.sender.description)
            $0.add("emoji", reaction.emoji)
          }
        })
    }
    add("retracted", message.retraction?.rawValue)
  }

  private mutating func add(_ file: SharedFile) {
    add("file") {
      $0.add("url", file.address)
      $0.add("name", file.name)
      $0.add("type", file.mediaType)
      $0.add("size", file.size)
      $0.add("sha256", file.digests.first { $0.algorithm == .sha256 }?.hexadecimal)
      $0.add("width", file.width)
      $0.add("height", file.height)
    }
  }

  private mutating func add(_ location: SharedLocation) {
    add("location") {
      $0.add("lat", .number(location.point.latitude))
      $0.add("lon", .number(location.point.longitude))
      if let accuracy = location.point.accuracy { $0.add("accuracy", .number(accuracy)) }
      $0.add("text", location.text.isEmpty ? nil : location.text)
    }
  }
}
