import Foundation

/// A private PostgreSQL on a free loopback port, with TLS, everything in a folder of its own: where
/// an ejabberd cluster can keep its archives.
package final class PostgreSQLServer: Sendable {
  package let port: UInt16
  private let folder: TemporaryFolder
  private let run: ServerRun

  /// Where Debian has the programs of the newest version, which are not in PATH.
  private static var programs: String? {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
  }

  /// Indicates whether it and ejabberd's library for it are installed.
  static var isInstalled: Bool {
    let libraries = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/erlang/lib")
    return programs.map { access("\($0)/initdb", X_OK) == 0 } == true
      && libraries?.contains { $0.hasPrefix("p1_pgsql-") } == true
  }

  /// Starts it, and returns when it answers.
  /// - Parameters:
  ///   - access: lines of `pg_hba.conf`: who comes in from where.
  ///   - statements: what its administrator does first.
  /// - Throws: `Programs.Missing`, `ServerStartError`, `CommandRun.Failure`.
  package init(access: String, statements: String) async throws {
    guard Self.isInstalled, let programs = Self.programs else {
      throw Programs.Missing(name: "postgresql with erlang-p1-pgsql")
    }
    port = try LoopbackPort.free()
    folder = try TemporaryFolder("postgresql")
    let data = folder.path("data")
    try folder.write("local all postgres trust\n" + access, to: "access.conf", mode: 0o644)
    // It refuses to run as root.
    var owner = ["env"]
    if geteuid() == 0 {
      guard let user = getpwnam("postgres")?.pointee else {
        throw Programs.Missing(name: "the user postgres")
      }
      chown(folder.root.path, user.pw_uid, user.pw_gid)
      owner = [
        "setpriv", "--reuid=\(user.pw_uid)", "--regid=\(user.pw_gid)", "--clear-groups",
      ]
    }
    for command in [
      ["\(programs)/initdb", "-D", data, "-U", "postgres", "--no-sync"],
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-subj", "/CN=localhost", "-keyout", "\(data)/server.key", "-out",
        "\(data)/server.crt",
      ],
    ] {
      try await CommandRun.check(
        owner[0], owner.dropFirst() + command, directory: folder.root.path)
    }
    run = try ServerRun(
      owner[0],
      owner.dropFirst() + [
        "\(programs)/postgres", "-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1",
        "-c", "unix_socket_directories=\(folder.root.path)", "-c",
        "hba_file=\(folder.path("access.conf"))", "-c", "ssl=on", "-c", "fsync=off",
      ], environment: ["PATH": Programs.searchPath, "LANG": "C.UTF-8"],
      directory: folder.root.path, output: folder.path("postgresql.log"))
    let log = folder.path("postgresql.log")
    guard
      await run.waits(
        upTo: .seconds(60), until: { tail(log).contains("ready to accept connections") })
    else { throw ServerStartError(name: "postgresql", log: tail(log)) }
    try await CommandRun.check(
      "psql",
      [
        "-v", "ON_ERROR_STOP=1", "-h", folder.root.path, "-p", String(port), "-U", "postgres",
      ], input: statements)
  }

  /// Ends it without waiting for those who use it.
  package func stop() async { await run.child.stop(SIGQUIT) }
}
