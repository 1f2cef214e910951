import NatterCore
import Testing
import Text

@testable import ViewModels

/// Forms that change an account on its server: what the server has done counts, whatever comes
/// after it.
@Suite struct AccountFormsTests {
  private struct Server: AccountChanging {
    var left: NatterError?
    var gate = Gate()

    func changePassword(to password: String) async throws -> NatterError? {
      await gate.wait()
      return left
    }
    func deleteAccount() async throws { await gate.wait() }
    func supportAddresses() async throws -> [String] { [] }
  }

  private let localizer = formTexts()

  private func form(_ server: Server) -> FormViewModel {
    let model = PasswordChangeViewModel(
      account: server, address: "alice@example.org", localizer: localizer)
    model.form.fill("password", "new")
    model.form.fill("again", "new")
    model.form.press("change")
    return model.form
  }

  @Test func `a password that is changed and could not be kept here is reported as such`() async {
    let server = Server(left: NatterError(.storage, "error.storage.write"))
    let form = form(server)
    server.gate.open()
    #expect(await becomes { !form.isBusy })
    let lines = form.fields.filter { $0.kind == .paragraph }.map(\.label)
    #expect(lines.first == localizer("account.passwordChanged"))
    #expect(lines.last?.contains(localizer("error.storage.write")) == true, "\(lines)")
    #expect(form.message == nil)
  }

  @Test func `esc does not take away a form whose question is on its way`() async {
    let server = Server()
    let model = PasswordChangeViewModel(
      account: server, address: "alice@example.org", localizer: localizer)
    var isClosed = false
    model.close = { isClosed = true }
    model.form.fill("password", "new")
    model.form.fill("again", "new")
    model.form.press("change")
    model.form.cancel()
    #expect(!isClosed)
    server.gate.open()
    #expect(await becomes { !model.form.isBusy })
    model.form.cancel()
    #expect(isClosed)
  }
}
