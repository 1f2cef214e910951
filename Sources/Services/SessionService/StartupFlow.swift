import NatterCore
import XMPP

/// The first screen of the program (flows.md, "Start-up"), as a decision without side effects.
package enum StartupStep: Hashable, Sendable {
  /// The feature guide, then sign-in.
  case guide
  /// The sign-in form; with an address where one is known.
  case signIn(prefilled: Account?)
  /// The shell, on what the database holds; the connection follows by itself.
  case shell(Account)
}

/// The facts that are known when the program starts.
package struct StartupFacts: Hashable, Sendable {
  /// The account that was named on the command line, or else the default one.
  package var account: Account?
  /// `true` if `account` was named on the command line.
  package var isNamed: Bool
  package var hasCredential: Bool
  package var guideWasSeen: Bool

  package init(account: Account?, isNamed: Bool, hasCredential: Bool, guideWasSeen: Bool) {
    self.account = account
    self.isNamed = isNamed
    self.hasCredential = hasCredential
    self.guideWasSeen = guideWasSeen
  }

  /// Signed in? → shell. Not? → the guide on the first run, else sign-in.
  package var step: StartupStep {
    if let account, hasCredential, account.signsInAtStart || isNamed { return .shell(account) }
    if isNamed { return .signIn(prefilled: account) }
    return guideWasSeen ? .signIn(prefilled: account) : .guide
  }
}
