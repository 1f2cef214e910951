import NatterCore
import ViewModels
import XMPP

/// The purpose of the password that line mode waits for.
enum PasswordQuestion {
  case usual
  /// A weaker way to sign in than the last time will do.
  case weaker
}

// Signing in again, where the server does not take what is kept any more (flows.md, "Sign-in").
extension PlainSession {
  /// The word after `/login` that accepts a weaker way to sign in than the last time.
  static let weakerWord = "weaker"

  /// Names the ways on after a refusal.
  func sayHowToSignIn(after problem: ConnectionProblem) {
    guard ports.signIn != nil else { return }
    say(
      problem.kind == .signInWeakened ? "plain.sign-in-weaker" : "plain.sign-in",
      ["account": account.jid.bare.description])
  }

  /// `/login`: the next line is the password.
  /// - Parameter argument: `weaker`, where a weaker way to sign in than the last time will do.
  func askPassword(_ argument: String) async {
    let account = ["account": account.jid.bare.description]
    guard ports.signIn != nil, await !ports.connection.state().isOnline else {
      return say("plain.is-signed-in", account)
    }
    say("plain.password", account)
    passwordQuestion = argument == Self.weakerWord ? .weaker : .usual
    ports.hidesInput(true)
  }

  /// Signs in with what was typed, as it was typed.
  func takePassword(_ line: String) async {
    let acceptsWeaker = passwordQuestion == .weaker
    endPassword()
    let password = line.last == "\r" ? String(line.dropLast()) : line
    guard !password.isEmpty, let signIn = ports.signIn else { return say("plain.no-password") }
    say("plain.signing-in")
    lastProblem = nil
    do {
      try await signIn(password, acceptsWeaker)
    } catch let problem as ConnectionProblem {
      show(problem)
      sayHowToSignIn(after: problem)
    } catch {
      report(error)
    }
  }

  /// No password is waited for any more.
  func endPassword() {
    guard passwordQuestion != nil else { return }
    passwordQuestion = nil
    ports.hidesInput(false)
  }
}
