import Foundation

/// Two ejabberds that are one (`join_cluster`), with an epmd of their own and a name server that
/// knows both.
package final class EjabberdCluster: Sendable {
  package let first: EjabberdServer
  package let second: EjabberdServer
  /// `ADDRESS:PORT` of the name server, for NATTER_NAME_SERVER; its first answer is the first node.
  package var nameServer: String { "\(names.address):\(names.port)" }
  /// A PEM file with both nodes' authorities.
  package let authority: String
  package var domain: String { first.domain }
  private let folder: TemporaryFolder
  private let epmd: ServerRun
  private let names: NameServer

  /// Starts both nodes, and returns when they are one.
  /// - Throws: `Programs.Missing`, `ServerStartError`, `CommandRun.Failure`.
  /// - Parameter manual: the file of configuration that both have.
  package init(users: [String: String], manual: String? = nil) async throws {
    folder = try TemporaryFolder("cluster")
    let epmdPort = try LoopbackPort.free()
    let environment = ["PATH": Programs.searchPath, "HOME": folder.root.path]
    epmd = try ServerRun(
      "epmd", ["-port", String(epmdPort), "-address", "127.0.0.1"], environment: environment,
      directory: folder.root.path, output: folder.path("epmd.log"))
    guard await epmd.waits(upTo: .seconds(20), until: { ServerRun.answers(epmdPort) }) else {
      throw ServerStartError(name: "epmd", log: tail(folder.path("epmd.log")))
    }
    var options = XMPPServerOptions()
    options.manual = manual
    options.epmdPort = epmdPort
    options.node = "first@127.0.0.1"
    var others = options
    others.node = "second@127.0.0.1"
    // Each needs some seconds to start, and none knows of the other before it joins.
    async let other = EjabberdServer(others)
    first = try await EjabberdServer(options)
    second = try await other
    try await second.join("first@127.0.0.1")
    for (name, password) in users { try await first.addUser(name, password: password) }
    let both = try [first, second].map {
      try String(contentsOfFile: $0.authority.certificate, encoding: .utf8)
    }
    try folder.write(both.joined(separator: "\n"), to: "authorities.crt")
    authority = folder.path("authorities.crt")

    names = try await NameServer(
      of: first.domain, servers: ["localhost:\(first.port)", "localhost:\(second.port)"])
  }

  package func stop() async {
    async let one: Void = first.stop()
    async let other: Void = second.stop()
    _ = await (one, other)
    await epmd.child.stop(SIGKILL)
    await names.stop()
  }
}
