import Glibc
import NatterCore
import SessionService
import Terminal
import Text
import ViewModels

extension AccountCommands {
  /// Signs in with a browser, here or on another machine: by a code that is entered there
  /// (RFC 8628), or by a page that sends a code back (RFC 7636). The instructions go to standard
  /// error, the result to standard output.
  func loginWithBrowser(_ account: Account) async throws {
    let signIn = context.browserSignIn(context.signIn())
    let step = try await signIn.begin(account)
    var pasted: String?
    switch step {
    case .device(let request):
      show("cli.login-device", address: request.address, code: request.userCode)
      if let address = request.completeAddress { draw(address) }
      StandardStreams.printError(context.localizer("cli.login-waiting"))
    case .page(let request):
      show("cli.login-page", address: request.address)
      // A browser on another machine cannot redirect to this one.
      if context.environment["SSH_CONNECTION"]?.isEmpty == false, isatty(STDIN_FILENO) != 0 {
        pasted = askForCode()
      } else {
        StandardStreams.printError(context.localizer("cli.login-waiting"))
      }
    }
    while true {
      do {
        return try await signIn.finish(
          step, pasted: pasted, account: account, remembersCredential: true, progress: { _ in })
      } catch let problem as ConnectionProblem where problem.kind == .codeRefused && pasted != nil {
        StandardStreams.printError(context.localizer("browser.codeRefused"))
        pasted = askForCode()
        guard pasted != nil else { throw problem }
      }
    }
  }

  /// - Returns: `nil` at the end of the input.
  private func askForCode() -> String? {
    StandardStreams.write(context.localizer("cli.login-paste"), to: STDERR_FILENO)
    return readLine()
  }

  private func show(_ key: String, address: String, code: String = "") {
    let text = context.localizer(
      key, ["address": ErrorText.oneAddress(address), "code": SafeText.line(code)])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      StandardStreams.printError(String(line))
    }
  }

  /// Prints the address as a QR code for a phone, on a terminal that can show it.
  private func draw(_ address: String) {
    guard isatty(STDERR_FILENO) != 0, context.usesUnicodeGlyphs,
      StandardStreams.takesUTF8(STDERR_FILENO), let code = QRCode(address)
    else { return }
    for line in [""] + code.lines + [""] { StandardStreams.printError(line) }
  }
}
