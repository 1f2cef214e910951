import Glibc
import NatterCore
import Terminal
import Text
import ViewModels

// A server that offers less for signing in than the last time.
extension LaunchContext {
  /// Signs in; if the server offers only a weaker mechanism than the last time, a user at a
  /// terminal is asked whether to accept it.
  /// - Throws: what `work` throws; without a terminal or consent, that the sign-in is weaker.
  func askingWhenWeaker(
    _ request: SignInRequest, _ work: (SignInRequest) async throws -> Void
  ) async throws {
    do { try await work(request) } catch let problem as ConnectionProblem
      where problem.kind == .signInWeakened && isatty(STDIN_FILENO) != 0
    {
      for line in ErrorText(problem, localizer: localizer).lines {
        StandardStreams.printError(SafeText.line(line))
      }
      StandardStreams.write(localizer("cli.weaker-sign-in") + " ", to: STDERR_FILENO)
      guard readsYes() else { throw problem }
      var request = request
      request.account.acceptsWeakerSignIn = true
      try await work(request)
    }
  }
}
