import NatterCore
import SessionService
import Text
import ViewModels
import XMPP

extension StatusNotice {
  /// The notice that the sign-in of `account` over HTTP failed, and the next method is tried.
  init(webTrouble problem: ConnectionProblem, of account: JID, _ localizer: Localizer) {
    let text = ErrorText(problem, localizer: localizer)
    let reason = [text.what, text.detail].filter { !$0.isEmpty }.joined(separator: ": ")
    let host = problem.host.isEmpty ? account.domain : problem.host
    self.init(.warning, "status.webSignInFailed", ["host": host, "reason": reason])
  }
}
