import Configuration
import ConnectionService
import DiscoverService
import FileService
import MessagingService
import NatterCore
import PeopleService
import RoomService
import Storage
import Text
import ViewModels

extension ShellViewModel.Ports {
  /// The services of one account, each as narrow as the shell uses it.
  init(
    _ services: AccountServices, _ settings: SettingsStore, _ format: ItemFormat,
    files: UserFiles, scripts: ScriptScreen
  ) {
    // The names that are replaced on sending.
    let emoji = format.emojiNames
    let sender = EmojiSender(services.outbox) { settings.current.ui.sendsEmoji ? emoji : nil }
    self.init(
      timeline: services.database.timeline, conversations: services.database.conversations,
      histories: services.database.conversations, roster: services.database.roster,
      rosterChanges: services.roster, presence: services.presence,
      ownPresence: services.presence, connection: services.connection, sender: sender,
      relating: sender, searching: services.database.search,
      history: services.history, reading: services.readState, activity: services.chatStates,
      rooms: .init(
        reading: services.rooms, entering: services.rooms, moderating: services.rooms,
        owning: services.rooms, inviting: services.rooms,
        voices: services.rooms),
      people: .init(
        describing: services.contactCards, blocking: services.blockList,
        commands: services.commander),
      files: files.ports(
        services.files, FileHistory(store: services.database.transfers)),
      preferences: services.database.settings)
    self.scripts = scripts.center
    historyFiles = self.files.map {
      AccountHistoryFiles(services, format: format, folder: $0.folder)
    }
  }
}

extension DiscoverPorts {
  /// The ports of Discover, from the services of one account.
  init(_ services: AccountServices) {
    self.init(
      rooms: services.publicRooms, parts: services.guide, invitations: services.guide,
      feeds: services.feeds, events: services.events)
  }
}
