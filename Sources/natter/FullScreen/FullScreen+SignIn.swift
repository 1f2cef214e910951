import ConnectionService
import Diagnostics
import FoundationEssentials
import NatterCore
import Panes
import SessionService
import ViewModels
import XMPP

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
        signing: signing, localizer: localizer, account: account, offersBrowser: true,
        resolveFile: resolveFile, invalidation: invalidation),
      register: RegisterViewModel(
        signing: signing, localizer: localizer, account: account, resolveFile: resolveFile,
        invalidation: invalidation),
      browser: BrowserSignInViewModel(
        signing: context.browserSignIn, localizer: localizer,
        drawsBlocks: context.usesUnicodeGlyphs,
        isRemote: context.environment["SSH_CONNECTION"]?.isEmpty == false,
        invalidation: invalidation),
      invalidation: invalidation)
    model.onSignedIn = { [weak self] account in self?.begin { await self?.signedIn(account) } }
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

  /// Goes on where the person was in this account, drafts and place as they were; another account is opened beside those
  /// there are.
  func signedIn(_ account: Account) async {
    if let screen = screen(of: account.jid) {
      if screen.account.isSamePlace(as: account) {
        leaveWelcome()
        screen.awaitsConnection = true
        screen.refusal = nil
        if !isShown(account.jid) { show(screen) }
        await screen.services.connection.connectNow()
        return
      }
      // Reached in another way from here on.
      leaveWelcome()
      if await !leave(screen) { coordinator?.show(nil) }
    }
    await open(account)
  }
}

extension Account {
  /// Whether both are the same account, reached in the same way.
  fileprivate nonisolated func isSamePlace(as other: Account) -> Bool {
    jid.bare == other.jid.bare && server == other.server && port == other.port
      && security == other.security && caFile == other.caFile
  }
}
