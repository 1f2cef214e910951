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
