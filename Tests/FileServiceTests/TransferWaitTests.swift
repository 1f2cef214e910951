import Testing

@testable import FileService

@Suite struct TransferWaitTests {
  @Test func `a transfer without a connection waits until there is another one`() {
    #expect(TransferWait.connection(after: 2).lasts(at: 2))
    #expect(!TransferWait.connection(after: 2).lasts(at: 3))
  }

  @Test func `no connection ends the wait for what is being stored`() {
    #expect(TransferWait.storing.lasts(at: .max))
  }
}
