import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The page of addresses to share: the own address, and invitations from the server (XEP-0401).
package final class InvitationsPage: CardPage {
  package let id = "invitations"
  package let rows = FilteredRows<String>()

  private let shell: ShellViewModel
  private let maker: any InvitationMaking
  private var invitations: [AccountInvitation] = []
  private var hasLoaded = false

  package init(shell: ShellViewModel, maker: any InvitationMaking) {
    self.shell = shell
    self.maker = maker
    shell.follow { [weak self] in
      if case .serverPartsChanged = $0, self?.hasLoaded == true { self?.load() }
    }
  }

  private var localizer: Localizer { shell.format.localizer }

  package func appeared() {
    hasLoaded = true
    show()
    load()
  }

  private func load() {
    shell.lifetime.inOrder { [weak self, maker] in
      do {
        let invitations = try await maker.invitations()
        self?.invitations = invitations
        self?.show()
      } catch {
        self?.shell.report(error)
      }
    }
  }

  private func show() {
    rows.load([own] + invitations.map(\.address)) { [weak self] in
      guard let card = self?.card($0) else { return "" }
      return "\(card.title) \(card.text)"
    }
  }

  /// The link with which others can add the user as a contact.
  private var own: String { ResourceAddress.xmpp(shell.format.account, query: "roster") }

  // MARK: - Content

  private func invitation(_ index: Int) -> AccountInvitation? {
    index == 0 ? nil : invitations[index - 1]
  }

  package func card(_ index: Int) -> CardItem {
    guard let invitation = invitation(index) else {
      return CardItem(title: localizer("discover.invite.own"), text: own)
    }
    return CardItem(
      title: localizer("discover.invite.\(invitation.kind.rawValue)"),
      note: invitation.expires.map { shell.format.shortMoment($0, now: shell.now()) } ?? "",
      text: ErrorText.oneLine(invitation.address))
  }

  package var headings: CardItem {
    CardItem(
      title: localizer("discover.invite.kind"), note: localizer("discover.invite.until"),
      text: localizer("discover.invite.address"))
  }

  package var headline: String { shell.format.account.description }
  package var count: String { localizer.plural("discover.invite.count", invitations.count) }
  package var emptyText: String { localizer("sidebar.noneMatch") }

  package var summary: [String] {
    guard let index = rows.selectedIndex else { return [] }
    guard let invitation = invitation(index) else {
      return [own, localizer("discover.invite.ownText")]
    }
    var lines = [ErrorText.oneLine(invitation.address)]
    if let page = invitation.page { lines.append(ErrorText.oneLine(page)) }
    if let expires = invitation.expires {
      lines.append(
        localizer(
          "discover.invite.untilText",
          ["time": shell.format.day(expires, now: shell.now()) + " " + shell.format.time(expires)]))
    }
    return lines
  }

  // MARK: - User input

  package var actions: Set<CardAction> { [.open, .add, .remove] }

  package func perform(_ action: CardAction) {
    switch action {
    case .open:
      guard let index = rows.selectedIndex else { return }
      shell.share(
        invitation(index).map { ErrorText.oneAddress($0.address) } ?? own,
        title: card(index).title)
    case .add: make()
    case .remove:
      guard let invitation = rows.selectedIndex.flatMap({ invitation($0) }) else { return }
      shell.perform(StatusNotice(.info, "status.discover.forgotten")) { [maker] in
        try await maker.forget(invitation)
      }
    default: break
    }
  }

  package func show(item: String) { rows.select(item) }

  /// Queries the kinds of invitations that the server offers, and requests one.
  private func make() {
    shell.perform(nil) { [weak self, maker] in
      let kinds = AccountInvitation.InvitationKind.allCases.filter(
        try await maker.invitationKinds().contains)
      guard let self else { return }
      guard !kinds.isEmpty else {
        return shell.show(StatusNotice(.info, "status.discover.noInvitations"))
      }
      guard kinds.count > 1 else { return make(kinds[0]) }
      shell.actions.choose(
        ChoiceRequest(
          title: localizer("discover.invite.title"),
          labels: kinds.map { localizer("discover.invite.\($0.rawValue)") }, selected: 0
        ) { [weak self] in
          if let index = $0 { self?.make(kinds[index]) }
        })
    }
  }

  private func make(_ kind: AccountInvitation.InvitationKind) {
    shell.perform(nil) { [weak self, maker] in
      let made = try await maker.makeInvitation(kind)
      self?.load()
      self?.shell.share(
        ErrorText.oneAddress(made.address),
        title: self?.localizer("discover.invite.\(kind.rawValue)") ?? "")
    }
  }
}
