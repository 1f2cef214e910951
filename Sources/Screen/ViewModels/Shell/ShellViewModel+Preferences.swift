import Keys
import NatterCore
import XMPP

/// The keys of what is remembered for an account.
nonisolated package enum PreferenceKey {
  /// The numbers and the user's order of conversations (`SidebarArrangement.text`).
  package static let order = "sidebar.order"
  /// The columns of the list of conversations on screens of each class of widths.
  package static let sidebarWidth = "sidebar.width"
  /// The same of the list at the side of another sub-app; its name comes first.
  package static func width(of subApp: SubAppID) -> String { "\(subApp.rawValue).width" }
  /// The order of the contacts: `name`; nothing if the reachable ones come first.
  package static let contactOrder = "contacts.order"
  /// The conversation that was shown last.
  package static let shown = "chats.shown"
  /// The last split of the screen (`SavedSplit.text`).
  package static let split = "chats.split"
  /// The share of the first of two conversations, in thousandths of the room.
  package static let splitShare = "chats.splitShare"
  /// The emoji that were picked last (`RecentChoices.text`).
  package static let emoji = "emoji.recent"
  /// The entries that were chosen in the palette (`RecentChoices.text`).
  package static let palette = "palette.recent"
  /// The folder that the last files to be sent were chosen from.
  package static let folder = "files.folder"
  /// Present if the notice how to select text with the mouse was shown.
  package static let selecting = "mouse.selecting"
  /// The pinned messages of a conversation, by their ids.
  package static func pins(of jid: JID) -> String { "pins.\(jid)" }
}

// State of the screens that is kept over restarts, and the user's order of the conversations.
extension ShellViewModel {
  /// Has `read` called with what was remembered from the last time, before anything is shown.
  package func readPreferences(_ read: @escaping ([String: String]) -> Void) {
    preferenceReaders.append(read)
  }

  /// Calls `read` with the value kept for `key`: for parts that are created when they are opened.
  package func recall(_ key: String, _ read: @escaping (String?) -> Void) {
    guard let preferences = ports.preferences else { return }
    lifetime.inOrder { [weak self] in
      do { read(try await preferences.values()[key]) } catch { self?.report(error) }
    }
  }

  /// Has the order of the list kept.
  func keepSidebar() {
    arrangements.shell = self
    sidebar.onArrange = { [arrangements] in arrangements.keep($0) }
    actions.notifications.onChange = { [weak self] in
      guard let self else { return }
      sidebar.refresh()
      for slot in slots { slot.header.invalidation.raise() }
      counted()
    }
  }

  /// Keeps a value for the next start; `nil` forgets it.
  package func remember(_ value: String?, as key: String) {
    guard let preferences = ports.preferences else { return }
    lifetime.inOrder { [weak self] in
      do { try await preferences.setValue(value, for: key) } catch { self?.report(error) }
    }
  }

  /// The conversation that an action on the list is for: the selected row's if the list has the
  /// focus, else the one that is open.
  var meant: JID? {
    guard sidebar.isFocused else { return activeConversation }
    guard case .conversation(let jid) = sidebar.selection else { return nil }
    return jid
  }
}
