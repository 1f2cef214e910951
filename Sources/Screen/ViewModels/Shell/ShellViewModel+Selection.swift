import NatterCore

// Actions on the selected row of the list.
extension ShellViewModel {
  /// Does what Enter does on the sidebar's selected row.
  package func openSelection() {
    guard let item = sidebar.items.first(where: \.isSelected) else { return }
    guard let jid = item.jid else { return openFeed(item.id) }
    if case .request = item.id { return approve(jid) }
    if case .invitation = item.id {
      if let invitation = sidebar.invitation(to: jid) { accept(invitation) }
      return
    }
    if case .voice = item.id { return answer(voice: jid, isAllowed: true) }
    sidebar.endFilter()
    open(jid)
  }

  /// Does what Del does on the sidebar's selected row.
  package func removeSelection() {
    guard let item = sidebar.items.first(where: \.isSelected) else { return }
    if case .feed(let id) = item.id { return unfollow(id, called: item.name) }
    guard let jid = item.jid else { return }
    switch item.id {
    case .request: deny(jid)
    case .invitation: if let invitation = sidebar.invitation(to: jid) { decline(invitation) }
    case .voice: answer(voice: jid, isAllowed: false)
    case .conversation: close(jid)
    case .contact: removeContact(jid)
    case .section, .hint, .feed: break
    }
  }
}
