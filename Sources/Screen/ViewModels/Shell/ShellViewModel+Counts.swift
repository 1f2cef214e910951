import Keys
import NatterCore
import Text
import XMPP

// Totals of the conversations: how much is unread, where, and who is typing.
extension ShellViewModel {
  /// `Natter (3) Bob`: for the terminal's title; with what is unread in the other accounts.
  package var title: String {
    let unread = sidebar.totalUnread + accounts.unreadElsewhere
    let parts = [format.localizer("app.name"), unread > 0 ? "(\(unread))" : "", header.shortTitle]
    return format.shown(parts.filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// Brings badges and title up to date with what is unread.
  func counted() {
    let (unread, asking) = (sidebar.totalUnread, sidebar.requests.count)
    tabBar.show(badge: unread == 0 ? "" : "\(unread)", on: .chats)
    tabBar.show(badge: asking == 0 ? "" : "\(asking)", on: .contacts)
    tabBar.show(badge: moving.isEmpty ? "" : "\(moving.count)", on: .files)
    if unread != shownUnread {
      shownUnread = unread
      onAccountState()
    }
    guard title != shownTitle else { return }
    shownTitle = title
    onTitle()
  }

  /// Takes the state of all accounts of this program, in their order.
  package func show(_ states: [AccountState]) {
    guard accounts.show(states) else { return }
    tabBar.show(
      color: accounts.color, number: accounts.number, elsewhere: accounts.badgeElsewhere)
    counted()
  }

  /// The state of this account.
  package var accountState: AccountState {
    AccountState(
      format.account, connection: connection.shown, unread: sidebar.totalUnread,
      isMentioned: sidebar.isMentioned)
  }

  func markRead(_ jid: JID) {
    lifetime.inOrder { [weak self, ports] in
      do {
        if let read = try await ports.reading.markRead(jid) {
          self?.handle(.conversationsChanged([read]))
        }
      } catch {
        self?.report(error)
      }
    }
  }

  func showTyping() {
    let jid = sidebar.active.flatMap { typingPeople.isTyping(in: $0) ? $0 : nil }
    status.show(
      typing: jid.map { format.localizer("status.typing", ["name": people.name(of: $0)]) } ?? "")
  }
}

extension ShellViewModel {
  /// The title of a page about the account: with its address, where there are several.
  func titled(_ title: String) -> String {
    accounts.number.isEmpty ? title : "\(title)  \(format.account)"
  }
}
