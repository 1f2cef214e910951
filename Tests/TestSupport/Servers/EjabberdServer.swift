import Foundation
import Synchronization

/// A private ejabberd (23.01) on free loopback ports, everything in a folder of its own.
///
/// It is started by `erl` and not by Debian's `ejabberdctl`, which insists on being root or the
/// user ejabberd; and as a node without a name, which needs no epmd and no cookie.
package final class EjabberdServer: XMPPServer {
  package let domain = "natter.test"
  package let port: UInt16
  package let directPort: UInt16
  private let componentPort: UInt16
  package let authority: CertificateAuthority
  package var encryption: ServerEncryption? {
    ServerEncryption(directPort: directPort, certificate: authority.certificate)
  }
  package var partPort: UInt16? { componentPort }
  package let folder: TemporaryFolder
  /// Where its HTTP API listens, open to this machine.
  private let apiPort: UInt16
  /// Where it speaks HTTP in TLS, if it does.
  package let webPort: UInt16
  private let options: XMPPServerOptions
  private let run = Mutex<ServerRun?>(nil)
  private let names = Mutex<Set<String>>([])

  /// The folder of Debian's Erlang libraries that ejabberd is in.
  static var libraries: String? {
    let root = "/usr/lib"
    for folder in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
      if names.contains(where: {
        $0.hasPrefix("ejabberd-")
          && access("\(root)/\(folder)/\($0)/ebin/ejabberd.app", R_OK) == 0
      }) {
        return "\(root)/\(folder)"
      }
    }
    return nil
  }

  /// Starts it, and returns when all of it is up (two to three seconds).
  /// - Parameter users: accounts it begins with, name and password.
  /// - Throws: `Programs.Missing`, `ServerStartError`.
  package init(_ options: XMPPServerOptions = .init(), users: [String: String] = [:]) async throws {
    guard Self.libraries != nil else { throw Programs.Missing(name: "ejabberd") }
    self.options = options
    authority = try await CertificateAuthority()
    folder = try TemporaryFolder("ejabberd")
    port = try LoopbackPort.free()
    directPort = try LoopbackPort.free()
    componentPort = try LoopbackPort.free()
    apiPort = try LoopbackPort.free()
    webPort = try LoopbackPort.free()
    for name in ["data", "contrib", "run"] { try folder.makeFolder(name) }
    let certificate = try await authority.good([
      domain, "rooms.\(domain)", "pubsub.\(domain)", "upload.\(domain)", "localhost", "127.0.0.1",
    ])
    try folder.write(
      options.manual.map { manual($0, certificate) } ?? configuration(options, certificate),
      to: "ejabberd.yml")
    if options.asksForCAPTCHA { try folder.write(captchaScript, to: "captcha.sh", mode: 0o700) }
    try folder.write(
      "{lookup,[\"file\",\"native\"]}.\n{host,{127,0,0,1},[\"localhost\"]}.\n", to: "inetrc")
    if options.manual?.contains("sql_type: sqlite") == true {
      try await SQLiteFile.make(
        folder.path("data/ejabberd.sqlite"), schema: "/usr/share/ejabberd/sql/lite.new.sql")
    } else if options.keepsArchivesInSQLite {
      try await SQLiteFile.make(
        folder.path("data/archive.sqlite"), schema: "/usr/share/ejabberd/sql/lite.new.sql")
    }
    try await restart()
    for (name, password) in users { try await addUser(name, password: password) }
  }

  /// The text in the last CAPTCHA's picture; `nil` before there was one.
  package var captchaAnswer: String? { folder.text("captcha.txt") }

  /// Draws nothing, and gives the tests the text that it would have drawn.
  private var captchaScript: String {
    """
    #!/bin/sh
    printf '%s' "$1" >'\(folder.path("captcha.txt"))'
    printf '\\211PNG\\r\\n\\032\\n'

    """
  }

  package func addUser(_ name: String, password: String) async throws {
    let body = try JSONSerialization.data(
      withJSONObject: ["user": name, "host": domain, "password": password])
    try await CommandRun.check(
      "curl",
      [
        "-sS", "--fail-with-body", "--noproxy", "*", "-H", "Content-Type: application/json",
        "--data-binary", "@-", "http://127.0.0.1:\(apiPort)/api/register",
      ], input: String(decoding: body, as: UTF8.self))
    names.withLock { _ = $0.insert(name) }
  }

  /// Makes it part of the cluster that `node` belongs to: what it held is replaced by copies of
  /// what that one holds.
  /// - Throws: `CommandRun.Failure`, `ServerStartError` when it is not back after a minute.
  package func join(_ node: String) async throws {
    guard let own = options.node else { return }
    // As `ejabberdctl join_cluster` does: from another node, for ejabberd itself ends and starts
    // again in it.
    try await CommandRun.check(
      "erl",
      [
        "-name", "join@127.0.0.1", "-setcookie", "tests", "-start_epmd", "false", "-noinput",
        "-hidden", "-eval",
        "ok = rpc:call('\(own)', ejabberd_cluster, join, ['\(node)'], 60000), halt(0).",
      ],
      environment: [
        "ERL_EPMD_PORT": String(options.epmdPort), "HOME": folder.path("data"),
        "ERL_CRASH_DUMP_BYTES": "0",
      ])
    guard let current = run.withLock({ $0 }),
      await current.waits(upTo: .seconds(60), until: { ServerRun.answers(port) })
    else { throw ServerStartError(name: "ejabberd in a cluster", log: logTail) }
  }

  package func stop() async { await end(SIGTERM) }

  /// SIGKILL, but not before its accounts are on the disk: Mnesia writes up to three seconds late,
  /// and a test that kills a server does not want to test that.
  package func kill() async {
    let names = names.withLock { $0 }
    let file = folder.url("data/mnesia/passwd.DAT")
    let isElsewhere = options.manual?.contains("default_db: sql") == true
    _ = await run.withLock { $0 }?.waits(upTo: .seconds(10)) {
      guard !isElsewhere else { return true }
      guard let data = try? Data(contentsOf: file) else { return false }
      return names.allSatisfy { data.contains(sequence: Array($0.utf8)) }
    }
    await end(SIGKILL)
  }

  private func end(_ number: Int32) async {
    let current = run.withLock { current in
      defer { current = nil }
      return current
    }
    await current?.child.stop(number, upTo: .seconds(30))
  }

  package func restart() async throws {
    await stop()
    let data = folder.path("data")
    try? FileManager.default.removeItem(atPath: folder.path("stdout.log"))
    var environment = [
      "PATH": Programs.searchPath, "HOME": data, "LANG": "C.UTF-8",
      "ERL_LIBS": Self.libraries ?? "", "ERL_CRASH_DUMP_BYTES": "0",
      "ERL_INETRC": folder.path("inetrc"), "EJABBERD_CONFIG_PATH": folder.path("ejabberd.yml"),
      "EJABBERD_LOG_PATH": folder.path("ejabberd.log"),
      "EJABBERD_PID_PATH": folder.path("run/ejabberd.pid"),
      "CONTRIB_MODULES_PATH": folder.path("contrib"),
      "CONTRIB_MODULES_CONF_DIR": folder.path("contrib"),
    ]
    var name: [String] = []
    if let node = options.node {
      environment["ERL_EPMD_PORT"] = String(options.epmdPort)
      name = [
        "-name", node, "-setcookie", "tests", "-start_epmd", "false", "-kernel",
        "inet_dist_use_interface", "{127,0,0,1}",
      ]
    }
    let started = try ServerRun(
      "erl",
      name + [
        "+K", "true", "+S", "2:2", "+P", "250000", "-noinput", "-mnesia", "dir",
        "\"\(data)/mnesia\"", "-ejabberd",
        "log_rotate_count", "0", "-s", "ejabberd",
      ], environment: environment, directory: data, output: folder.path("stdout.log"))
    run.withLock { $0 = started }
    // Its ports open long before its modules are up.
    let output = folder.path("stdout.log")
    let isUp = await started.waits(upTo: .seconds(90)) {
      tail(output, lines: 400).contains("is started in the node")
    }
    guard isUp else { throw ServerStartError(name: "ejabberd", log: logTail) }
  }

  package var logTail: String {
    tail(folder.path("stdout.log")) + "\n" + tail(folder.path("ejabberd.log"))
  }

  /// Parts that are not of its own program.
  private var partListener: String {
    """
      -
          port: \(componentPort)
          ip: "127.0.0.1"
          module: ejabberd_service
          hosts: { "search.\(domain)": { password: "secret" } }
    """
  }

  /// Tokens over HTTP, as `/oauth/token`.
  private var webListener: String {
    """
      -
          port: \(webPort)
          ip: "127.0.0.1"
          module: ejabberd_http
          tls: true
          protocol_options: 'TLS_OPTIONS'
          request_handlers:
            /oauth: ejabberd_oauth
            /upload: mod_http_upload
    """
  }

  /// Where people sign in over HTTP, for `--http-url`.
  package var webURL: String { "https://localhost:\(webPort)" }

  /// Withdraws a token at once, as its administrator does.
  package func revoke(_ token: String) async throws {
    try await CommandRun.check(
      "curl",
      [
        "-sS", "--fail-with-body", "--noproxy", "*", "-H", "Content-Type: application/json",
        "--data-binary", "@-", "http://127.0.0.1:\(apiPort)/api/oauth_revoke_token",
      ], input: "{\"token\":\"\(token)\"}")
  }

  /// Returns the manual's configuration, here and not in `/etc`, with the parts of Debian's own
  /// file and the tests' way to create accounts.
  private func manual(_ block: String, _ certificate: CertificateAuthority.Certificate) -> String {
    """
    loglevel: info
    log_rotate_count: 0
    ca_file: "\(authority.certificate)"
    registration_timeout: infinity
    acl:
      admin: { user: "admin@\(domain)" }
      local: { user_regexp: "" }
      loopback: { ip: [127.0.0.0/8] }
    access_rules:
      local: { allow: local }
      c2s: { deny: blocked, allow: all }
    api_permissions:
      "tests": { from: [mod_http_api], who: { access: { allow: loopback } }, what: ["*"] }

    """
      + block.replacing("/etc/ejabberd/example.org.pem", with: certificate.both)
      .replacing("/var/lib/ejabberd", with: folder.path("data"))
      .replacing("example.org", with: domain)
      .replacing("port: 5222", with: "port: \(port)").replacing(
        "port: 5223", with: "port: \(directPort)"
      )
      .replacing("port: 5443", with: "port: \(webPort)")
      .replacing("https://upload.@HOST@:5443/", with: "https://localhost:\(webPort)/")
      .replacing("ip: \"::\"", with: "ip: \"127.0.0.1\"")
      .replacing(
        "\nlisten:\n",
        with: """

          listen:
            -
              port: \(apiPort)
              ip: "127.0.0.1"
              module: ejabberd_http
              request_handlers:
                /api: mod_http_api

          """
      )
      .replacing("\nmodules:\n", with: "\nmodules:\n  mod_http_api: {}\n  mod_admin_extra: {}\n")
  }

  private func configuration(
    _ options: XMPPServerOptions, _ certificate: CertificateAuthority.Certificate
  ) -> String {
    let isSQL = options.keepsArchivesInSQLite
    let sql =
      isSQL
      ? "sql_type: sqlite\nsql_database: \"\(folder.path("data/archive.sqlite"))\"\nnew_sql_schema: true"
      : ""
    let upload =
      options.uploadLimit > 0
      ? """
        mod_http_upload:
          hosts: ["upload.@HOST@"]
          put_url: "https://localhost:\(options.uploadPort ?? webPort)/upload/@HOST@"
          docroot: "\(folder.path("data/upload"))"
          max_size: \(options.uploadLimit)
      """ : ""
    return """
      loglevel: info
      log_rotate_count: 0
      \(sql)
      hosts: ["\(domain)"]
      certfiles: ["\(certificate.both)"]
      ca_file: "\(authority.certificate)"
      define_macro:
        'TLS_OPTIONS': ["no_sslv3", "no_tlsv1", "no_tlsv1_1", "no_compression"\(options.isLimitedToTLS12 ? ", \"no_tlsv1_3\"" : "")]
      c2s_protocol_options: 'TLS_OPTIONS'
      auth_password_format: scram
      auth_scram_hash: \(options.usesSHA256 ? "sha256" : "sha")
      disable_sasl_mechanisms: ["digest-md5"\(options.withheldMechanisms.map { ", \"\($0)\"" }.joined())]
      \(options.hasTokens
        ? "oauth_access: all\noauth_client_id_check: allow\noauth_expire: \(options.tokenLifetime)"
        : "")
      \(options.asksForCAPTCHA
        ? "captcha_cmd: \"\(folder.path("captcha.sh"))\"\n"
          + "captcha_url: \"http://localhost:\(apiPort)/captcha\""
        : "")
      listen:
        -
          port: \(port)
          ip: "127.0.0.1"
          module: ejabberd_c2s
          max_stanza_size: 262144
          shaper: none
          access: c2s
          starttls: true
          starttls_required: \(options.requiresEncryption)
        -
          port: \(directPort)
          ip: "127.0.0.1"
          module: ejabberd_c2s
          max_stanza_size: 262144
          shaper: none
          access: c2s
          tls: true
          protocol_options: 'TLS_OPTIONS'
        -
          port: \(apiPort)
          ip: "127.0.0.1"
          module: ejabberd_http
          request_handlers:
            /api: mod_http_api
            /captcha: ejabberd_captcha
      \(options.hasTokens || options.uploadLimit > 0 ? webListener : "")
      \(options.hasSearchPart ? partListener : "")
      acl:
        local: { user_regexp: "" }
        loopback: { ip: [127.0.0.0/8] }
      access_rules:
        local: { allow: local }
        c2s: { deny: blocked, allow: all }
        trusted_network: { \(options.allowsRegistration ? "allow" : "deny"): loopback }
      api_permissions:
        "tests": { from: [mod_http_api], who: { access: { allow: loopback } }, what: ["*"] }
      shaper_rules:
        max_user_sessions: 10000
        max_user_offline_messages: { \(options.offlineLimit): all }
      registration_timeout: infinity
      modules:
        mod_adhoc: {}
        mod_admin_extra: {}
        mod_blocking: {}
        mod_caps: {}
        mod_carboncopy: {}
        mod_client_state: {}
        mod_disco:
          server_info:
            - modules: all
              name: "support-addresses"
              urls: ["xmpp:help@\(domain)"]
        mod_http_api: {}
        mod_last: {}
      \(upload)
        mod_mam: { assume_mam_usage: true, default: always\(isSQL ? ", db_type: sql" : "") }
        mod_muc:
          hosts: ["rooms.@HOST@"]
          default_room_options: { mam: true, persistent: true, public: true }
        mod_offline: { access_max_user_messages: max_user_offline_messages }
        mod_ping: {}
        mod_privacy: {}
        mod_private: {}
        mod_pubsub: { hosts: ["pubsub.@HOST@"], plugins: ["flat", "pep"] }
        mod_register:
          ip_access: trusted_network
          captcha_protected: \(options.asksForCAPTCHA)
        mod_roster: { versioning: true }
        mod_stream_mgmt:
          resend_on_timeout: if_offline
          resume_timeout: \(options.resumptionTime)
        mod_time: {}
        mod_avatar: {}
        mod_vcard: { search: false }
        mod_vcard_xupdate: {}
        mod_version: {}

      """
  }
}
