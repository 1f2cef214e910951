import API
import ConnectionService
import Diagnostics
import FoundationEssentials
import NatterCore
import Panes
import SessionService
import ViewModels
import XMPP

// Leaving an account: what becomes of its secret and of its messages.
extension FullScreen {
  /// Asks what becomes of the messages, then signs out.
  func askToSignOut() {
    guard let account = accountScreen?.services.account else { return }
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let address = ["address": account.jid.description]
    let model = DialogViewModel(
      Dialog(
        title: localizer("signout.title"), level: .question,
        lines: [.text(localizer("signout.question", address)), .text(localizer("signout.data"))],
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

  func signOut(deletingData: Bool) async {
    guard let screen = accountScreen else { return }
    let account = screen.account
    let isAnotherShown = await leave(screen)
    do {
      try await context.signedOut(of: account.jid)
      if deletingData { try context.deleteData(of: account.jid) }
    } catch {
      context.log.error("signing out: \(error)")
    }
    guard !isAnotherShown else {
      accountScreen?.shell.show(
        Notice(.info, "status.signedOut", ["account": account.jid.description]))
      return
    }
    coordinator?.show(nil)
    showWelcome(.signIn, account: account)
  }
}

extension LaunchContext {
  /// Withdraws the account's tokens where the server can, and forgets its secret. A server that cannot be reached keeps nobody
  /// from signing out: a token then lasts until its time is over.
  func signedOut(of jid: JID) async throws {
    let credential = try await credentials.credential(for: jid)
    let account = try await accounts.accounts().first { $0.jid.bare == jid.bare }
    try await credentials.removeCredential(for: jid)
    guard credential?.token != nil || credential?.returning != nil else { return }
    let (tokens, connector) = (tokens, connector)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [log] in
        if let token = credential?.token {
          do { try await tokens.revoke(token) } catch {
            log.warning("the token was not withdrawn: \(error)")
          }
        }
        if let token = credential?.returning, let account, !account.isLocal {
          do { try await connector.withdraw(token, of: account) } catch {
            log.warning("the token for coming back was not withdrawn: \(error)")
          }
        }
      }
      group.addTask { try? await Task.sleep(for: .seconds(5)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Deletes what is kept of an account on this machine: its messages and everything else in its database. Nothing may have it
  /// open.
  /// - Throws: the system's error when a file is there and cannot be deleted.
  func deleteData(of account: JID) throws {
    let file = databaseFile(of: account).path
    for name in [file, file + "-wal", file + "-shm", file + ".lock"]
    where FileManager.default.fileExists(atPath: name) {
      try FileManager.default.removeItem(atPath: name)
    }
  }
}
