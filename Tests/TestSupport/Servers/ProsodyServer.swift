import Foundation
import Synchronization

/// A private Prosody (0.12) on free loopback ports, everything in a folder of its own.
package final class ProsodyServer: XMPPServer {
  package let domain = "natter.test"
  package let port: UInt16
  package let directPort: UInt16
  private let componentPort: UInt16
  /// Where it speaks HTTP in TLS, if it does.
  package let webPort: UInt16
  private let speaksHTTP: Bool
  package let authority: CertificateAuthority
  package var encryption: ServerEncryption? {
    ServerEncryption(directPort: directPort, certificate: authority.certificate)
  }
  package var partPort: UInt16? { componentPort }
  package let folder: TemporaryFolder
  private let run = Mutex<ServerRun?>(nil)

  /// Starts it, and returns when it takes connections.
  /// - Parameter users: accounts it begins with, name and password.
  /// - Throws: `Programs.Missing`, `ServerStartError`.
  package init(_ options: XMPPServerOptions = .init(), users: [String: String] = [:]) async throws {
    _ = try Programs.path(of: "prosody")
    authority = try await CertificateAuthority()
    folder = try TemporaryFolder("prosody")
    port = try LoopbackPort.free()
    directPort = try LoopbackPort.free()
    componentPort = try LoopbackPort.free()
    webPort = try LoopbackPort.free()
    speaksHTTP = options.hasTokens || options.uploadLimit > 0
    for name in ["data", "certs", "run"] { try folder.makeFolder(name) }
    var hosts = [
      domain: try await authority.good([domain, "rooms.\(domain)", "localhost", "127.0.0.1"])
    ]
    if options.hasBadCertificates {
      hosts["expired.test"] = try await authority.expired("expired.test")
      hosts["wronghost.test"] = try await authority.wrongName()
      hosts["selfsigned.test"] = try await authority.selfSigned("selfsigned.test")
    }
    let text = options.manual.map { manual($0, hosts[domain]) } ?? configuration(options, hosts)
    try folder.write(text, to: "prosody.cfg.lua")
    if options.manual != nil {
      try await SQLiteFile.make(folder.path("data/prosody.sqlite"))
    } else if options.keepsArchivesInSQLite {
      try await SQLiteFile.make(folder.path("data/archive.sqlite"))
    }
    for (name, password) in users { try addAccount(name, password) }
    try await restart()
  }

  package func addUser(_ name: String, password: String) async throws {
    try addAccount(name, password)
  }

  /// Writes the account's file. Prosody reads it at each login, and replaces the password in it by
  /// its hash at the first (mod_auth_internal_hashed).
  private func addAccount(_ name: String, _ password: String) throws {
    func encoded(_ text: String) -> String {
      text.utf8.map { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber)
          ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    try folder.write(
      "return { [\"password\"] = \(lua(password)); };\n",
      to: "data/\(encoded(domain))/accounts/\(encoded(name)).dat")
  }

  package func stop() async { await end(SIGTERM) }
  package func kill() async { await end(SIGKILL) }

  private func end(_ number: Int32) async {
    let current = run.withLock { current in
      defer { current = nil }
      return current
    }
    await current?.child.stop(number)
  }

  package func restart() async throws {
    await stop()
    let environment = [
      "PATH": Programs.searchPath, "HOME": folder.path("data"), "LANG": "C.UTF-8",
    ]
    let started = try ServerRun(
      "prosody", ["--config", folder.path("prosody.cfg.lua"), "-F"], environment: environment,
      directory: folder.root.path, output: folder.path("stdout.log"))
    run.withLock { $0 = started }
    let isUp = await started.waits(upTo: .seconds(60)) {
      ServerRun.answers(port) && ServerRun.answers(directPort)
        && (!speaksHTTP || ServerRun.answers(webPort))
    }
    guard isUp else { throw ServerStartError(name: "prosody", log: logTail) }
  }

  package var logTail: String {
    tail(folder.path("stdout.log")) + "\n" + tail(folder.path("prosody.log"))
  }

  /// Plugins of the tests: tokens over HTTP, and what Debian's modules for the one step lack.
  private static let plugins = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/prosody-plugins").path
  private static let oneStepModules =
    "\"sasl2\"; \"sasl2_bind2\"; \"sasl2_fast\"; \"sasl2_sm\"; \"natter_shim\";"

  private func lua(_ text: String) -> String {
    "\"" + text.utf8.map { "\\" + String(1000 + Int($0)).dropFirst() }.joined() + "\""
  }

  /// Returns the manual's configuration, here and not in `/etc`.
  private func manual(_ block: String, _ certificate: CertificateAuthority.Certificate?) -> String {
    """
    data_path = "\(folder.path("data"))"
    pidfile = "\(folder.path("run/prosody.pid"))"
    log = { info = "\(folder.path("prosody.log"))" }
    run_as_root = true
    interfaces = { "127.0.0.1" }
    c2s_ports = { \(port) }
    c2s_direct_tls_ports = { \(directPort) }
    c2s_direct_tls_ssl = { certificate = "\(certificate?.chain ?? "")"; key = "\(certificate?.key ?? "")" }
    modules_disabled = { "s2s" }
    https_interfaces = { "127.0.0.1" }

    """
      + block.replacing("/etc/prosody/certs/example.org.crt", with: certificate?.chain ?? "")
      .replacing("/etc/prosody/certs/example.org.key", with: certificate?.key ?? "")
      .replacing("https_ports = { 5281 }", with: "https_ports = { \(webPort) }")
      .replacing(
        "\"https://upload.example.org:5281/\"",
        with: "\"https://localhost:\(webPort)/\"\n  http_host = \"localhost\""
      )
      .replacing("example.org", with: domain)
  }

  private func configuration(
    _ options: XMPPServerOptions, _ hosts: [String: CertificateAuthority.Certificate]
  ) -> String {
    let virtualHosts = hosts.sorted { $0.key < $1.key }.map { name, certificate in
      """
      VirtualHost "\(name)"
        ssl = { certificate = "\(certificate.chain)"; key = "\(certificate.key)"\(options.isLimitedToTLS12 ? "; protocol = \"tlsv1_2\"" : "") }
        \(options.hasTokens ? "modules_enabled = { \"natter_oauth\" }" : "")
      """
    }
    let main = hosts[domain]
    return """
      data_path = "\(folder.path("data"))"
      pidfile = "\(folder.path("run/prosody.pid"))"
      log = { info = "\(folder.path("prosody.log"))" }
      run_as_root = true -- CI is root in a container; anybody else it leaves who they are
      interfaces = { "127.0.0.1" }
      c2s_ports = { \(port) }
      c2s_direct_tls_ports = { \(directPort) }
      c2s_direct_tls_ssl = { certificate = "\(main?.chain ?? "")"; key = "\(main?.key ?? "")" }
      plugin_paths = { "\(Self.plugins)" }
      component_ports = { \(componentPort) }
      component_interfaces = { "127.0.0.1" }
      http_ports = { }
      https_ports = { \(speaksHTTP ? String(webPort) : "") }
      https_interfaces = { "127.0.0.1" }
      https_ssl = { certificate = "\(main?.chain ?? "")"; key = "\(main?.key ?? "")" }
      natter_oauth_ttl = \(options.tokenLifetime)
      \(options.uploadLimit > 0 && !options.hasTokens
        ? "http_external_url = \"https://localhost:\(webPort)/\"\nhttp_host = \"localhost\"" : "")
      certificates = "\(folder.path("certs"))"
      c2s_require_encryption = \(options.requiresEncryption)
      allow_unencrypted_plain_auth = false
      modules_disabled = { "s2s"; "limits" }
      modules_enabled = {
        "adhoc"; "disco"; "roster"; "saslauth"; "tls"; "blocklist"; "bookmarks"; "carbons"; "pep"; "private";
        "smacks"; "vcard4"; "vcard_legacy"; "csi_simple"; "mam"; "ping"; "register"; "time";
        "uptime"; "version"; "lastactivity"; "offline"; "posix"; "invites"; "invites_adhoc"; "invites_register"; "natter_reports"; "server_contact_info"; \(options.hasOneStepLogin ? Self.oneStepModules : "")
        \(options.hasTokens ? "\"tokenauth\";" : "")
      }
      allow_registration = \(options.allowsRegistration)
      registration_invite_only = false
      allow_user_invites = true
      contact_info = { support = { "xmpp:help@\(domain)" } }
      authentication = "internal_hashed"
      disable_sasl_mechanisms = { "DIGEST-MD5"\(options.withheldMechanisms.map { "; \"\($0)\"" }.joined()) }
      password_hash = "\(options.usesSHA256 ? "SHA-256" : "SHA-1")"
      \(options.keepsArchivesInSQLite
        ? "storage = { archive = \"sql\"; muc_log = \"sql\" }\nsql = { driver = \"SQLite3\", database = \"archive.sqlite\" }"
        : "storage = { archive = \"internal\"; muc_log = \"internal\" }")
      archive_expires_after = "never"
      smacks_hibernation_time = \(options.resumptionTime)

      \(virtualHosts.joined(separator: "\n"))
      Component "rooms.\(domain)" "muc"
        modules_enabled = { "muc_mam" }
        restrict_room_creation = false
      \(options.hasSearchPart ? "Component \"search.\(domain)\"\n  component_secret = \"secret\"" : "")
      \(options.uploadLimit > 0
        ? "Component \"upload.\(domain)\" \"http_file_share\"\n  http_file_share_size_limit = \(options.uploadLimit)"
        : "")

      """
  }
}
