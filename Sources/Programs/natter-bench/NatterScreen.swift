import Foundation
import TestSupport

/// Natter on its own terminal, signed in, with a conversation open.
struct NatterScreen {
  let terminal: PTYProcess
  /// Lives as long as the program, because its folders are deleted with it.
  let home: Home

  /// - Parameters:
  ///   - name: of the account, which has the password `secret`.
  ///   - peer: the address of the conversation.
  init(_ natter: String, _ name: String, talkingTo peer: String, on server: any XMPPServer)
    async throws
  {
    let home = try Home()
    try home.folder.write("secret\n", to: "password")
    try await self.init(
      natter,
      [
        "--account", server.jid(name), "--server", server.address, "--tls", "starttls",
        "--ca-file", try server.certificate, "--password-file", home.folder.path("password"),
      ], in: home, talkingTo: peer)
  }

  /// Natter on its built-in server.
  init(local natter: String, in home: Home, talkingTo peer: String) async throws {
    try await self.init(natter, ["--local"], in: home, talkingTo: peer)
  }

  private init(
    _ natter: String, _ arguments: [String], in home: Home, talkingTo peer: String
  ) async throws {
    self.home = home
    terminal = try PTYProcess(
      natter, arguments, environment: home.natterEnvironment, rows: 40, columns: 120,
      directory: home.home.path)
    try await terminal.expects("online", upTo: .seconds(60)) { $0.text(row: 0).contains("online") }
    terminal.type("/chat \(peer)")
    try await terminal.shows("/chat \(peer)", upTo: .seconds(60))
    terminal.press(.enter)
    let name = String(peer.prefix { $0 != "@" })
    try await terminal.expects("the conversation", upTo: .seconds(60)) {
      $0.text(row: 1).lowercased().contains(name)
    }
  }
}
