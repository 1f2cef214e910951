import Foundation
import TestSupport
import Testing

/// Statement 8: what cannot be reached, or is not to be trusted, says what it is.
@Suite(.requires(.prosody, .openssl), .takesTurns) struct ConnectionProblemChecklistTests {
  /// Starts Natter with an account that cannot be signed in to.
  func start(_ jid: String, server: String, _ more: [String] = []) throws -> NatterRun {
    let home = try Home()
    try home.folder.write("not the password\n", to: "password")
    return try NatterRun(
      ["--account", jid, "--server", server, "--password-file", home.folder.path("password")]
        + more,
      home: home, rows: 24, columns: 80)
  }

  @Test func `8: refused, unknown host, wrong password and bad certificate have four texts`()
    async throws
  {
    var options = XMPPServerOptions()
    options.hasBadCertificates = true
    let server = try await ProsodyServer(options, users: ["alice": "right"])
    let closed = try LoopbackPort.free()
    let trust = ["--ca-file", server.authority.certificate]

    let refused = try start("alice@natter.test", server: "127.0.0.1:\(closed)")
    try await refused.shows("connection refused", "127.0.0.1, port \(closed)")

    let unknown = try start("alice@natter.test", server: "host.invalid:5222")
    try await unknown.shows("the server's name is unknown", "host.invalid, port 5222")

    let certificate = try start("alice@selfsigned.test", server: server.address, trust)
    try await certificate.shows("self-signed", "selfsigned.test, port \(server.port)")

    let password = try start(server.jid("alice"), server: server.address, trust)
    try await password.shows("Wrong password", "127.0.0.1, port \(server.port)")
    // The form is there to type another one.
    #expect(password.screen.contains("Password"))

    for run in [refused, unknown, certificate, password] {
      #expect(await run.quit() == .exited(0))
      #expect(run.terminal.isGivenBack())
    }
    await server.stop()
  }
}
