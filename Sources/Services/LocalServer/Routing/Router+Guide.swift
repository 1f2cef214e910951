import Crypto
import XML
import XMPP

/// The guide's part of the conversation.
extension Router {
  /// The guide's presence: it is always there.
  func guidePresence(to recipient: JID) -> Element {
    var presence = Element(
      "presence", Namespace.client,
      ["from": guide.address.description, "to": recipient.description])
    presence.append(Element("status", Namespace.client, text: guide.status))
    return presence
  }

  /// Says what a newcomer should know, once.
  mutating func greet(_ session: ClientSession, _ ledger: ServerTransaction) throws {
    let greeting = guide.greeting(
      for: session.account, isInLines: session.isInLines,
      hasCompany: try ledger.accounts.count() > 1)
    for text in greeting {
      try say(text, to: session.account, thread: nil, ledger)
    }
  }

  /// Answers something a client sent to the guide.
  mutating func answerAsGuide(
    _ message: Element, from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard let body = message.childText("body"), !body.isEmpty else { return }
    // A client that talks faster than it reads gets its answers when it has read.
    guard sessions[session.id]?.inFlight.count ?? 0 < Self.window else { return }
    if message.first("request", Namespace.receipts) != nil, let id = message["id"] {
      send(
        Element(
          "message", Namespace.client,
          [
            "type": message["type"] ?? "normal", "id": randomIdentifier(),
            "from": guide.address.description, "to": session.jid.description,
          ], [Element("received", Namespace.receipts, ["id": id])]), to: session.id)
    }
    // What it answers it has read (XEP-0333 §5.2).
    if message.first("markable", XEP0333Marker.namespace) != nil, let id = message["id"] {
      send(
        Element(
          "message", Namespace.client,
          [
            "type": message["type"] ?? "normal", "id": randomIdentifier(),
            "from": guide.address.description, "to": session.jid.description,
          ], [XEP0333Marker.displayed(id)]), to: session.id)
    }
    // What is done to something that was said before is nothing new.
    let effects = [
      XEP0308Correction.namespace, XEP0444Reactions.namespace, XEP0424Retraction.namespace,
    ]
    guard !message.elements.contains(where: { effects.contains($0.namespace) }) else { return }
    try say(
      guide.answer(to: body, from: session.account, isInLines: session.isInLines),
      to: session.account, thread: message.childText("thread"), ledger)
  }

  private mutating func say(
    _ text: String, to account: String, thread: String?, _ ledger: ServerTransaction
  ) throws {
    var message = Element(
      "message", Namespace.client,
      [
        "type": "chat", "id": randomIdentifier(), "from": guide.address.description,
        "to": address(of: account).description,
      ], [Element("body", Namespace.client, text: text)])
    if let thread { message.append(Element("thread", Namespace.client, text: thread)) }
    _ = try deliver(
      message, .chat, to: address(of: account), account: account, isCopied: false, ledger)
  }
}
