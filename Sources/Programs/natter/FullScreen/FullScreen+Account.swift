import ConnectionService
import Diagnostics
import FoundationEssentials
import NatterCore
import SessionService
import ViewModels
import XMPP

// Changes of the account on its server.
extension FullScreen {
  var registration: AccountRegistration? {
    guard let services = accountScreen?.services else { return nil }
    return AccountRegistration(
      account: services.account, channel: services.connection,
      credentials: context.credentials, probe: context.connector,
      remove: { [connection = services.connection] in try await connection.requestRemoval($0) })
  }

  func changePassword() {
    guard let registration, let account = accountScreen?.services.account else { return }
    let model = PasswordChangeViewModel(
      account: registration, address: account.jid.description, localizer: localizer)
    model.close = present(model.form)
  }

  /// The second of two questions: the address has to be typed.
  func deleteAccount() {
    guard let registration, let account = accountScreen?.services.account else { return }
    let model = AccountDeletionViewModel(
      account: registration, address: account.jid.description, localizer: localizer)
    model.onDeleted = { [weak self] deletesData in
      self?.begin { await self?.signOut(deletingData: deletesData, isDeleted: true) }
    }
    model.close = present(model.form)
  }
}
