import Terminal
import ViewModels

/// Makes the sub-app Chats: the list of conversations, the one that is open, and what there is to tell of it beside it.
package struct ChatsFactory: SubAppFactory {
  package static let tab = SubAppTab.chats
  package let accent = StyleRole.key
  /// Whether the list is shown beside a conversation until the person says otherwise.
  private let showsSidebar: Bool

  /// What is done to conversations, messages and what is typed for them, also where its keys hold everywhere.
  static let own: Set<KeyAction> = {
    let bound: Set<KeyAction> = [
      .toggleSidebar, .toggleDetails, .plainView, .hideConversation, .undoList, .find,
      .replyMessage,
      .editMessage, .links, .pickEmoji, .splitBeside, .splitStacked, .otherConversation,
      .growConversation, .shrinkConversation, .pin, .moveUp, .moveDown,
    ]
    return bound.union(
      KeyAction.allCases.filter { action in
        let places = Set(action.contexts)
        return !places.isDisjoint(with: [.input, .messages])
          && places.isDisjoint(with: [.everywhere, .editing])
      })
  }()
  package var actions: Set<KeyAction> { Self.own }

  package init(showsSidebar: Bool = true) { self.showsSidebar = showsSidebar }

  package func makeSubApp(in frame: ShellFrame) -> any SubApp { makeChats(in: frame) }

  /// The same, for whoever has more to do with it than with any other sub-app.
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
