import FoundationEssentials
import Glibc
import NatterCore
import SessionService
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

/// Sign-in of line mode without an account: asks for address and password on the terminal, line by
/// line (flows.md, "Sign-in").
struct PlainSignIn {
  let context: LaunchContext

  /// Asks until the server accepts the login, or the user gives up.
  /// - Returns: the account, which is signed in from here on; `nil`: the user gave up.
  /// - Throws: errors of storing the account or its secret.
  func run() async throws -> Account? {
    say(context.localizer("plain.not-signed-in"))
    say(context.localizer("plain.try-it"))
    var account = try await context.choice.account()
    // An address from the command line is kept; a typed one may be mistyped.
    let mayBeAnother = context.options.account == nil
    var isNamed = account != nil
    var isRefused = false
    while true {
      if !isNamed { account = try await askAddress(keeping: account) }
      guard let current = account else { return nil }
      // After a refusal the user types the password again, and any other question would show it.
      let leadsBack = isRefused && mayBeAnother
      guard let password = askPassword(of: current.jid, leadsBack: leadsBack) else {
        guard leadsBack else { return nil }
        (isNamed, isRefused) = (false, false)
        continue
      }
      say(context.localizer("plain.signing-in"))
      let request = SignInRequest(
        account: current, credential: Credential(password: password), remembersCredential: true)
      do {
        try await context.askingWhenWeaker(request) {
          try await context.signIn().signIn($0) { _ in }
        }
        return current
      } catch let problem as ConnectionProblem {
        ErrorText(problem, localizer: context.localizer).lines.forEach(say)
        isRefused = problem.kind == .wrongPassword || problem.kind == .notAuthorized
        isNamed = isRefused || !mayBeAnother
      }
    }
  }

  /// - Returns: `nil` where nothing was typed.
  private func askAddress(keeping earlier: Account?) async throws -> Account? {
    while true {
      if let earlier {
        ask("plain.address-again", ["address": earlier.jid.description])
      } else {
        ask("plain.address")
      }
      guard let line = readLine() else { return nil }
      let typed = line.trimmed
      if typed.isEmpty { return earlier }
      let input = AddressInput(typed)
      if let jid = input.jid { return try await context.choice.account(named: jid.description) }
      say(context.localizer("cli.bad-address", ["address": typed]))
    }
  }

  /// - Parameter leadsBack: whether an empty line leads back to the address.
  /// - Returns: `nil` where nothing was typed.
  private func askPassword(of jid: JID, leadsBack: Bool) -> String? {
    // Echo is off before the question appears, for users who type at once.
    let line = HiddenInput.whileHidden(STDIN_FILENO) {
      ask(
        leadsBack ? "plain.password-again" : "cli.password-prompt", ["address": jid.description])
      return readLine()
    }
    StandardStreams.print("")
    return line.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func ask(_ key: String, _ arguments: [String: String] = [:]) {
    StandardStreams.write(
      SafeText.line(context.localizer(key, arguments)).trimmed + " ", to: STDOUT_FILENO)
  }

  private func say(_ text: String) { StandardStreams.print(SafeText.line(text)) }
}
