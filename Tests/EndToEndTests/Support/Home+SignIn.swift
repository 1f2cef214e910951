import TestSupport

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
}
