import Diagnostics
import NatterCore
import XMPP

/// Tells contacts that the person is typing, and the person that they are (XEP-0085).
///
/// Only a client that has sent such a thing itself is told (§5.1), and only that of a contact who may see this account's
/// presence: to a stranger it would tell that somebody is there (§8).
package actor ChatStateTracker: SessionConsuming {
  private let roster: any RosterStoring
  private let rooms: (any RoomViewing)?
  private let hub: EventHub
  private let isOn: Bool
  private var channel: (any StanzaChannel)?
  /// The client of each contact that last sent a state; somebody in a room by his address there.
  private var partners: [JID: JID] = [:]
  private var typing: Set<JID> = []
  /// What each was told last.
  private var told: [JID: ChatActivity] = [:]

  /// The clients that are remembered: anybody may send a state, from any number of addresses.
  static let partnerLimit = 1000
  /// How many are.
  var partnerCount: Int { partners.count }

  /// - Parameters:
  ///   - rooms: tells whose messages are of somebody in a room; `nil`: nobody is in one.
  ///   - isOn: whether the person wants others to know.
  package init(
    roster: any RosterStoring, rooms: (any RoomViewing)? = nil, hub: EventHub, isOn: Bool = true
  ) {
    self.roster = roster
    self.rooms = rooms
    self.hub = hub
    self.isOn = isOn
  }

  package func channelOpened(_ channel: any StanzaChannel) async { self.channel = channel }

  package func sessionEnded() async {
    channel = nil
    forgetAll()
  }

  private func forgetAll() {
    partners.removeAll()
    told.removeAll()
    for jid in typing { hub.publish(.typingChanged(conversation: jid, isTyping: false)) }
    typing.removeAll()
  }

  package func receive(_ stanzas: [Stanza]) async {
    for stanza in stanzas {
      switch stanza {
      case .message(let message): await take(message)
      case .presence(let presence) where presence.kind == .unavailable:
        guard let from = presence.from,
          let contact = [from.bare, from].first(where: { partners[$0] == from })
        else { continue }
        partners[contact] = nil
        told[contact] = nil
        setTyping(false, contact)
      default: break
      }
    }
  }

  private func take(_ message: MessageStanza) async {
    // What comes late says nothing of now.
    guard message.kind == .chat || message.kind == .normal, let from = message.from,
      !from.isBare, message.delay == nil
    else { return }
    guard message.chatState != nil || message.body != nil && !typing.isEmpty else { return }
    // Whoever writes to one person in a room does not write in the room.
    let isInRoom = message.isFromRoom ? true : await rooms?.knows(from.bare) == true
    let contact = isInRoom ? from : from.bare
    guard let state = message.chatState else { return setTyping(false, contact) }
    if partners[contact] != from {
      // Those who are still there send another one.
      if partners[contact] == nil, partners.count >= Self.partnerLimit { forgetAll() }
      partners[contact] = from
      told[contact] = nil
    }
    switch state {
    // Each one that comes begins the time anew after which it is taken for gone.
    case .composing where message.body == nil: setTyping(true, contact)
    case .gone:
      setTyping(false, contact)
      partners[contact] = nil
    default: setTyping(false, contact)
    }
  }

  private func setTyping(_ isTyping: Bool, _ jid: JID) {
    let isNew = isTyping ? typing.insert(jid).inserted : typing.remove(jid) != nil
    if isNew || isTyping { hub.publish(.typingChanged(conversation: jid, isTyping: isTyping)) }
  }
}

extension ChatStateTracker: ChatActivityReporting {
  package func report(_ activity: ChatActivity, in conversation: JID) async {
    let jid = conversation.bare
    guard isOn, channel != nil, partners[jid] != nil, told[jid] != activity else { return }
    // Nothing was told, and nothing begins now.
    if told[jid] == nil, activity != .composing { return }
    guard let state = activity.state else {
      told[jid] = .active
      return
    }
    // Without the roster nobody is known to be allowed: then nobody is told.
    guard let trusted = try? await roster.trusted(), trusted.contains(jid) else { return }
    guard let channel, let partner = partners[jid], told[jid] != activity else { return }
    told[jid] = activity
    let element = Element(
      "message", Namespace.client, ["type": "chat", "to": partner.description],
      [state.element, Element("no-store", "urn:xmpp:hints")])
    // Worth nothing once the connection is gone.
    try? await channel.send(element)
  }
}

extension ChatActivity {
  /// What is sent for it; `nil`: nothing.
  fileprivate var state: XEP0085ChatState? {
    switch self {
    case .composing: .composing
    case .paused: .paused
    case .active: .active
    case .sent: nil
    case .gone: .gone
    }
  }
}
