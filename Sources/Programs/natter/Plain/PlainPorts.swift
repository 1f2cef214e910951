import NatterCore
import ViewModels
import XMPP

/// The services that line mode uses.
struct PlainPorts {
  let timeline: any TimelineReading
  let searching: any MessageSearching
  let conversations: any ConversationStoring
  let roster: any RosterStoring
  let preferences: any PreferenceStoring
  let sending: any MessageSending
  let relating: any MessageRelating
  let people: any RosterManaging
  var blocking: any BlockListChanging
  let presence: any PresenceReading & PresenceSetting
  let connection: any ConnectionControlling
  let reading: any ConversationReading
  var rooms: any RoomReading & RoomEntering & RoomModerating & RoomInviting & VoiceAsking
  var history: any HistoryFetching
  var files: any FileSharing
  var paths: PlainPaths
  /// Signs in again with a password, and connects; `nil`: the account has no password.
  var signIn: ((_ password: String, _ acceptsWeaker: Bool) async throws -> Void)?
  /// Has the terminal hide what is typed, or show it again.
  var hidesInput: (Bool) -> Void = { _ in }
  var notifications = PlainNotifications()
  var extras = PlainExtras()
}

/// What line mode can do only where the program offers it.
struct PlainExtras {
  /// `nil`: history is neither exported nor imported.
  var historyFiles: (any HistoryFiling)?
  /// `nil`: scripts do not run in this process.
  var scripts: (any ScriptManaging)?
}

/// The notification rules of conversations, for the full screen and the account's other clients:
/// line mode itself notifies of nothing.
struct PlainNotifications {
  var rules = ConversationNotifications()
  /// Stores a rule that another client of the account chose.
  var take: (NotificationRule, JID) -> Void = { _, _ in }
}

/// Paths of files that the user types, and what opens them.
struct PlainPaths {
  /// Returns the absolute path of what was typed.
  let absolute: (String) -> String
  /// Returns `true` if there is a file at an absolute path.
  let isFile: (String) -> Bool
  /// Returns `true` if a file may run commands when it is opened.
  var mayRun: (String) async -> Bool = { _ in false }
  /// Opens a file in the program for it; the closure receives an error if that fails.
  var open: (String, @escaping @MainActor @Sendable (NatterError) -> Void) throws -> Void = {
    _, _ in
  }
}
