import FoundationEssentials
import NatterCore
import XML
import XMPP

// The command in a stanza.
extension AccountEvent {
  /// - Parameter account: the bare JID of the account.
  init?(_ stanza: Stanza, for account: JID) {
    switch stanza {
    case .message(let message):
      guard let carbon = XEP0280Carbon(message, of: account) else {
        self.init(message, archiveID: message.stanzaID(by: account))
        return
      }
      // A server delivers an invitation to one client and copies it to the others.
      guard carbon.direction == .received else { return nil }
      self.init(carbon.message, archiveID: carbon.message.stanzaID(by: account))
      guard kind == .roomInvitation else { return nil }
    case .presence(let presence):
      self.init(presence.element, for: account)
    case .iq(let iq):
      // Pushes come from the user's own account or have no sender; others are not pushes
      // (XEP-0191 §3).
      guard iq.isBlockListPush(of: account) else { return nil }
      self.init(
        id: "block-list/\(XMLWriter().string(iq.element))", isKept: false, kind: .blockList,
        sender: nil, stanza: iq.element)
    }
  }

  /// - Parameter archiveID: the id of the message in the account's archive; `nil`: it has none.
  init?(_ message: MessageStanza, archiveID: String?) {
    guard message.kind != .error, let sender = message.from else { return nil }
    let element = message.element
    let user = element.first("x", XEP0045.user)
    let kind: EventKind
    if InvitationPayload.decode(message) != nil {
      kind = .roomInvitation
    } else if element.first("event", XEP0060.events) != nil {
      kind = .published
    } else if message.kind == .groupchat, sender.resource == nil,
      user?.all("status", XEP0045.user).contains(where: {
        ["104", "170", "171", "172", "173", "174"].contains($0["code"] ?? "")
      }) ?? false
    {
      kind = .roomChanged
    } else {
      return nil
    }
    // The others report a state, and need no row in the database: a failed one arrives again in
    // another way.
    // - Publications are sent, or fetched, again at each login (XEP-0163 §4.3.4); some servers send
    //   them twice (server-quirks.md, "ejabberd").
    // - The properties of a room are requested whenever it is entered, and once more when a
    //   resumption interrupted the request.
    // - An exit from a room is in the database before this is called: the service of the rooms
    //   stores it on arrival.
    // - Subscription requests are sent at each login until they are answered (RFC 6121 §3.1.3).
    // - The block list is fetched at each login (XEP-0191 §3.2).
    let isKept = kind == .roomInvitation
    let id: String
    if let archiveID {
      id = "\(kind.rawValue)/\(archiveID)"
    } else if isKept, let messageID = message.id {
      id = "\(kind.rawValue)/\(sender.bare)/\(messageID)"
    } else {
      id = "\(kind.rawValue)/\(sender.bare)/\(XMLWriter().string(element))"
    }
    self.init(id: id, isKept: isKept, kind: kind, sender: sender, stanza: element)
  }

  private init?(_ presence: Element, for account: JID) {
    guard let sender = presence.address("from").jid else { return nil }
    if presence["type"] == "subscribe", sender.bare != account {
      self.init(
        id: "contact-request/\(sender.bare)", isKept: false, kind: .contactRequest,
        sender: sender.bare, stanza: presence)
      return
    }
    guard presence["type"] == "unavailable", let user = presence.first("x", XEP0045.user) else {
      return nil
    }
    let codes = Set(user.all("status", XEP0045.user).compactMap { $0["code"] })
    let isDestroyed = user.first("destroy", XEP0045.user) != nil
    // The user's own exit, and not at their own request (XEP-0045 §8.2, §9.1, §10.9).
    guard codes.contains("110") || isDestroyed,
      isDestroyed || !codes.isDisjoint(with: ["301", "307", "321", "322", "332", "333"])
    else { return nil }
    self.init(
      id: "room-exit/\(sender.bare)", isKept: false, kind: .roomExit, sender: sender,
      stanza: presence)
  }
}
