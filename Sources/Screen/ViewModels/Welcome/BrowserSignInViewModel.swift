import NatterCore
import Text
import XMPP

/// The sign-in with a browser: the page to open, the code to enter, and the wait until it is done
/// (RFC 8628, RFC 7636).
package final class BrowserSignInViewModel {
  package let form: FormViewModel
  private let signing: any BrowserSigning
  private let localizer: Localizer
  /// True if half blocks can be drawn, for a QR code.
  private let drawsBlocks: Bool
  /// True if this terminal is on another machine than the user's browser.
  private let isRemote: Bool
  private var attempt: SignInAttempt?
  private var step: BrowserStep?
  private var account: Account?
  private var remembersCredential = true

  /// Copies a text to the terminal's clipboard.
  package var copy: (String) -> CopyOutcome = { _ in .unavailable }
  /// Called when the server has accepted the account.
  package var onSignedIn: (Account) -> Void = { _ in }
  /// Called to return to the sign-in form, with the reason if there is one.
  package var onBack: (ConnectionProblem?) -> Void = { _ in }

  private enum ID {
    static let code = "code"
    static let copy = "copy"
    static let proceed = "continue"
    static let back = "back"
  }

  package init(
    signing: any BrowserSigning, localizer: Localizer, drawsBlocks: Bool, isRemote: Bool,
    invalidation: Invalidation = Invalidation()
  ) {
    self.signing = signing
    self.localizer = localizer
    self.drawsBlocks = drawsBlocks
    self.isRemote = isRemote
    form = FormViewModel(
      title: localizer("browser.title"), fields: [],
      keyHints: [localizer.wayOut("browser.keysBack"), localizer.hint("signin.keysQuit")],
      invalidation: invalidation)
    form.moreHint = localizer("dialog.keysMore")
    form.onPress = { [weak self] in self?.pressed($0) }
    form.onCancel = { [weak self] in self?.leave() }
  }

  /// Queries the server for the first step, shows it and waits.
  package func begin(_ account: Account, remembersCredential: Bool) {
    stop()
    self.account = account
    self.remembersCredential = remembersCredential
    show([])
    form.message = FormMessage(
      .progress, [SignInProgress.lookingUp(domain: account.jid.domain).sentence(localizer)])
    let signing = signing
    attempt = SignInAttempt(
      { _ in try await signing.begin(account) }, onProgress: { _ in },
      onEnd: { [weak self] (result: Result<BrowserStep, any Error>) in
        switch result {
        case .success(let step): self?.show(step)
        case .failure(let error): self?.fail(error)
        }
      })
  }

  /// Cancels the running attempt; no callback follows.
  package func stop() {
    attempt?.cancel()
    attempt = nil
    step = nil
  }

  // MARK: - Content

  private func show(_ step: BrowserStep) {
    self.step = step
    switch step {
    case .device(let request): show(deviceFields(request))
    case .page(let request): show(pageFields(request))
    }
    wait(pasted: nil)
  }

  private func show(_ fields: [FormField]) {
    form.replace(
      title: localizer("browser.title"),
      fields: fields + [
        FormField(.spacer, "space-end"),
        FormField(.button, ID.back, label: localizer("browser.back")),
      ], focus: fields.contains { $0.id == ID.code } ? ID.code : ID.back)
    form.defaultButton = fields.contains { $0.id == ID.code } ? ID.proceed : ID.back
  }

  private func deviceFields(_ request: DeviceRequest) -> [FormField] {
    let shown = ErrorText.oneLine(request.userCode)
    var fields = [
      FormField(.paragraph, "open", label: localizer("browser.open")),
      FormField(.drawing, "address", label: ErrorText.oneLine(request.address)),
      FormField(.spacer, "space-1"),
      FormField(.paragraph, "type", label: localizer("browser.type")),
      FormField(.drawing, "user-code", label: shown),
    ]
    if drawsBlocks, let code = QRCode(request.completeAddress ?? request.address) {
      fields += [FormField(.spacer, "space-2"), picture(code)]
    }
    return fields
  }

  private func picture(_ code: QRCode) -> FormField {
    var field = FormField(.code, "qr", label: code.lines.joined(separator: "\n"))
    field.hint = localizer("browser.scan")
    return field
  }

  private func pageFields(_ request: BrowserRequest) -> [FormField] {
    var fields: [FormField] = []
    if !isRemote {
      fields = [
        FormField(.paragraph, "open", label: localizer("browser.openHere")),
        FormField(.drawing, "address", label: request.entrance),
        FormField(.spacer, "space-1"),
      ]
    }
    var code = FormField(.text, ID.code, label: localizer("browser.code"))
    code.hint = localizer("browser.codeHint")
    // A mouse selection over several rows would include the box around them: hence the button.
    fields += [
      FormField(
        .paragraph, "elsewhere",
        label: localizer(isRemote ? "browser.openRemote" : "browser.openElsewhere")),
      FormField(.paragraph, "long", label: ErrorText.oneAddress(request.address)),
      FormField(.button, ID.copy, label: localizer("browser.copy")),
      FormField(.spacer, "space-2"), code,
      FormField(.button, ID.proceed, label: localizer("browser.continue")),
    ]
    if drawsBlocks, let code = QRCode(request.address) {
      fields += [FormField(.spacer, "space-3"), picture(code)]
    }
    return fields
  }

  // MARK: - Waiting

  private func wait(pasted: String?) {
    guard let step, let account else { return }
    attempt?.cancel()
    form.message = FormMessage(.progress, [localizer("browser.waiting")])
    let (signing, remembers) = (signing, remembersCredential)
    attempt = SignInAttempt(
      {
        try await signing.finish(
          step, pasted: pasted, account: account, remembersCredential: remembers, progress: $0)
      },
      onProgress: { [weak self, localizer] in
        self?.form.message = FormMessage(.progress, [$0.sentence(localizer)])
      },
      onEnd: { [weak self] (result: Result<Void, any Error>) in
        switch result {
        case .success:
          self?.stop()
          self?.onSignedIn(account)
        case .failure(let problem as ConnectionProblem)
        where pasted != nil && problem.kind == .codeRefused:
          self?.codeRefused()
        case .failure(let error): self?.fail(error)
        }
      })
  }

  private func codeRefused() {
    wait(pasted: nil)
    form.update(ID.code) { $0.error = localizer("browser.codeRefused") }
    form.focus(on: ID.code)
  }

  private func pressed(_ id: FormField.ID) {
    switch id {
    case ID.proceed:
      let text = form.text(of: ID.code)
      guard !text.isEmpty else { return }
      wait(pasted: text)
    case ID.copy:
      guard case .page(let request)? = step else { return }
      let isCopied = copy(ErrorText.oneAddress(request.address)) == .copied
      form.update(ID.copy) {
        $0.label = localizer(isCopied ? "browser.copied" : "browser.notCopied")
      }
    default: leave()
    }
  }

  private func leave() {
    stop()
    onBack(nil)
  }

  private func fail(_ error: any Error) {
    stop()
    switch error {
    case let problem as ConnectionProblem: onBack(problem)
    case is CancellationError: onBack(nil)
    default:
      let reported = NatterError(reporting: error, key: "error.unexpected")
      form.message = FormMessage(.error, [localizer(reported)])
    }
  }
}

extension ErrorText {
  /// Returns a web address unchanged, except for characters that could affect the terminal.
  nonisolated package static func oneAddress(_ text: String) -> String {
    String(
      text.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.prefix(4096).map(
        Character.init))
  }
}
