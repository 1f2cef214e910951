import Foundation
import TestSupport
import Testing

extension Home {
  /// Has `natter login` sign in here over HTTP.
  /// - Parameter address: what is given as `--http-url`.
  func logsIn(
    _ jid: String, password: String = "geheim", on server: any XMPPServer, over address: String
  ) async throws -> CommandRun {
    try folder.write(password + "\n", to: "password")
    return try await CommandRun(
      Programs.natter,
      ["login", jid, "--http-url", address]
        + NatterRun.options(jid, on: server).dropFirst(2)
        + ["--password-file", folder.path("password")],
      environment: environment(terminal: "dumb", language: "C.UTF-8"))
  }
  /// Has `natter login` sign in here, so that the full screen needs no options. The account that
  /// comes first is the default one.
  func login(_ account: TestAccount) async throws {
    let run = try await CommandRun(
      Programs.natter,
      ["login", account.jid, "--password-file", "-"]
        + NatterRun.options(account.jid, on: account.server).dropFirst(2),
      environment: environment(), directory: home.path,
      input: account.password + "\n", upTo: .seconds(90))
    #expect(run.status == .exited(0), "\(run.errorText)")
  }
}
