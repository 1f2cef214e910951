import Keys
import Terminal
import Text
import ViewModels

/// Creates the sub-app Contacts: the roster by group, and the details of the selected contact.
package struct ContactsFactory: SubAppFactory {
  package static let tab = SubAppTab(.contacts, position: 2)
  package let accent = StyleRole.nick1

  package var actions: Set<KeyAction> { ContactListPane.actions }

  package init() {}

  package func makeSubApp(in frame: ShellFrame) -> any SubApp {
    let contacts = ContactsViewModel(shell: frame.shell)
    let list = ContactListPane(viewModel: contacts, frame: frame)
    let details = DetailPane(
      frame: frame, accent: accent, invalidation: contacts.detailInvalidation,
      keyTexts: "card", hintedActions: [.selectNext, .open],
      accepts: { list.acceptedActions?.subtracting([.selectLast]) ?? [] },
      act: { action in
        guard action == .open, contacts.selected != nil else { return list.perform(action) }
        contacts.chooseAction()
        return .handled
      },
      picture: { contacts.picture },
      read: {
        contacts.selected == nil
          ? ("", [], frame.localizer("contacts.noneSelected"))
          : (contacts.title, contacts.details, frame.localizer("contacts.keys"))
      })
    details.onFocus = { contacts.look() }
    let subApp = PanedSubApp(
      frame: frame,
      parts: PanedSubApp.Parts(
        sidebar: list, widthKey: PreferenceKey.width(of: tab.id),
        sidebarColumns: { $0 >= 100 ? 52 : $0 / 2 }, content: { details }))
    subApp.onShow = { _, item in contacts.show(item) }
    list.onDetails = { [weak subApp] in subApp?.showContent() }
    return subApp
  }
}
