import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// The user's changes of transfers while the disk is full or slow.
extension TransferQueueTests {
  @Test func `a cancellation that cannot be stored is refused, and the file is sent`() async throws
  {
    let web = Web()
    web.halted.update { $0 = ["https://a.test/put/a"] }
    let isFull = Observed(false)
    let database = try await AccountDatabase.inMemory()
    let files = try await FileFixture(
      database: database, transport: web,
      store: FullTransferStore(inner: database.transfers, isFull: isFull))
    await connect(files, SlotChannel { .slot(Self.slot($0)) })
    let transfer = try await share("a", in: files)
    #expect(await web.puts.waits(upTo: .seconds(60)) { $0.count == 1 })
    isFull.update { $0 = true }
    let error = await #expect(throws: NatterError.self) {
      try await files.queue.cancel(transfer.id)
    }
    #expect(error?.key == "error.storage.full")
    #expect(await files.queue.transfers(in: nil).map(\.id) == [transfer.id])
    isFull.update { $0 = false }
    web.halted.update { $0 = [] }
    #expect(await isDone(transfer, files))
    #expect(await files.messages.sent.map(\.file.name) == ["a"])
    await files.stop()
  }
}
