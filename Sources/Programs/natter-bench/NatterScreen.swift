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
    home = try Home()
    try home.folder.write("secret\n", to: "password")
    terminal = try PTYProcess(
      natter,
      [
        "--account", server.jid(name), "--server", server.address, "--tls", "starttls",
        "--ca-file", try server.certificate, "--password-file", home.folder.path("password"),
      ], environment: home.natterEnvironment, rows: 40, columns: 120,
      directory: home.home.path)
    try await terminal.expects("online", upTo: .seconds(60)) { $0.text(row: 0).contains("online") }
    terminal.type("/chat \(peer)")
    try await terminal.shows("/chat \(peer)", upTo: .seconds(60))
    terminal.press(.enter)
    let name = String(peer.prefix { $0 != "@" })
    try await terminal.expects("the conversation", upTo: .seconds(60)) {
      $0.text(row: 1).contains(name)
    }
  }
}
