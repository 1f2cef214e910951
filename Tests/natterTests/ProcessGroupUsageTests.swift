import Foundation
import Testing

@testable import natter

@Suite struct ProcessGroupUsageTests {
  private func process(_ text: String) -> ProcessGroupUsage.Process? {
    ProcessGroupUsage.Process(stat: Array(text.utf8)[...])
  }

  @Test func `the name of a process may look like fields`() throws {
    let found = try #require(
      process(
        "12 (a) S 9 9 (b) S 1 77 77 0 -1 4194560 8 0 0 0 3 4 50 60 20 0 1 0 999 5000 321 99\n"))
    #expect(found.group == 77)
    #expect(found.pages == 321)
    #expect(found.ticks == 117)
    #expect(found.threads == 1)
  }

  @Test func `the newest process is the last number, and nothing else is one`() {
    func newest(_ text: String) -> Int? { TaskCount.newest(in: Array(text.utf8)[...]) }
    #expect(newest("0.20 0.18 0.12 1/80 11206\n") == 11206)
    for text in ["", "0.20 0.18 0.12 1/80", "0.20 0.18 0.12 1/80 x\n"] {
      #expect(newest(text) == nil, "\(text)")
    }
  }

  @Test func `half a line is none`() {
    for text in ["", "12", "12 (a) S 1 77", "12 (a"] { #expect(process(text) == nil) }
  }

  @Test func `this process has memory, and a group that is not there has none`() {
    #expect(ProcessGroupUsage(ofGroup: getpgrp()).memory > 0)
    #expect(ProcessGroupUsage(ofGroup: .max) == ProcessGroupUsage(ofGroup: .max - 1))
    #expect(ProcessGroupUsage(ofGroup: .max).memory == 0)
  }
}
