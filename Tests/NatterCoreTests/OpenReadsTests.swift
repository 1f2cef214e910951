import Testing

@testable import NatterCore

@Suite struct OpenReadsTests {
  @Test func `more changes than are recorded leave a read unused`() {
    var reads = OpenReads<String, Int>(limit: 3)
    let read = reads.begin("a")
    let later = reads.begin("b")
    reads.note([1, 2, 3], of: "a")
    #expect(reads.changes(during: read) == .some([1, 2, 3]))
    #expect(!reads.changes(during: read).accept(2) && reads.changes(during: read).accept(4))
    reads.note([4], of: "a")
    #expect(reads.changes(during: read) == .countless)
    #expect(!reads.changes(during: read).accept(5))
    #expect(reads.changes(during: later) == .some([]))
    reads.end(read)
    #expect(reads.changes(during: read) == .countless)
  }

  @Test func `a read during which everything changed is unusable, and no other one`() {
    var reads = OpenReads<String, Int>()
    let (read, other) = (reads.begin("a"), reads.begin("b"))
    reads.noteAll(of: "a")
    let later = reads.begin("a")
    reads.note([1], of: "a")
    #expect(reads.changes(during: read) == .countless)
    #expect(reads.changes(during: other) == .some([]))
    #expect(reads.changes(during: later) == .some([1]))
  }
}
