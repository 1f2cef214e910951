import Foundation

/// profanity, a client that we did not write, on a terminal of its own.
package final class ProfanityClient: Sendable {
  package let terminal: PTYProcess
  private let home: Home

  /// Starts it and signs in.
  /// - Throws: `PTYProcess.NeverCame` with its screen when it could not sign in.
  package init(
    _ jid: String, password: String, server: any XMPPServer, direct: Bool = false,
    rows: Int = 30, columns: Int = 100
  ) async throws {
    home = try Home()
    let encryption = server.encryption
    // It looks for trusted authorities in a folder, by hash.
    let trusted = try home.folder.makeFolder("trusted")
    if let encryption {
      try FileManager.default.copyItem(
        at: URL(filePath: encryption.certificate), to: trusted.appending(path: "ca.pem"))
      try await CommandRun.check("openssl", ["rehash", trusted.path])
    }
    let policy = encryption == nil ? "disable" : direct ? "legacy" : "force"
    try home.folder.write(
      """
      [connection]
      account=peer
      tls.certpath=\(trusted.path)
      [ui]
      splash=false
      titlebar.show=false
      [logging]
      chlog=false
      [notifications]
      message=off
      [plugins]
      load=

      """, to: "config/profanity/profrc")
    try home.folder.write(
      """
      [peer]
      enabled=true
      jid=\(jid)
      password=\(password)
      server=\(server.host)
      port=\((direct ? encryption?.directPort : nil) ?? server.port)
      tls.policy=\(policy)
      resource=profanity

      """, to: "data/profanity/accounts")
    terminal = try PTYProcess(
      "profanity", environment: home.environment(), rows: rows, columns: columns)
    try await terminal.expects("a session of \(jid)", upTo: .seconds(30)) {
      $0.contains("logged in successfully")
    }
  }

  /// Types a command or text, then Enter.
  package func enter(_ line: String) {
    terminal.type(line)
    terminal.press(.enter)
  }

  /// Sends a message; its window comes to the front.
  package func send(_ text: String, to jid: String) { enter("/msg \(jid) \(text)") }

  /// Waits until it shows `text`, in the window that is in front.
  package func shows(_ text: String, upTo limit: Duration = .seconds(30)) async throws {
    try await terminal.shows(text, upTo: limit)
  }

  /// Signs out and ends.
  package func quit() async {
    enter("/quit")
    if await terminal.waitsForEnd(upTo: .seconds(10)) == nil { await terminal.stop() }
  }
}
