import XMPP

/// Events that the services publish on the `EventHub`. A batch of changes is one event.
package enum DomainEvent: Hashable, Sendable {
  /// New messages, committed; each is published once, however it arrived.
  case messagesStored([Message])
  /// Messages from an archive that cause no notification: older history, or read on another client.
  /// With `missed`, they were sent since this program last looked, and were read elsewhere or found
  /// late, before messages that were announced already.
  case historyStored([Message], missed: Bool = false)
  /// Histories were imported into these conversations, anywhere among their messages, or an import
  /// was undone: what is loaded of them is out of date.
  case historyImported([JID])
  /// The known ranges of this owner's archive changed: gaps appeared, shrank or closed.
  case archiveChanged(JID)
  /// Progress of data sync; `nil` when it ends.
  case syncProgressed(SyncProgress?)
  /// Messages that were published before and changed (delivery).
  case messagesChanged([Message])
  /// Local messages that the user withdrew before they were sent.
  case messagesRemoved(conversation: JID, [Message.ID])
  /// Conversations that are new or changed (unread, draft, name).
  case conversationsChanged([Conversation])
  case conversationsRemoved([JID])
  /// Roster entries that are new or changed.
  case contactsChanged([Contact])
  case contactsRemoved([JID])
  case presenceChanged([ContactPresence])
  /// The profile or card of this JID changed or is better known; includes the account itself.
  case cardChanged(JID)
  /// An address was blocked or unblocked.
  case blockListChanged
  /// This JID asks to see the account's presence (RFC 6121 §3.1.3).
  case subscriptionRequested(JID)
  /// The request of this JID was answered here, even if the server does not have the answer yet.
  case subscriptionAnswered(JID)
  /// Rooms that are new or changed (joined, left, subject, number of occupants).
  case roomsChanged([Room])
  /// The notification rule of a room, as another client of the account set it; `nil`: the settings
  /// apply.
  case roomNotificationChanged(JID, XEP0492Notification?)
  /// The user added or removed a word that notifies.
  case notifyKeywordsChanged(NotifyKeywords)
  /// Rooms that are forgotten.
  case roomsRemoved([JID])
  /// Occupants joined, left or changed: one event for a burst.
  case occupantsChanged(OccupantChanges)
  /// An incident to show among a room's messages.
  case roomIncident(RoomIncident)
  /// An invitation to a room arrived.
  case roomInvitation(RoomInvitation)
  /// The invitation to this room was answered or is no longer valid.
  case roomInvitationSettled(JID)
  /// A visitor asks for voice in a room where the user is moderator.
  case voiceRequested(VoiceRequest)
  /// The voice request was answered, by any moderator, or is no longer valid.
  case voiceRequestSettled(VoiceRequest)
  /// A room was joined; `hasArchive` if it has an archive that can be queried (XEP-0313).
  case roomEntered(JID, hasArchive: Bool)
  /// The room directories were read, or returned more: the set of known public rooms changed.
  case publicRoomsChanged
  /// The components of the own server were read, or the server made an invitation.
  case serverPartsChanged
  /// Feeds were followed or unfollowed; posts were added, removed or read.
  case feedsChanged
  /// Calendars were followed or unfollowed; events or answers to them were added, changed or
  /// removed.
  case eventsChanged
  /// File transfers that are new, or whose progress or state changed.
  case transfersChanged([FileTransfer])
  /// Transfers that were removed from the list.
  case transfersRemoved([FileTransfer.ID])
  case connectionChanged(ConnectionState)
  /// Catch-up after an absence began or ended: messages that it brings may have been read
  /// elsewhere.
  case catchUpChanged(isRunning: Bool)
  /// The peer began to type, continues, or stopped.
  case typingChanged(conversation: JID, isTyping: Bool)
  /// A write to the disk that failed before has succeeded.
  case storageWorks
  /// A notice for the status line.
  case notice(StatusNotice)
  /// The server no longer accepts the credential: the sign-in page has to open.
  case credentialRefused(ConnectionProblem)
}

/// A sentence for the user, as a key of the language files and its arguments.
package struct StatusNotice: Hashable, Sendable {
  /// The severity, which determines the style.
  package enum Level: Hashable, Sendable { case info, warning, error }
  package let level: Level
  /// A key of `Resources/locales`.
  package let key: String
  /// Values for the text's `{name}` placeholders. Untrusted: they are made safe for display.
  package let arguments: [String: String]

  package init(_ level: Level = .info, _ key: String, _ arguments: [String: String] = [:]) {
    self.level = level
    self.key = key
    self.arguments = arguments
  }
}
