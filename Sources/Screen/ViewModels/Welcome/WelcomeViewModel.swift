import NatterCore
import XMPP

/// The screens before the shell: guide, sign-in and registration, and the navigation between them
/// (flows.md, "Start-up").
///
/// They all stay in memory as long as this object, so that no input is lost. The guide appears at
/// the first start; the others are created when the user opens them.
package final class WelcomeViewModel {
  /// The screens before the shell.
  package enum Step: Hashable, Sendable { case guide, signIn, register, browser }

  /// A single flag for whichever form is shown.
  package let invalidation: Invalidation
  package private(set) var step: Step { didSet { invalidation.raise() } }
  package let guide: OnboardingViewModel
  package private(set) lazy var signIn = connected(makeSignIn())
  package private(set) lazy var register = connected(makeRegister())
  package private(set) lazy var browser = makeBrowser().map { connected($0) }

  private let makeSignIn: () -> SignInViewModel
  private let makeRegister: () -> RegisterViewModel
  private let makeBrowser: () -> BrowserSignInViewModel?

  /// Called when the account is signed in: the shell follows.
  package var onSignedIn: (Account) -> Void = { _ in }
  /// Called when the user chooses the built-in server.
  package var onLocal: () -> Void = {}
  /// Called the first time that the user leaves the guide, so that it does not open by itself
  /// again.
  package var onGuideSeen: () -> Void = {}
  /// Called for Esc in the sign-in form: back to the shell, if there is one.
  package var onCancel: () -> Void = {}

  /// - Parameters:
  ///   - step: the first screen; the guide only at the first start.
  ///   - browser: `nil`: signing in with a browser is unavailable.
  ///   - invalidation: the one that all the forms share.
  package init(
    step: Step, guide: OnboardingViewModel, signIn: @autoclosure @escaping () -> SignInViewModel,
    register: @autoclosure @escaping () -> RegisterViewModel,
    browser: @autoclosure @escaping () -> BrowserSignInViewModel? = nil, invalidation: Invalidation
  ) {
    self.step = step
    self.guide = guide
    (makeSignIn, makeRegister, makeBrowser) = (signIn, register, browser)
    self.invalidation = invalidation
    guide.onExit = { [weak self] in self?.leaveGuide($0) }
  }

  private func connected(_ signIn: SignInViewModel) -> SignInViewModel {
    signIn.onSignedIn = { [weak self] in self?.onSignedIn($0) }
    signIn.onNewAccount = { [weak self] in self?.showRegistration($0) }
    signIn.onLocal = { [weak self] in self?.onLocal() }
    signIn.onCancel = { [weak self] in self?.onCancel() }
    signIn.onBrowser = { [weak self] account, remembers in
      self?.step = .browser
      self?.browser?.begin(account, remembersCredential: remembers)
    }
    return signIn
  }

  private func connected(_ browser: BrowserSignInViewModel) -> BrowserSignInViewModel {
    browser.onSignedIn = { [weak self] in self?.onSignedIn($0) }
    browser.onBack = { [weak self] problem in
      self?.step = .signIn
      if let problem { self?.signIn.show(problem) }
    }
    return browser
  }

  private func connected(_ register: RegisterViewModel) -> RegisterViewModel {
    register.onSignedIn = { [weak self] in self?.onSignedIn($0) }
    register.onMade = { [weak self] request, reason in
      self?.step = .signIn
      self?.signIn.showMade(request, because: reason)
    }
    register.onBack = { [weak self] in self?.step = .signIn }
    return register
  }

  /// The form on the screen.
  package var form: FormViewModel {
    switch step {
    case .guide: guide.form
    case .signIn: signIn.form
    case .register: register.form
    case .browser: browser?.form ?? signIn.form
    }
  }

  /// Shows the sign-in form, with the reason if there is one.
  package func showSignIn(because problem: ConnectionProblem? = nil, address: JID? = nil) {
    step = .signIn
    if let address { signIn.prefill(address) }
    if let problem { signIn.show(problem) }
  }

  /// Restarts the guide from its first page.
  package func showGuide() {
    guide.restart()
    step = .guide
  }

  private func showRegistration(_ typed: String) {
    register.prefill(typed)
    step = .register
  }

  private func leaveGuide(_ exit: OnboardingViewModel.Exit) {
    onGuideSeen()
    switch exit {
    case .signIn: step = .signIn
    case .newAccount: showRegistration("")
    case .chats: onCancel()
    case .local:
      step = .signIn
      onLocal()
    }
  }
}
