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

  @Test func `a pause of one that is stored as done comes too late`() async throws {
    let (isStoring, mayGo) = (Observed(false), Observed(false))
    let database = try await AccountDatabase.inMemory()
    let files = try await FileFixture(
      database: database, transport: Web(),
      store: SlowTransferStore(
        inner: database.transfers, delayed: .done, isStoring: isStoring, mayGo: mayGo,
        storesFirst: true))
    let transfer = try await fetch("a", in: files)
    #expect(await isStoring.waits(upTo: .seconds(60)) { $0 })
    await files.queue.pause(transfer.id)
    mayGo.update { $0 = true }
    #expect(await isDone(transfer, files))
    #expect(try await database.transfers.transfers().map(\.state) == [.done])
    await files.stop()
  }
}
