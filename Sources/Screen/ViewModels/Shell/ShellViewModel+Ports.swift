import NatterCore

extension ShellViewModel {
  /// The ports that the shell and its commands need for rooms.
  package struct RoomPorts {
    package let reading: any RoomReading
    package let entering: any RoomEntering
    package let moderating: any RoomModerating
    package let owning: any RoomOwning
    package let inviting: any RoomInviting
    package let voices: any VoiceAsking

    package init(
      reading: any RoomReading, entering: any RoomEntering, moderating: any RoomModerating,
      owning: any RoomOwning, inviting: any RoomInviting, voices: any VoiceAsking
    ) {
      self.reading = reading
      self.entering = entering
      self.moderating = moderating
      self.owning = owning
      self.inviting = inviting
      self.voices = voices
    }
  }

  /// The ports that the shell and its sub-apps need for people beside the roster.
  package struct PeoplePorts {
    package let describing: any ContactDescribing
    package let blocking: any BlockListChanging
    package let commands: (any RemoteCommandRunning)?

    package init(
      describing: any ContactDescribing, blocking: any BlockListChanging,
      commands: (any RemoteCommandRunning)? = nil
    ) {
      self.describing = describing
      self.blocking = blocking
      self.commands = commands
    }
  }

  /// The ports of all that the shell reads and changes, each as narrow as the use.
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
    /// `nil` where nothing can be looked for.
    package let searching: (any MessageSearching)?
    /// `nil` where nothing can be said of other messages.
    package let relating: (any MessageRelating)?
    package let reading: any ConversationReading
    package let activity: (any ChatActivityReporting)?
    /// `nil` where there are no rooms.
    package let rooms: RoomPorts?
    /// `nil` if no details can be requested.
    package let people: PeoplePorts?
    /// `nil` where no files can be sent.
    package let files: FilePorts?
    /// `nil` where nothing is remembered.
    package let preferences: (any PreferenceStoring)?
    /// `nil` where history is neither exported nor imported.
    package var historyFiles: (any HistoryFiling)?
    /// `nil` where scripts do not run.
    package var scripts: ScriptCenter?

    package init(
      timeline: any TimelineReading, conversations: any ConversationStoring,
      histories: any InputHistoryStoring, roster: any RosterStoring,
      rosterChanges: any RosterManaging, presence: any PresenceReading,
      ownPresence: any PresenceSetting, connection: any ConnectionControlling,
      sender: any MessageSending, relating: (any MessageRelating)? = nil,
      searching: (any MessageSearching)? = nil, history: (any HistoryFetching)? = nil,
      reading: (any ConversationReading)? = nil, activity: (any ChatActivityReporting)? = nil,
      rooms: RoomPorts? = nil, people: PeoplePorts? = nil, files: FilePorts? = nil,
      preferences: (any PreferenceStoring)? = nil
    ) {
      self.preferences = preferences
      self.relating = relating
      self.searching = searching
      self.reading = reading ?? conversations
      self.activity = activity
      self.rooms = rooms
      self.people = people
      self.files = files
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
