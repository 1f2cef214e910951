import Diagnostics
import FileService
import NatterCore
import Panes
import SessionService
import Text
import ViewModels
import XMPP

// Leaving an account: what becomes of its secret and of its messages.
extension FullScreen {
  /// Asks what becomes of the messages, then signs out.
  func askToSignOut() {
    guard let screen = accountScreen else { return }
    begin { [weak self] in
      let uploads = await screen.services.files.transfers(in: nil).filter {
        guard $0.direction == .upload else { return false }
        return switch $0.state {
        case .waiting, .running, .paused: true
        case .done, .failed: false
        }
      }
      // Another one may be shown by now.
      guard let self, accountScreen === screen else { return }
      ask(toSignOutOf: screen.services.account, uploads: uploads)
    }
  }

  private func ask(toSignOutOf account: Account, uploads: [FileTransfer]) {
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let address = ["address": account.jid.description]
    let model = DialogViewModel(
      Dialog(
        title: localizer("signout.title"), level: .question,
        lines: [.text(localizer("signout.question", address))]
          + (uploads.isEmpty ? [] : [.text(localizer.plural("signout.uploads", uploads.count))])
          + [.text(localizer("signout.data"))],
        buttons: [
          .init("stay", localizer("signout.stay")),
          .init("keep", localizer("signout.keep"), compact: localizer("signout.keepShort")),
          .init("delete", localizer("signout.delete"), compact: localizer("signout.deleteShort")),
        ], safe: "stay"),
      onPress: { [weak self] button in
        close()
        guard button != "stay" else { return }
        self?.begin { await self?.signOut(deletingData: button == "delete") }
      },
      onCancel: close)
    let dialog = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
    pane = dialog
    coordinator?.present(dialog)
  }

  /// Another program signs out of an account and deletes its secret: it is closed here as well,
  /// with unfinished input kept as a draft.
  func signedOutElsewhere(of jid: JID) async {
    await context.credentials.forget(jid)
    guard let screen = screen(of: jid) else { return }
    let wasShown = isShown(jid)
    // The rest of an unfinished line must not go to another account.
    var wasTyping = wasShown && !screen.shell.input.text.isEmpty
    if wasShown {
      // An overlay that waited for another one opens instead of it.
      while let overlay = coordinator?.openOverlays.last(where: { $0 !== welcome?.pane }) {
        wasTyping = true
        overlay.dismiss()
        coordinator?.remove(overlay)
      }
    }
    if let form = welcome, form.account == jid.bare {
      coordinator?.remove(form.pane)
      welcome = nil
    }
    let reported = StatusNotice(.info, "status.signedOut", ["account": jid.bare.description])
    let isAnotherShown = unseat(screen)
    if wasShown {
      // Input that waits for a conversation of this account is dropped.
      screen.shell.openings.onChange = { _ in }
      gate.forget()
    }
    if isAnotherShown {
      // Keys count for the one that is seen, also while the other is being closed.
      accountScreen?.shell.show(reported)
      if wasTyping, welcome == nil, !pause.isQuiet {
        gate.drop()
        pause.whenQuiet { [weak self] in self?.gate.stopDropping() }
      }
      await screen.close()
    } else {
      // Keys have no destination, except for a form that is being filled in.
      if welcome == nil { gate.hold() }
      await screen.close()
      coordinator?.show(nil)
      // A form that is being filled in stays.
      if welcome == nil { showWelcome(.signIn, account: screen.account) }
      welcome?.model.signIn.form.message = FormMessage(
        .info, [localizer(reported.key, reported.arguments)])
      letInputIn(replaying: false)
    }
  }

  /// Signs out even if the secret cannot be removed; then the reason and a remedy are shown.
  /// - Parameter isDeleted: whether the account is no more on its server.
  func signOut(deletingData: Bool, isDeleted: Bool = false) async {
    guard let screen = accountScreen else { return }
    let account = screen.account
    let isAnotherShown = await leave(screen)
    var (left, isStillGood) = await context.signedOut(of: account.jid)
    // With the account its tokens are gone.
    if isDeleted { isStillGood = nil }
    if !left.isEmpty {
      // With its secret still there it would be signed in to at the next start.
      var resting = account
      resting.signsInAtStart = false
      do { try await context.accounts.save(resting) } catch {
        left.append(context.accountLeft(account.jid, because: error))
      }
    }
    if isDeleted {
      do { try await context.accounts.remove(account.jid) } catch {
        left.append(context.accountLeft(account.jid, because: error))
      }
    }
    if deletingData {
      do { try await context.deleteData(of: account.jid) } catch {
        context.log.error("deleting what is kept: \(error)")
        left.append(context.dataLeft(of: account.jid))
      }
    }
    guard !isAnotherShown else {
      accountScreen?.shell.show(
        (left.first ?? isStillGood).map { StatusNotice(.warning, $0.key, $0.arguments) }
          ?? StatusNotice(
            .info, isDeleted ? "status.accountDeleted" : "status.signedOut",
            ["account": account.jid.description]))
      return
    }
    coordinator?.show(nil)
    showWelcome(.signIn, account: isDeleted ? nil : account)
    if isDeleted {
      welcome?.model.signIn.showDeleted(account.jid, messagesKept: !deletingData)
    }
    left += isStillGood.map { [$0] } ?? []
    if !left.isEmpty {
      welcome?.model.signIn.form.message = FormMessage(.error, left.map { localizer($0) })
    }
  }
}
