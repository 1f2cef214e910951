import Diagnostics
import FoundationEssentials
import NatterCore
import Panes
import SessionService
import ViewModels

// Guide, sign-in and registration, and the way back from an account to them.
extension FullScreen {
  func showWelcome(_ step: WelcomeViewModel.Step, account: Account?) {
    if let welcome {
      coordinator?.remove(welcome.pane)
      self.welcome = nil
    }
    let invalidation = Invalidation()
    let resolveFile: (String) -> String? = { text in
      let path = Paths.expandingTilde(in: text)
      return FileManager.default.isReadableFile(atPath: path) ? path : nil
    }
    let signing = SessionSigning(
      over: context.signIn, sessions: context.credentials)
    let model = WelcomeViewModel(
      step: step,
      guide: OnboardingViewModel(
        localizer: localizer,
        practices: WelcomePane.practices(
          bindings: bindings, localizer: localizer),
        themes: [], dataDirectory: context.paths.data.path, offersLocal: true,
        isReview: accountScreen != nil,
        invalidation: invalidation),
      signIn: SignInViewModel(
        signing: signing, localizer: localizer, account: account, resolveFile: resolveFile,
        invalidation: invalidation),
      register: RegisterViewModel(
        signing: signing, localizer: localizer, account: account, resolveFile: resolveFile,
        invalidation: invalidation),
      invalidation: invalidation)
    model.onSignedIn = { [weak self] account in self?.begin { await self?.switchTo(account) } }
    model.onLocal = { [weak self] in
      self?.begin {
        do { try await self?.openLocal() } catch { self?.showFailure(error) }
      }
    }
    model.onGuideSeen = { [weak self] in self?.context.rememberGuideWasSeen() }
    model.onCancel = { [weak self] in self?.leaveWelcome() }
    let pane = WelcomePane.make(viewModel: model, glyphs: glyphs, localizer: localizer)
    welcome = (model, pane)
    coordinator?.present(pane)
  }

  /// Esc in the form: back to the shell, where there is one.
  func leaveWelcome() {
    guard accountScreen != nil, let welcome else { return }
    coordinator?.remove(welcome.pane)
    self.welcome = nil
  }

  func switchTo(_ account: Account) async {
    await accountScreen?.close()
    accountScreen = nil
    coordinator?.show(nil)
    await open(account)
  }

  func signOut() async {
    guard let account = accountScreen?.services.account else { return }
    await accountScreen?.close()
    accountScreen = nil
    do { try await context.credentials.removeCredential(for: account.jid) } catch {
      context.log.error("removing a credential failed: \(error)")
    }
    coordinator?.show(nil)
    showWelcome(.signIn, account: account)
  }
}
