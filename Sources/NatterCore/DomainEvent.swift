import XMPP

/// News for whoever wants to know, published on the `EventHub`. Bulk travels as one event.
package enum DomainEvent: Hashable, Sendable {
  /// New messages, committed; each is announced once, however it arrived.
  case messagesStored([Message])
  /// Messages from an archive that ring no bell: older history, or read elsewhere; or `missed`: sent since this program last
  /// looked, and read elsewhere, or found late, before what was told already.
  case historyStored([Message], missed: Bool = false)
  /// What is known of an archive's past changed: holes came, or are smaller, or gone. Whose archive it is.
  case archiveChanged(JID)
  /// How far data sync is; `nil` once it is over.
  case syncProgressed(SyncProgress?)
  /// Messages that were announced before and changed (delivery).
  case messagesChanged([Message])
  /// Messages that were typed here and taken back before they were sent.
  case messagesRemoved(conversation: JID, [Message.ID])
  /// Conversations that are new or changed (unread, draft, name).
  case conversationsChanged([Conversation])
  case conversationsRemoved([JID])
  /// Roster entries that are new or changed.
  case contactsChanged([Contact])
  case contactsRemoved([JID])
  case presenceChanged([ContactPresence])
  /// What somebody tells of himself is known better, or changed; the account itself among them.
  case cardChanged(JID)
  /// Somebody was blocked, or is no more.
  case blockListChanged
  /// Somebody asks to see this account's presence (RFC 6121 §3.1.3).
  case subscriptionRequested(JID)
  /// That was answered here, be it told already or not.
  case subscriptionAnswered(JID)
  /// Rooms that are new or changed (entered, left, subject, how many people).
  case roomsChanged([Room])
  /// What of a room is told, as another client of the account has chosen; `nil`: as the settings say.
  case roomNotificationChanged(JID, XEP0492Notification?)
  /// Rooms that are forgotten.
  case roomsRemoved([JID])
  /// People came to a room, left it or changed: one event for a burst.
  case occupantsChanged(OccupantChanges)
  /// Something to be told among a room's messages.
  case roomIncident(RoomIncident)
  /// Somebody invites to a room.
  case roomInvitation(RoomInvitation)
  /// An invitation that is answered or of no use any more.
  case roomInvitationSettled(JID)
  /// Somebody asks to speak in a room where the person is moderator.
  case voiceRequested(VoiceRequest)
  /// That is answered, by whomever, or of no use any more.
  case voiceRequestSettled(VoiceRequest)
  /// A room was entered; whether it has an archive that can be read (XEP-0313).
  case roomEntered(JID, hasArchive: Bool)
  /// The directories of rooms were read, or have told more: what is known of public rooms is another.
  case publicRoomsChanged
  /// The own server was asked what it consists of, or has made an invitation.
  case serverPartsChanged
  /// Feeds are followed or not any more, posts came, went or were read.
  case feedsChanged
  /// Calendars are followed or not any more, events came, changed or went, somebody answered.
  case eventsChanged
  /// Files on their way: new ones, how far they are, what came of them.
  case transfersChanged([FileTransfer])
  /// Transfers that are forgotten.
  case transfersRemoved([FileTransfer.ID])
  case connectionChanged(ConnectionState)
  /// Reading what came while this client was away has begun or is done: what it brings may have been read elsewhere.
  case catchUpChanged(isRunning: Bool)
  /// Somebody began to type, goes on typing, or stopped.
  case typingChanged(conversation: JID, isTyping: Bool)
  /// What could not be written to the disk before is written now.
  case storageWorks
  /// Something a person should read, in the status line.
  case notice(StatusNotice)
  /// The credential is no longer good: sign-in has to be shown.
  case credentialRefused(ConnectionProblem)
}

/// A sentence for the person, as a key of the language files and its arguments.
package struct StatusNotice: Hashable, Sendable {
  package enum Level: Hashable, Sendable { case info, warning, error }
  package let level: Level
  /// A key of `Resources/locales`.
  package let key: String
  /// Values for the text's `{name}` placeholders. From outside: shown made safe.
  package let arguments: [String: String]

  package init(_ level: Level = .info, _ key: String, _ arguments: [String: String] = [:]) {
    self.level = level
    self.key = key
    self.arguments = arguments
  }
}
