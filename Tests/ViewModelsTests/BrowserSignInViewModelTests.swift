import Foundation
import NatterCore
import Testing
import Text
import XMPP

@testable import ViewModels

/// The address to open in a browser, on this screen.
@Suite struct BrowserSignInViewModelTests {
  private struct Signing: BrowserSigning {
    let step: BrowserStep

    func begin(_ account: Account) async throws -> BrowserStep { step }
    func finish(
      _ step: BrowserStep, pasted: String?, account: Account, remembersCredential: Bool,
      progress: @escaping @Sendable (SignInProgress) -> Void
    ) async throws {
      await Gate().wait()
    }
  }

  private static let login = HTTPLogin(tokenEndpoint: "https://a.example/t", grants: [], scope: "x")

  private func model(_ step: BrowserStep) async -> BrowserSignInViewModel {
    let model = BrowserSignInViewModel(
      signing: Signing(step: step), localizer: formTexts(), drawsBlocks: true, isRemote: true)
    model.begin(
      Account(jid: JID(local: "alice", domain: "a.example")), remembersCredential: true)
    #expect(await becomes { model.form.fields.count > 3 })
    return model
  }

  @Test func `a code to be scanned has its title with it, and goes with it`() async {
    let model = await model(
      .device(
        DeviceRequest(
          address: "https://a.example/d", completeAddress: nil, userCode: "ABCD",
          deviceCode: "d", deadline: .now + .seconds(600),
          interval: .seconds(5), login: Self.login)))
    let picture = model.form.fields.first { $0.kind == .code }
    #expect(picture?.hint == formTexts()("browser.scan"))
    #expect(!model.form.moreHint.isEmpty)
    model.stop()
  }

  @Test func `a long address can be copied, and what comes back has the focus`() async {
    let address = "https://a.example/authorize?" + String(repeating: "x", count: 300)
    let model = await model(
      .page(
        BrowserRequest(
          address: address, redirect: "http://127.0.0.1:1/", verifier: "v", state: "s",
          login: Self.login)))
    var copied: [String] = []
    model.copy = {
      copied.append($0)
      return copied.count == 1 ? .copied : .unavailable
    }
    #expect(model.form.focus == "code")
    model.form.press("copy")
    #expect(copied == [address])
    #expect(model.form["copy"]?.label == formTexts()("browser.copied"))
    model.form.press("copy")
    #expect(model.form["copy"]?.label == formTexts()("browser.notCopied"))
    model.stop()
  }
}
