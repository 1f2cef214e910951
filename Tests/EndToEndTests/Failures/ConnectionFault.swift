import Foundation
import TestSupport
import Testing

/// Everything that can be wrong between Natter and a server, with what Natter has to say of it.
enum ConnectionFault: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case wrongPassword, unknownHost, refusedPort
  case untrusted, selfSigned, expired, notYetValid, wrongName
  case garbage, garbageInTLS, garbageWithoutTLS, webServer, closesAtOnce, neverAnswers, withoutTLS,
    hugeStanza
  case unknownDomain, overloaded

  var testDescription: String { rawValue }

  /// "What happened", briefly.
  var text: String {
    switch self {
    case .wrongPassword: "wrong password"
    case .unknownHost: "the server's name is unknown"
    case .refusedPort: "connection refused"
    case .untrusted: "the certificate is not trusted"
    case .selfSigned: "self-signed"
    case .expired: "the certificate has expired"
    case .notYetValid: "the certificate is not valid yet"
    case .wrongName: "the certificate is for another name"
    case .garbage, .garbageInTLS, .garbageWithoutTLS, .webServer: "not a chat server"
    case .closesAtOnce: "connection closed immediately"
    case .neverAnswers: "no answer"
    case .withoutTLS: "the server offers no encryption"
    case .hugeStanza: "protocol error"
    case .unknownDomain: "the server does not serve this domain"
    case .overloaded: "the server's rules forbid it"
    }
  }

  /// The exit code of a command that needs the connection (sysexits: 69 unavailable, 75 try again,
  /// 77 refused).
  var exitCode: Int32 {
    switch self {
    case .wrongPassword: 77
    case .overloaded: 75
    default: 69
    }
  }

  /// Indicates whether the sign-in form shows the dialog about certificates.
  var concernsCertificate: Bool {
    [.untrusted, .selfSigned, .expired, .notYetValid, .wrongName].contains(self)
  }

  private var behaviour: MisbehavingServer.Behaviour? {
    switch self {
    case .garbage, .garbageWithoutTLS: .garbage
    case .webServer: .http
    case .closesAtOnce: .closesAtOnce
    case .neverAnswers: .neverAnswers
    case .withoutTLS: .opensStreamAndSays(Wire.features(Wire.mechanisms))
    case .hugeStanza: .hugeStanza(bytes: 40_000_000)
    case .unknownDomain: .streamError("host-unknown", text: "not served here")
    case .overloaded: .streamError("resource-constraint", text: "come back later")
    default: nil
    }
  }

  /// Sets the fault up.
  func site() async throws -> FaultySite {
    switch self {
    case .wrongPassword:
      let server = try await ProsodyServer(users: ["alice": "the right one"])
      return FaultySite(
        options: [
          "--server", server.address, "--tls", "starttls", "--ca-file",
          server.authority.certificate,
        ], server: server)
    case .unknownHost:
      return FaultySite(options: ["--server", "nowhere.invalid:5222", "--tls", "starttls"])
    case .refusedPort:
      return FaultySite(
        options: ["--server", "127.0.0.1:\(try LoopbackPort.free())", "--tls", "starttls"])
    case .untrusted, .selfSigned, .expired, .notYetValid, .wrongName:
      let authority = try await CertificateAuthority()
      let certificate =
        switch self {
        case .untrusted: try await authority.untrusted("natter.test")
        case .selfSigned: try await authority.selfSigned("natter.test")
        case .expired: try await authority.expired("natter.test")
        case .notYetValid: try await authority.notYetValid("natter.test")
        default: try await authority.wrongName()
        }
      let greeter = try await TLSGreeter(certificate)
      return FaultySite(
        options: [
          "--server", greeter.address, "--tls", "direct", "--ca-file", authority.certificate,
        ], server: (authority, greeter))
    case .garbageInTLS:
      let authority = try await CertificateAuthority()
      let speaker = try await TLSSpeaker(
        try await authority.good(["natter.test"]), saying: MisbehavingServer.noise)
      return FaultySite(
        options: [
          "--server", speaker.address, "--tls", "direct", "--ca-file", authority.certificate,
        ], server: (authority, speaker))
    default:
      guard let behaviour else { return FaultySite(options: []) }
      let server = try MisbehavingServer(behaviour)
      let security = self == .garbageWithoutTLS ? "off" : "starttls"
      return FaultySite(
        options: ["--server", server.address, "--tls", security], server: server)
    }
  }
}

/// A host where a fault waits, and the options that lead there; it exists as long as this value.
struct FaultySite: Sendable {
  let options: [String]
  private let server: (any Sendable)?

  init(options: [String], server: (any Sendable)? = nil) {
    self.options = options
    self.server = server
  }

  static let account = "alice@natter.test"
  static let password = "tell-nobody-7351"

  /// Natter's full screen with an account whose password it has.
  func screen(home: Home, environment: [String: String] = [:]) throws -> NatterRun {
    try home.folder.write(Self.password + "\n", to: "password")
    return try NatterRun(
      ["--account", Self.account, "--password-file", home.folder.path("password")] + options,
      home: home, environment: environment)
  }

  /// Natter's full screen with an account whose password it asks for.
  func form(home: Home) throws -> NatterRun {
    try NatterRun(["--account", Self.account] + options, home: home)
  }

  /// A command of Natter's with the account and its password.
  func command(_ text: [String], home: Home) async throws -> CommandRun {
    try home.folder.write(Self.password + "\n", to: "password")
    var arguments = ["--password-file", home.folder.path("password")] + options
    if text.first == "send" { arguments += ["--account", Self.account] }
    return try await CommandRun(
      Programs.natter, text + arguments, environment: home.environment(),
      directory: home.home.path, upTo: .seconds(150))
  }
}

/// Pieces of what servers say.
enum Wire {
  static let header =
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
    + "xmlns:stream='http://etherx.jabber.org/streams' id='1' from='natter.test' version='1.0'>"
  static let startTLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"
  static let mechanisms =
    "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism>"
    + "<mechanism>SCRAM-SHA-1</mechanism></mechanisms>"
  static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"

  static func features(_ content: String) -> String {
    "<stream:features>\(content)</stream:features>"
  }
}
