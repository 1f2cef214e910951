import Foundation
import TestSupport
import Testing

extension Conversations {
  /// From the domain alone to a session: the system's name server, its record (RFC 2782, XEP-0368),
  /// the host, the certificate.
  ///
  /// Nothing is said by options or by the environment: each run has an `/etc/resolv.conf` of its
  /// own.
  @Suite(
    .enabled("needs mount namespaces (unshare -rm), and a port that only root has") {
      let script =
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(('127.53.0.1', 53))"
      let namespace = try? await CommandRun.check("unshare", ["-rm", "true"])
      let port = try? await CommandRun.check("/usr/bin/python3", ["-c", script])
      return namespace != nil && port != nil
    }) struct LookUpTests
  {
    let home: Home
    init() throws { home = try Home() }

    /// A name server where no other test has one: its port is that of every name server.
    private func names(of domain: String, _ server: String) async throws -> NameServer {
      let address = "127.53.\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
      return try await NameServer(at: address, port: 53, of: domain, servers: [server])
    }

    /// Natter on a machine that asks this name server.
    private func natter(_ arguments: [String], asking names: NameServer, input: String = "")
      async throws -> CommandRun
    {
      try home.folder.write("nameserver \(names.address)\n", to: "resolv.conf", mode: 0o644)
      return try await CommandRun(
        "unshare",
        [
          "-rm", "sh", "-c", "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"",
          home.folder.path("resolv.conf"), Programs.natter,
        ] + arguments,
        environment: home.environment(), directory: home.home.path, input: input,
        upTo: .seconds(90))
    }

    @Test(arguments: Road.encrypted)
    func `an address and a password are enough: the domain's record leads to its server`(road: Road)
      async throws
    {
      let alice = try await TestAccount("alice", on: road.server)
      let bob = try await TestAccount("bob", on: road.server)
      let peer = try await bob.slixmpp()
      let encryption = try #require(alice.server.encryption)
      let names = try await names(
        of: alice.server.domain,
        road.security == .direct
          ? "tls:localhost:\(encryption.directPort)" : "localhost:\(alice.server.port)")
      let login = try await natter(
        ["login", alice.jid, "--ca-file", encryption.certificate, "--password-file", "-"],
        asking: names, input: alice.password + "\n")
      #expect(login.status == .exited(0), "\(login.errorText)")
      #expect(login.text == "signed in as \(alice.jid)\n")
      let send = try await natter(["send", bob.jid, "found by name"], asking: names)
      #expect(send.status == .exited(0), "\(send.errorText)")
      try await peer.message { $0.body == "found by name" }
      let doctor = try await natter(["doctor"], asking: names)
      #expect(doctor.text.contains("[ok] DNS"), "\(doctor.text)")
      #expect(
        doctor.text.contains("certificate valid for \(alice.server.domain)"), "\(doctor.text)")

      // Without the record there is no way there.
      await names.stop()
      let lost = try await natter(["send", bob.jid, "lost"], asking: names)
      #expect(lost.status == .exited(69), "\(lost.errorText)")
      await peer.signOut()
    }

    @Test(arguments: [
      ("localhost", "the certificate is for another name"),
      ("natter.test", "not a chat server"),
    ])
    func `the certificate has to be good for the domain, and not for the host of the record`(
      name: String, text: String
    ) async throws {
      let authority = try await CertificateAuthority()
      // After the certificate, the report is that this is not a chat server.
      let speaker = try await TLSSpeaker(
        try await authority.good([name]), saying: MisbehavingServer.noise)
      let names = try await names(of: "natter.test", "tls:localhost:\(speaker.port)")
      let run = try await natter(
        [
          "login", "alice@natter.test", "--ca-file", authority.certificate, "--password-file", "-",
        ], asking: names, input: "geheim\n")
      #expect(run.status == .exited(69))
      #expect(run.errorText.lowercased().contains(text), "\(run.errorText)")
      await names.stop()
    }
  }
}
