import NatterCore
import Sockets
import TestSupport
import Testing
import XML
import XMPP

@testable import ConnectionService

/// The only conversion of the lower layers' reasons into those of the domain.
@Suite struct ConnectionProblemTests {
  private func problem(_ failure: StreamFailure) -> ConnectionProblem {
    ConnectionProblem(failure, host: "xmpp.example.org", port: 5222)
  }

  @Test(arguments: [
    (SocketError.unknownHost("nowhere.example"), ConnectionProblem.ProblemKind.unknownHost),
    (.serviceNotOffered("example.org"), .serviceNotOffered),
    (.refused(host: "h", port: 1), .refused), (.timedOut(host: "h", port: 1), .timedOut),
    (.unreachable(host: "h", port: 1, errno: 113), .unreachable), (.closed, .closed),
    (.clearTextRefused(host: "h"), .clearTextRefused), (.system(errno: 5), .closed),
    (.certificate(.untrustedIssuer, host: "h", detail: ""), .certificateUntrusted),
    (.certificate(.selfSigned, host: "h", detail: ""), .certificateSelfSigned),
    (.certificate(.expired, host: "h", detail: ""), .certificateExpired),
    (.certificate(.notYetValid, host: "h", detail: ""), .certificateNotYetValid),
    (.certificate(.wrongName, host: "h", detail: ""), .certificateWrongName),
    (.certificate(.other, host: "h", detail: ""), .certificateOther), (.tls("alert"), .tlsFailed),
    (.authorities("/a.pem: no certificate"), .authoritiesUnusable),
  ])
  func `a socket's error keeps its kind`(error: SocketError, kind: ConnectionProblem.ProblemKind) {
    #expect(problem(.socket(error)).kind == kind)
  }

  @Test(arguments: [
    ("127.0.0.1", 15222, "127.0.0.1", "natter.test"), ("::1", 5222, "::1", "natter.test"),
    ("natter.test", 5222, "natter.test", nil), ("", 0, "natter.test", nil),
  ])
  func `an invalid certificate is reported with the host that showed it and the name`(
    host: String, port: Int, location: String, name: String?
  ) {
    let error = SocketError.certificate(.wrongName, host: "natter.test", detail: "bad")
    let problem = ConnectionProblem(.socket(error), host: host, port: port)
    #expect(problem.host == location && problem.port == port && problem.detail == "bad")
    #expect(problem.certificateName == name && problem.subject == "natter.test")
  }

  @Test func `the reason behind it is reported in the language of the user`() {
    let refusal = StanzaError(.modify, .notAcceptable, text: "too short")
    for failure in [StreamFailure.bind(refusal), .registration(refusal)] {
      #expect(problem(failure).detail.isEmpty)
      #expect(problem(failure).cause?.key == "error.ofStanza")
      #expect(
        problem(failure).cause?.arguments == ["reason": "not-acceptable", "text": "too short"])
    }
    let away = problem(.socket(.unreachable(host: "h", port: 1, errno: 113)))
    #expect(away.detail.isEmpty && away.cause?.arguments == ["reason": "113"])
    #expect(problem(.scram(.unusablePassword)).cause?.key == "problem.unusablePassword")
    #expect(problem(.scram(.malformed("nonce"))).detail.isEmpty)
  }

  private static let faults =
    XMLError.Problem.allCases.map { ProtocolFault.xml(XMLError($0, offset: 146)) }
    + ProtocolFault.Rule.allCases.map { ProtocolFault.breach($0, name: "html") }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `where a server breaks the protocol is reported in the language of the user`(tag: String)
    throws
  {
    let (texts, english) = (try texts(of: tag), try englishTexts())
    var seen: Set<String> = []
    for fault in Self.faults {
      for failure in [StreamFailure.notXMPP(fault), .protocolViolation(fault)] {
        #expect(problem(failure).detail.isEmpty)
        let reported = try #require(problem(failure).cause)
        let text = try #require(texts[reported.key], "\(reported.key)")
        let filled = reported.arguments.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
        #expect(!filled.contains("{"), "\(filled)")
        if tag != "en" { #expect(text != english[reported.key], "\(text)") }
        seen.insert(filled)
      }
    }
    #expect(seen.count == Self.faults.count)
    let comment = problem(.protocolViolation(.xml(XMLError(.comment, offset: 146))))
    #expect(comment.kind == .notUnderstood && comment.cause?.key == "error.xml.comment")
    #expect(comment.cause?.arguments == ["condition": "restricted-xml", "offset": "146"])
  }

  @Test func `that libcurl is missing is reported in the language of the user`() {
    let missing = problem(.socket(.library("libcurl.so.4: no such file")))
    #expect(missing.kind == .tlsFailed && missing.detail.isEmpty)
    #expect(missing.cause?.key == "error.http.library")
    #expect(missing.cause?.arguments == ["reason": "libcurl.so.4: no such file"])
  }

  @Test
  func `a server that does not serve the domain says more than the failures of other hosts`() {
    let found = problem(.stream(StreamError(.hostUnknown)))
    #expect(found.kind == .domainNotServed)
    #expect(found.host == "xmpp.example.org" && found.port == 5222)
    for other in [
      StreamFailure.socket(.tls("alert")), .notXMPP(.breach(.noNamespace)), .tlsUnavailable, .ended,
    ] {
      #expect(found.progress > problem(other).progress)
    }
  }

  @Test(arguments: [
    (SASLFailure.Condition.notAuthorized, ConnectionProblem.ProblemKind.wrongPassword),
    (.accountDisabled, .accountDisabled), (.credentialsExpired, .credentialsExpired),
    (.encryptionRequired, .tlsRequired), (.mechanismTooWeak, .mechanismTooWeak),
    (.temporaryAuthFailure, .busy), (.malformedRequest, .notAuthorized),
  ])
  func `a refused sign-in keeps its reason and the server's text`(
    condition: SASLFailure.Condition, kind: ConnectionProblem.ProblemKind
  ) {
    let problem = problem(.authentication(SASLFailure(condition, text: "no way")))
    #expect(problem.kind == kind)
    #expect(problem.detail == "no way")
    #expect(problem.host == "xmpp.example.org")
    #expect(problem.port == 5222)
  }

  @Test(arguments: [
    (StanzaError(.cancel, .conflict), ConnectionProblem.ProblemKind.nameTaken),
    (StanzaError(.modify, .notAcceptable), .formRejected),
    (StanzaError(.modify, .badRequest), .formRejected),
    (StanzaError(.modify, .jidMalformed), .formRejected),
    (StanzaError(.modify, .policyViolation), .formRejected),
    (StanzaError(.wait, .resourceConstraint), .busy), (StanzaError(.wait, .notAcceptable), .busy),
    (StanzaError(.wait, .internalServerError), .busy),
    (StanzaError(.cancel, .internalServerError), .serverError),
    (StanzaError(.cancel, .notAllowed), .registrationRefused),
    (StanzaError(.auth, .forbidden), .registrationRefused),
    (StanzaError(.cancel, .serviceUnavailable), .registrationRefused),
  ])
  func `a refused account is reported with the cause`(
    error: StanzaError, kind: ConnectionProblem.ProblemKind
  ) {
    #expect(problem(.registration(error)).kind == kind)
    #expect(problem(.registration(error)).cause != nil)
  }

  @Test(arguments: StreamError.Condition.allCases)
  func `every stream error becomes a problem that names it`(condition: StreamError.Condition) {
    let problem = problem(.stream(StreamError(condition, text: "because")))
    #expect(problem.detail == "\(condition.rawValue): because")
  }

  @Test(arguments: [
    ("connection-timeout", ConnectionProblem.ProblemKind.idleTooLong),
    ("see-other-host", .movedAway),
    ("bad-format", .notUnderstood), ("bad-namespace-prefix", .notUnderstood),
    ("invalid-from", .notUnderstood), ("invalid-namespace", .notUnderstood),
    ("invalid-xml", .notUnderstood), ("not-well-formed", .notUnderstood),
    ("restricted-xml", .notUnderstood), ("unsupported-encoding", .notUnderstood),
    ("unsupported-feature", .notUnderstood), ("unsupported-stanza-type", .notUnderstood),
    ("unsupported-version", .notUnderstood), ("internal-server-error", .serverError),
    ("remote-connection-failed", .serverError), ("undefined-condition", .serverError),
    ("conflict", .conflict), ("host-unknown", .domainNotServed), ("host-gone", .domainNotServed),
    ("improper-addressing", .domainNotServed), ("policy-violation", .policyViolation),
    ("resource-constraint", .policyViolation), ("system-shutdown", .serverShutdown),
    ("reset", .serverShutdown), ("not-authorized", .notAuthorized),
  ])
  func `a stream error is shown as what it means`(name: String, kind: ConnectionProblem.ProblemKind)
    throws
  {
    let condition = try #require(StreamError.Condition(rawValue: name))
    #expect(problem(.stream(StreamError(condition))).kind == kind)
  }

  @Test func `the host that the server redirects to is shown`() {
    let error = StreamError(.seeOtherHost, otherHost: "other.example.org:5222")
    #expect(problem(.stream(error)).detail == "see-other-host: other.example.org:5222")
  }

  @Test func `an impostor and a server that speaks something else are distinguished`() {
    #expect(problem(.scram(.wrongServerSignature)).kind == .serverUnproven)
    #expect(problem(.scram(.wrongNonce)).kind == .serverUnproven)
    #expect(problem(.scram(.announcementChanged)).kind == .signInTampered)
    #expect(
      problem(.scram(.refused("server-does-support-channel-binding"))).kind == .signInTampered)
    #expect(problem(.notXMPP(.breach(.otherElement, name: "html"))).kind == .notXMPP)
    #expect(problem(.timedOut).kind == .timedOut)
    #expect(problem(.noUsableMechanism(offered: ["X-A", "X-B"])).detail == "X-A, X-B")
  }

  @Test(arguments: [
    (SCRAMError.tooFewIterations(1), ConnectionProblem.ProblemKind.hashingTooWeak),
    (.tooManyIterations(99_999_999), .hashingTooCostly),
    (.announcementMissing, .signInWeakened), (.refused("invalid-proof"), .wrongPassword),
  ])
  func `a problem in a SCRAM exchange is reported once, and not retried automatically`(
    error: SCRAMError, kind: ConnectionProblem.ProblemKind
  ) {
    let problem = problem(.scram(error))
    #expect(problem.kind == kind)
    #expect(problem.isPermanent && !problem.mayPass)
  }

  @Test func `a message that is not SCRAM's is a matter between the programs`() {
    let problem = problem(.scram(.malformed("s")))
    #expect(problem.kind == .notUnderstood)
    #expect(problem.cause?.arguments == ["name": "s"])
  }

  @Test func `a weaker sign-in is asked about, with what the server offers`() {
    let problem = problem(.weakerSignIn(offered: ["PLAIN", "X-A"]))
    #expect(problem.kind == .signInWeakened)
    #expect(problem.asksForCredentials && problem.isPermanent && !problem.mayPass)
    #expect(problem.detail == "PLAIN, X-A")
  }

  @Test func `a certificate says more than the kind of TLS that cannot work on the same port`() {
    let certificate = ConnectionProblem(.certificateExpired, host: "a.test", port: 5222)
    let other = ConnectionProblem(.tlsFailed, host: "a.test", port: 5222)
    let refused = ConnectionProblem(.refused, host: "a.test", port: 5223)
    let unknown = ConnectionProblem(.unknownHost, host: "b.test")
    #expect(certificate.progress > other.progress)
    #expect(other.progress > refused.progress)
    #expect(refused.progress > unknown.progress)
  }
}
