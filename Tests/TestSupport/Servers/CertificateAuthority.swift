import Foundation

/// A certificate authority of its own for one test, with the certificates that it issues: good and
/// bad.
package struct CertificateAuthority: Sendable {
  /// A certificate chain and its key, as PEM files.
  package struct Certificate: Hashable, Sendable {
    package let chain: String
    package let key: String
    /// Both in one file, as ejabberd wants it.
    package let both: String
  }

  package let folder: TemporaryFolder
  /// The authority's own certificate (PEM): what a client has to trust.
  package let certificate: String
  private let key: String

  /// - Throws: `Programs.Missing` without openssl, `CommandRun.Failure`.
  package init() async throws {
    folder = try TemporaryFolder("ca")
    certificate = folder.path("ca.crt")
    key = folder.path("ca.key")
    try await openssl(
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "3650", "-subj", "/CN=Natter test authority", "-addext",
        "keyUsage=critical,keyCertSign,cRLSign", "-keyout", key, "-out", certificate,
      ])
  }

  /// A certificate that is good for each of `names` (DNS names, or addresses).
  package func good(_ names: [String]) async throws -> Certificate {
    try await signed("good-\(names.first ?? "")", names: names)
  }

  /// A certificate signed by the authority for another name.
  package func wrongName() async throws -> Certificate {
    try await signed("wrongname", names: ["elsewhere.example"])
  }

  /// A self-signed certificate for `name`.
  package func selfSigned(_ name: String) async throws -> Certificate {
    try await make("selfsigned", names: [name], more: [])
  }

  /// A certificate for `name` that an authority signed which no client knows.
  package func untrusted(_ name: String) async throws -> Certificate {
    let other = try await CertificateAuthority()
    let made = try await other.good([name])
    let result = files("untrusted")
    for (from, to) in [
      (made.chain, result.chain), (made.key, result.key), (made.both, result.both),
    ] {
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
    return result
  }

  /// A certificate for `name` that ended in 2020. Only `openssl ca` can date one back.
  package func expired(_ name: String) async throws -> Certificate {
    try await dated("expired", name, from: "20200101000000Z", to: "20200201000000Z")
  }

  /// A certificate for `name` that begins in 2090.
  package func notYetValid(_ name: String) async throws -> Certificate {
    try await dated("early", name, from: "20900101000000Z", to: "20910101000000Z")
  }

  private func files(_ name: String) -> Certificate {
    Certificate(
      chain: folder.path("\(name).crt"), key: folder.path("\(name).key"),
      both: folder.path("\(name).pem"))
  }

  private func signed(_ name: String, names: [String]) async throws -> Certificate {
    try await make(name, names: names, more: ["-CA", certificate, "-CAkey", key])
  }

  private func alternatives(_ names: [String]) -> String {
    names.map { name in
      (name.allSatisfy { $0.isNumber || $0 == "." } || name.contains(":") ? "IP:" : "DNS:") + name
    }.joined(separator: ",")
  }

  private func make(_ name: String, names: [String], more: [String]) async throws -> Certificate {
    let result = files(name)
    try await openssl(
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "90", "-subj", "/CN=\(names[0])",
        "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth",
        "-addext", "subjectAltName=" + alternatives(names), "-keyout", result.key, "-out",
        result.chain,
      ] + more)
    try join(result)
    return result
  }

  private func dated(_ kind: String, _ name: String, from: String, to: String) async throws
    -> Certificate
  {
    let result = files(kind)
    let work = try TemporaryFolder("dated")
    defer { work.remove() }
    try work.write("", to: "index.txt")
    try work.write("1000\n", to: "serial")
    try work.write(
      """
      [ca]
      default_ca=d
      [d]
      database=index.txt
      serial=serial
      new_certs_dir=.
      default_md=sha256
      policy=p
      x509_extensions=e
      [p]
      commonName=supplied
      [e]
      basicConstraints=critical,CA:FALSE
      subjectAltName=\(alternatives([name]))

      """, to: "ca.cnf")
    try await openssl(
      [
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-subj", "/CN=\(name)", "-keyout", result.key, "-out", work.path("request.csr"),
      ])
    try await openssl(
      [
        "ca", "-batch", "-config", "ca.cnf", "-cert", certificate, "-keyfile", key, "-in",
        "request.csr", "-startdate", from, "-enddate", to, "-notext", "-out", result.chain,
      ], directory: work.root.path)
    try join(result)
    return result
  }

  private func join(_ certificate: Certificate) throws {
    let parts = try [certificate.chain, self.certificate, certificate.key].map {
      try String(contentsOfFile: $0, encoding: .utf8)
    }
    try Data(parts.joined().utf8).write(to: URL(filePath: certificate.both))
    for file in [certificate.key, certificate.both] { chmod(file, 0o600) }
  }

  private func openssl(_ arguments: [String], directory: String? = nil) async throws {
    try await CommandRun.check("openssl", arguments, directory: directory)
  }
}
