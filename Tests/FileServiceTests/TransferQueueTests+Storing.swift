import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// The user's changes of transfers while the disk is full or slow.
extension TransferQueueTests {
  /// Returns a server that does not answer while a test uploads the file `a`.
  private static func halted() -> Web {
    let web = Web()
    web.halted.update { $0 = ["https://a.test/put/a"] }
    return web
  }

  private func files(_ web: Web, fullWhile isFull: Observed<Bool>) async throws -> FileFixture {
    let database = try await AccountDatabase.inMemory()
    return try await FileFixture(
      database: database, transport: web,
      store: HookedTransferStore.full(database.transfers, while: isFull))
  }

  @Test func `a cancellation that cannot be stored is refused, and the file is sent`() async throws
  {
    let (web, isFull) = (Self.halted(), Observed(false))
    let files = try await files(web, fullWhile: isFull)
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
      store: HookedTransferStore.slow(
        database.transfers, delayed: .done, isStoring: isStoring, mayGo: mayGo,
        storesFirst: true))
    let transfer = try await fetch("a", in: files)
    #expect(await isStoring.waits(upTo: .seconds(60)) { $0 })
    await files.queue.pause(transfer.id)
    mayGo.update { $0 = true }
    #expect(await isDone(transfer, files))
    #expect(try await database.transfers.transfers().map(\.state) == [.done])
    await files.stop()
  }

  private func states(_ files: FileFixture) async -> [FileTransfer.TransferStatus] {
    await files.queue.transfers(in: nil).map(\.state)
  }

  @Test func `a pause or a resumption that cannot be stored is undone, and the user is notified`()
    async throws
  {
    let (web, isFull) = (Self.halted(), Observed(false))
    let files = try await files(web, fullWhile: isFull)
    let events = files.hub.events()
    await connect(files, SlotChannel { .slot(Self.slot($0)) })
    let transfer = try await share("a", in: files)
    #expect(await web.puts.waits(upTo: .seconds(60)) { $0.count == 1 })
    isFull.update { $0 = true }
    await files.queue.pause(transfer.id)
    #expect(await states(files) == [.running])
    isFull.update { $0 = false }
    await files.queue.pause(transfer.id)
    isFull.update { $0 = true }
    await files.queue.resume(transfer.id)
    #expect(await states(files) == [.paused])
    #expect(try await files.database.transfers.transfers().map(\.state) == [.paused])
    let notices = await events.published(on: files.hub).filter {
      if case .notice = $0 { true } else { false }
    }
    #expect(
      notices == Array(repeating: .notice(StatusNotice(.error, "error.storage.full")), count: 2))
    isFull.update { $0 = false }
    web.halted.update { $0 = [] }
    await files.queue.resume(transfer.id)
    #expect(await isDone(transfer, files))
    await files.stop()
  }

  @Test func `a failed one whose retry cannot be stored stays failed`() async throws {
    let (isFull, isSilent) = (Observed(false), Observed(true))
    let files = try await files(Web(), fullWhile: isFull)
    await connect(files, SlotChannel { isSilent.value ? .silence : .slot(Self.slot($0)) })
    let transfer = try await share("a", in: files)
    let end = try #require(await files.end(of: transfer.id))
    isSilent.update { $0 = false }
    isFull.update { $0 = true }
    #expect(await files.queue.retry(transfer.id) == false)
    #expect(await states(files) == [end])
    isFull.update { $0 = false }
    #expect(await files.queue.retry(transfer.id))
    #expect(await isDone(transfer, files))
    await files.stop()
  }

  @Test func `one that is resumed does not begin before that is stored`() async throws {
    let (isStoring, mayGo) = (Observed(false), Observed(false))
    let database = try await AccountDatabase.inMemory()
    let files = try await FileFixture(
      database: database, transport: Web(),
      store: HookedTransferStore.slow(
        database.transfers, delayed: .waiting, isStoring: isStoring, mayGo: mayGo))
    let transfer = try await share("a", in: files)
    await files.queue.pause(transfer.id)
    let resuming = Task { await files.queue.resume(transfer.id) }
    #expect(await isStoring.waits(upTo: .seconds(60)) { $0 })
    let channel = SlotChannel { .slot(Self.slot($0)) }
    await connect(files, channel)
    #expect(await isDone(try await share("b", in: files), files))
    #expect(channel.asked.value == ["b"])
    mayGo.update { $0 = true }
    await resuming.value
    #expect(await isDone(transfer, files))
    await files.stop()
  }
}
