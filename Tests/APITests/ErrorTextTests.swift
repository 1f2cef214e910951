import Glibc
import HTTP
import NatterCore
import Sockets
import TestSupport
import Testing

@testable import API

/// Every failure of the web, as text in each language.
@Suite struct ErrorTextTests {
  private static let host = "files.example.org"

  private static let failures: [HTTPError] =
    [
      .clearTextRefused(host: host), .invalidHeader(name: "X-Evil"), .unknownHost(host),
      .refused(host: host, port: 443), .unreachable(host: host, port: 443, errno: EHOSTUNREACH),
      .timedOut(host: host), .stalled(host: host), .broken(host: host), .incomplete(host: host),
      .handshakeBroken(host: host), .privateNetwork(host: host, address: [10, 0, 0, 1]),
      .redirectRefused(to: "http://elsewhere.example/"), .tooManyRedirects,
      .tooLarge(limit: 1_000_000), .malformed("no status line"), .wrongRange("bytes 0-9"),
      .unreadable(errno: 0),
      .unreadable(errno: EIO), .unwritable(errno: ENOSPC), .unwritable(errno: EDQUOT),
      .unwritable(errno: EFBIG), .tls("handshake failure"), .proxy("502"),
      .proxyRefused("407"), .library("no libcurl"),
      .cancelled,
    ]
    + [
      CertificateProblem.untrustedIssuer, .selfSigned, .expired, .notYetValid, .wrongName,
      .revoked, .other,
    ].map { .certificate($0, host: host, detail: "verify error 10") }

  /// A case that the list above lacks is a case that this lacks, and that does not compile.
  private static func name(_ error: HTTPError) -> String {
    switch error {
    case .clearTextRefused: "clearTextRefused"
    case .invalidHeader: "invalidHeader"
    case .unknownHost: "unknownHost"
    case .privateNetwork: "privateNetwork"
    case .refused: "refused"
    case .unreachable: "unreachable"
    case .timedOut: "timedOut"
    case .stalled: "stalled"
    case .broken: "broken"
    case .handshakeBroken: "handshakeBroken"
    case .incomplete: "incomplete"
    case .redirectRefused: "redirectRefused"
    case .tooManyRedirects: "tooManyRedirects"
    case .tooLarge: "tooLarge"
    case .malformed: "malformed"
    case .wrongRange: "wrongRange"
    case .unreadable: "unreadable"
    case .unwritable: "unwritable"
    case .certificate: "certificate"
    case .tls: "tls"
    case .proxy: "proxy"
    case .proxyRefused: "proxyRefused"
    case .library: "library"
    case .cancelled: "cancelled"
    }
  }

  private func sentence(_ reported: NatterError, _ texts: [String: String]) throws -> String {
    let text = try #require(texts[reported.key], "\(reported.key)")
    return reported.arguments.reduce(text) {
      $0.replacing("{\($1.key)}", with: $1.value)
        .replacing("{\($1.key):bytes}", with: $1.value)
        .replacing("{\($1.key):system}", with: texts["error.system.\($1.value)"] ?? $1.value)
    }
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `every failure is a sentence in its language`(tag: String) throws {
    #expect(Set(Self.failures.map(Self.name)).count == 24)
    let (texts, english) = (try texts(of: tag), try englishTexts())
    var seen: [String: String] = [:]
    for error in Self.failures {
      let reported = error.natterError
      let text = try sentence(reported, texts)
      #expect(text.count > (tag == "zh-Hans" ? 3 : 10), "\(error): \(text)")
      // Nothing is left to be filled in, and nothing of the program's insides is shown.
      for part in ["{", "HTTPError", "Optional", "errno", Self.name(error) + "("] {
        #expect(!text.contains(part), "\(text)")
      }
      if tag != "en" { #expect(try sentence(reported, english) != text, "\(text)") }
      // What is different to a person is said differently.
      let other = seen.updateValue(reported.key, forKey: text)
      #expect(other == nil || other == reported.key, "\(text)")
    }
  }

  @Test func `a user who has to do something is shown what`() throws {
    let texts = try englishTexts()
    for (error, serverText) in [
      (HTTPError.unwritable(errno: ENOSPC), "The disk is full"),
      (.certificate(.expired, host: Self.host, detail: ""), "files.example.org has expired"),
      (.certificate(.notYetValid, host: Self.host, detail: ""), "clock right?"),
      (.stalled(host: Self.host), "files.example.org stopped responding"),
      (.proxy("CONNECT tunnel failed, response 502"), "The proxy does not work: CONNECT"),
      (.proxyRefused("CONNECT tunnel failed, response 403"), "The proxy does not work: CONNECT"),
      (.unreadable(errno: 0), "changed while it was being sent"),
      (.unwritable(errno: EFBIG), "the file would be too large"),
    ] {
      #expect(try sentence(error.natterError, texts).contains(serverText))
    }
  }

  @Test(
    arguments: [
      (413, "Quota reached", "The server accepts no more data (413 Quota reached)."),
      (413, nil, "The server accepts no more data (413)."),
      (403, nil, "The server does not allow it (403)."),
      (404, "No such file", "It is no longer there (404 No such file)."),
      (507, nil, "The server accepts no more data (507)."), (503, nil, "The server refused (503)."),
    ] as [(Int, String?, String)])
  func `an HTTP status is shown with the server's text, if there is any`(
    status: Int, serverText: String?, text: String
  ) throws {
    let error = APIError.status(.init(status: status, serverText: serverText)).natterError
    #expect(try sentence(error, try englishTexts()) == text)
  }
}
