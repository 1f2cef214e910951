import NatterCore
import ViewModels
import XMPP

// Signing in again, where the server does not take what is kept any more (FLOWS.md 1).
extension PlainSession {
  /// Names the ways on after a refusal.
  func sayHowToSignIn() {
    guard ports.signIn != nil else { return }
    say("plain.sign-in", ["account": account.jid.bare.description])
  }

  /// `/login`: the next line is the password.
  func askPassword() async {
    let account = ["account": account.jid.bare.description]
    guard ports.signIn != nil, await !ports.connection.state().isOnline else {
      return say("plain.is-signed-in", account)
    }
    say("plain.password", account)
    isAskingPassword = true
    ports.hidesInput(true)
  }

  /// Signs in with what was typed, as it was typed.
  func takePassword(_ line: String) async {
    endPassword()
    let password = line.last == "\r" ? String(line.dropLast()) : line
    guard !password.isEmpty, let signIn = ports.signIn else { return say("plain.no-password") }
    say("plain.signing-in")
    standing = nil
    do {
      try await signIn(password)
    } catch let problem as ConnectionProblem {
      show(problem)
      sayHowToSignIn()
    } catch {
      report(error)
    }
  }

  /// No password is waited for any more.
  func endPassword() {
    guard isAskingPassword else { return }
    isAskingPassword = false
    ports.hidesInput(false)
  }
}
