import Foundation
import NatterCore
import Testing
import XMPP

@Suite struct ModelTests {
  @Test func `messages are ordered by time, then by row`() {
    let early = Date(timeIntervalSince1970: 1)
    let late = Date(timeIntervalSince1970: 2)
    #expect(
      MessagePosition(at: early, id: .init(9)) < MessagePosition(at: late, id: .init(1)))
    #expect(
      MessagePosition(at: late, id: .init(1)) < MessagePosition(at: late, id: .init(2)))
  }

  @Test(arguments: [
    JID(local: nil, domain: "example.org"), JID(local: "a", domain: "b"),
    JID(local: nil, domain: "rooms.example.org", resource: "a@b/c@d"),
    JID(local: "анна", domain: "пример.рф", resource: "\u{301}/👩‍👩‍👧 nick"),
    JID(
      local: String(repeating: "l", count: 1000), domain: "example.org",
      resource: String(repeating: "é", count: 500)),
  ])
  func `a stored address has the same parts again`(jid: JID) {
    let text = jid.description
    #expect(JID(prepared: text) == jid)
    let read = text.utf8.withContiguousStorageIfAvailable { JID(prepared: $0) }
    #expect(read == jid)
    let resource = jid.resource.map { "/" + $0 } ?? ""
    #expect(
      text.utf8.elementsEqual(((jid.local.map { $0 + "@" } ?? "") + jid.domain + resource).utf8))
  }

  @Test func `a stored address has bounded clusters`() {
    let marks = String(repeating: "\u{301}\u{316}", count: 200)
    let jid = "a@b/\(marks)".utf8.withContiguousStorageIfAvailable { JID(prepared: $0) }
    let resource = jid?.resource ?? ""
    #expect(resource.unicodeScalars.count > 400)
    #expect(resource.allSatisfy { $0.unicodeScalars.count <= 31 })
  }

  @Test func `a credential shows nothing of itself`() {
    let credential = Credential(password: "hunter2")
    var dumped = ""
    dump(credential, to: &dumped)
    for text in ["\(credential)", String(reflecting: credential), dumped] {
      #expect(!text.contains("hunter2"))
    }
  }

  @Test(arguments: ConnectionProblem.ProblemKind.allCases)
  func `what asks for a password is not tried again by itself`(kind: ConnectionProblem.ProblemKind)
  {
    let problem = ConnectionProblem(kind)
    #expect(!problem.asksForCredentials || problem.isPermanent)
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.refused, .timedOut, .unreachable, .closed, .unknownHost,
    .serverShutdown,
  ])
  func `what may pass by itself is tried again`(kind: ConnectionProblem.ProblemKind) {
    #expect(!ConnectionProblem(kind).isPermanent)
  }
}
