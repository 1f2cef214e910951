import Keys
import Terminal
import ViewModels

/// Creates the sub-app Chats: the list of conversations, the open one, and its details beside it.
package struct ChatsFactory: SubAppFactory {
  package static let tab = SubAppTab.chats
  package let accent = StyleRole.key
  /// Indicates whether the list is shown beside a conversation by default.
  private let showsSidebar: Bool

  /// The actions on conversations, messages and the input, including those with global keys.
  static let own: Set<KeyAction> = {
    let bound: Set<KeyAction> = [
      .toggleSidebar, .toggleDetails, .plainView, .hideConversation, .undoList, .find,
      .replyMessage,
      .editMessage, .links, .pickEmoji, .splitBeside, .splitStacked, .otherConversation,
      .growConversation, .shrinkConversation, .pin, .moveUp, .moveDown,
    ]
    return bound.union(
      KeyAction.allCases.filter { action in
        let contexts = Set(action.contexts)
        return !contexts.isDisjoint(with: [.input, .messages])
          && contexts.isDisjoint(with: [.everywhere, .editing])
      })
  }()
  package var actions: Set<KeyAction> { Self.own }

  package init(showsSidebar: Bool = true) { self.showsSidebar = showsSidebar }

  package func makeSubApp(in frame: ShellFrame) -> any SubApp { makeChats(in: frame) }

  /// The same with its concrete type, for the desktop.
  func makeChats(in frame: ShellFrame) -> ChatsScreen {
    let (shell, glyphs) = (frame.shell, frame.glyphs)
    let model = PersonViewModel(shell: shell)
    return ChatsScreen(
      frame: frame,
      parts: ChatsScreen.Parts(
        sidebar: SidebarPane(viewModel: shell.sidebar, glyphs: glyphs),
        accounts: AccountListPane(viewModel: shell.accounts, glyphs: glyphs),
        conversation: ConversationPanes(shell.current, frame: frame),
        members: MembersPane(viewModel: shell.members, glyphs: glyphs), personModel: model,
        person: PersonPane(viewModel: model, frame: frame)),
      showsSidebar: showsSidebar)
  }
}
