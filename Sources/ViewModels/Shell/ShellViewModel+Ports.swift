import NatterCore

extension ShellViewModel {
  /// What the shell reads and changes, each as narrow as the use.
  package struct Ports {
    package let timeline: any TimelineReading
    package let history: (any HistoryFetching)?
    package let conversations: any ConversationStoring
    package let histories: any InputHistoryStoring
    package let roster: any RosterStoring
    package let rosterChanges: any RosterManaging
    package let presence: any PresenceReading
    package let ownPresence: any PresenceSetting
    package let connection: any ConnectionControlling
    package let sender: any MessageSending
    package let reading: any ConversationReading
    package let activity: (any ChatActivityReporting)?

    package init(
      timeline: any TimelineReading, conversations: any ConversationStoring,
      histories: any InputHistoryStoring, roster: any RosterStoring,
      rosterChanges: any RosterManaging, presence: any PresenceReading,
      ownPresence: any PresenceSetting, connection: any ConnectionControlling,
      sender: any MessageSending, history: (any HistoryFetching)? = nil,
      reading: (any ConversationReading)? = nil,
      activity: (any ChatActivityReporting)? = nil
    ) {
      self.reading = reading ?? conversations
      self.activity = activity
      self.history = history
      self.timeline = timeline
      self.conversations = conversations
      self.histories = histories
      self.roster = roster
      self.rosterChanges = rosterChanges
      self.presence = presence
      self.ownPresence = ownPresence
      self.connection = connection
      self.sender = sender
    }
  }
}
