import Foundation
import Storage
import Testing
import TestSupport

@testable import natter

@Suite struct ProgressWriterTests {
  @Test func `two that answer about one file at once leave whole answers, and the last word stays`()
    async throws
  {
    let folder = try TemporaryFolder("answers")
    defer { folder.remove() }
    let spool = MessageSpool(besideDatabase: folder.path("a.db"))
    try spool.expectAnswer(to: "f-1")
    let userFiles = ProgressWriter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 1...4 {
        group.addTask {
          for number in 1...250 {
            try userFiles.leave(
              .moving(name: "f", progress: "\(task) \(number)"), to: "f-1", in: spool)
            #expect(spool.answer(to: "f-1") != nil)
          }
        }
      }
      try await group.waitForAll()
    }
    try userFiles.leave(.stopped(isTooLate: false), to: "f-1", in: spool)
    // What was on its way when it was stopped.
    try userFiles.leave(.moving(name: "f", progress: "99 %"), to: "f-1", in: spool)
    #expect(spool.answer(to: "f-1") == .stopped(isTooLate: false))
    try spool.expectAnswer(to: "f-2")
    try userFiles.leave(.moving(name: "g", progress: "1 %"), to: "f-2", in: spool)
    #expect(spool.answer(to: "f-2") == .moving(name: "g", progress: "1 %"))
  }
}
