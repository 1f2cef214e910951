import Diagnostics
import NatterCore
import XML
import XMPP

/// The chat states of both sides (XEP-0085): sends the user's to contacts, and publishes theirs.
///
/// A state is sent only to a client that has sent one itself (§5.1), and only to a contact who may
/// see this account's presence: to a stranger it would reveal that the user is there (§8).
package actor ChatStateTracker: ChannelHolding {
  private let roster: any RosterStoring
  private let rooms: (any RoomViewing)?
  private let threads: (any ThreadReading)?
  private let hub: EventHub
  private let isOn: Bool
  package var channel: (any StanzaChannel)?
  /// The client of each contact that last sent a state; an occupant by their JID in the room.
  private var partners: [JID: JID] = [:]
  private var typing: Set<JID> = []
  /// The last state that was sent to each.
  private var reported: [JID: ChatActivity] = [:]

  /// The largest number of remembered clients: anyone may send a state, from any number of JIDs.
  static let partnerLimit = 1000
  /// The number of remembered clients.
  var partnerCount: Int { partners.count }

  /// - Parameters:
  ///   - rooms: identifies the messages of occupants; `nil`: there are no rooms.
  ///   - threads: finds the thread of a conversation; `nil`: states are in none.
  ///   - isOn: `true` if the user wants others to see when they are typing.
  package init(
    roster: any RosterStoring, rooms: (any RoomViewing)? = nil,
    threads: (any ThreadReading)? = nil, hub: EventHub, isOn: Bool = true
  ) {
    self.roster = roster
    self.rooms = rooms
    self.threads = threads
    self.hub = hub
    self.isOn = isOn
  }

  package func sessionEnded() async {
    channel = nil
    forgetAll()
  }

  private func forgetAll() {
    partners.removeAll()
    reported.removeAll()
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
        reported[contact] = nil
        setTyping(false, contact)
      default: break
      }
    }
  }

  private func take(_ message: MessageStanza) async {
    // A delayed state says nothing about the present.
    guard message.kind == .chat || message.kind == .normal, let from = message.from,
      !from.isBare, message.delay == nil
    else { return }
    let state = ChatStatePayload.decode(message)
    guard state != nil || !typing.isEmpty && message.hasBody else { return }
    // A private message to an occupant is not typed in the room.
    let isInRoom = message.isFromRoom ? true : await rooms?.knows(from.bare) == true
    let contact = isInRoom ? from : from.bare
    guard let state else { return setTyping(false, contact) }
    if partners[contact] != from {
      // Clients that are still present send another state.
      if partners[contact] == nil, partners.count >= Self.partnerLimit { forgetAll() }
      partners[contact] = from
      reported[contact] = nil
    }
    switch state {
    // Each new one restarts the time after which typing is assumed to have ended.
    case .composing where !message.hasBody: setTyping(true, contact)
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
  package func report(_ activity: ChatActivity, in conversation: JID, thread: ThreadChoice) async {
    let jid = conversation.bare
    guard isOn, channel != nil, partners[jid] != nil, reported[jid] != activity else { return }
    // Without an earlier state, only the beginning of typing is sent.
    if reported[jid] == nil, activity != .composing { return }
    guard let state = ChatStatePayload.state(for: activity) else {
      reported[jid] = .active
      return
    }
    // Without the roster it is unknown which contacts are allowed: send nothing.
    guard let trusted = try? await roster.trusted(among: [jid]), trusted.contains(jid) else {
      return
    }
    let thread = await self.thread(thread, of: jid)
    guard let channel, let partner = partners[jid], reported[jid] != activity else { return }
    reported[jid] = activity
    let element = Element(
      "message", Namespace.client, ["type": "chat", "to": partner.description],
      ChatStatePayload.encode(state) + [thread?.element].compactMap { $0 })
    // Worthless once the connection is gone.
    try? await channel.send(element)
  }

  /// The thread of a state. One that cannot be read is left out.
  private func thread(_ choice: ThreadChoice, of jid: JID) async -> Message.Thread? {
    switch choice {
    case .given(let thread): thread
    case .ofConversation: try? await threads?.thread(of: jid)
    }
  }
}
