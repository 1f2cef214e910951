import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// Several transfers at once, over connections that die and servers that keep silent.
@Suite struct TransferQueueTests {
  /// Takes what is put, gives what is asked for; files can be made to halt on the way.
  final class Web: FileTransporting {
    let puts = Observed<[String]>([])
    let heads = Observed<[String]>([])
    let gets = Observed<[String]>([])
    /// Addresses whose bytes do not move.
    let halted = Observed<Set<String>>([])
    /// Addresses that are not described before the test wants.
    let undescribed = Observed<Set<String>>([])
    private let sizes = Observed<[String: Int]>([:])

    /// A hand that stops nothing: what halts here halts anyway.
    private final class Hand: TransferHolding {
      func pause() {}
      func resume() {}
    }

    func put(
      _ descriptor: CInt, byteCount: Int, mediaType: String?, to slot: XEP0363Slot,
      onBegin: @Sendable (any TransferHolding) -> Void,
      onProgress: @escaping @Sendable (Int) -> Void
    ) async throws {
      puts.update { $0.append(slot.put) }
      onBegin(Hand())
      _ = await halted.waits(upTo: .seconds(60)) { !$0.contains(slot.put) }
      try Task.checkCancellation()
      sizes.update { $0[slot.get] = byteCount }
      onProgress(byteCount)
    }

    func get(
      _ address: String, into descriptor: CInt, held: Int, validator: String?, sizeLimit: Int,
      onBegin: @Sendable (any TransferHolding) -> Void,
      onProgress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> Int {
      gets.update { $0.append(address) }
      onBegin(Hand())
      _ = await halted.waits(upTo: .seconds(60)) { !$0.contains(address) }
      try Task.checkCancellation()
      #expect(pwrite(descriptor, "rose", 4, 0) == 4)
      onProgress(4, 4)
      return 4
    }

    func leadsToThisMachine(_ address: String) -> Bool { false }
    func agree(to host: String) {}
    func describe(_ address: String) async throws -> RemoteFile {
      heads.update { $0.append(address) }
      _ = await undescribed.waits(upTo: .seconds(60)) { !$0.contains(address) }
      return RemoteFile(byteCount: sizes.value[address])
    }
  }

  static func slot(_ name: String) -> XEP0363Slot {
    XEP0363Slot(put: "https://a.test/put/\(name)", get: "https://a.test/get/\(name)")
  }

  func connect(_ files: FileFixture, _ channel: SlotChannel) async {
    await files.queue.channelOpened(channel)
    await files.queue.sessionStarted(.fixture, over: channel)
  }

  func share(_ name: String, in files: FileFixture, _ text: String? = nil) async throws
    -> FileTransfer
  {
    try await files.queue.share(
      try files.write(Array((text ?? name).utf8), to: name), with: FileFixture.bob)
  }

  func fetch(_ name: String, in files: FileFixture) async throws -> FileTransfer {
    let message = try await files.offer(SharedFile(address: "https://a.test/get/\(name)"))
    return try await files.queue.fetch(message, to: nil)
  }

  /// Waits until a transfer is done that may have failed before.
  func isDone(_ transfer: FileTransfer, _ files: FileFixture) async -> Bool {
    await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done }
  }

  // MARK: Connections and silence

  @Test func `on a dead connection nothing is asked again and again; the next one takes it up`()
    async throws
  {
    let files = try await FileFixture(transport: Web())
    let isAlive = Observed(false)
    let channel = SlotChannel { [isAlive] name in isAlive.value ? .slot(Self.slot(name)) : .dead }
    await connect(files, channel)
    let transfer = try await share("a", in: files)
    #expect(await channel.asked.waits(upTo: .seconds(60)) { !$0.isEmpty })
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .waiting })
    // Long enough to ask a hundred times.
    for number in 0..<20 {
      #expect(await isDone(try await fetch("other\(number)", in: files), files))
    }
    // Opening and starting a session count as news of a connection each.
    #expect(channel.asked.value.count <= 3)
    isAlive.update { $0 = true }
    await files.queue.connectionOpened()
    await files.queue.sessionResumed()
    #expect(await isDone(transfer, files))
    #expect(await files.messages.sent.map(\.originID) == [try #require(transfer.originID)])
    await files.stop()
  }

  @Test func `a slot not given in time is asked for again, then reported; others go on`()
    async throws
  {
    let files = try await FileFixture(transport: Web())
    let isSilent = Observed(true)
    let channel = SlotChannel { [isSilent] name in
      name == "mute" && isSilent.value ? .silence : .slot(Self.slot(name))
    }
    await connect(files, channel)
    let mute = try await share("mute", in: files)
    var others: [FileTransfer] = []
    for name in ["a", "b", "c"] { others.append(try await share(name, in: files)) }
    for other in others { #expect(await files.end(of: other.id) == .done) }
    #expect(await files.failure(of: mute.id) == "error.files.silence")
    #expect(channel.asked.value.count { $0 == "mute" } == 1 + TransferPauses.all.count)
    // Another connection may be to one that answers.
    isSilent.update { $0 = false }
    await files.queue.sessionResumed()
    #expect(await isDone(mute, files))
    #expect(await files.messages.sent.count == 4)
    await files.stop()
  }

  @Test func `files that wait for a silent server do not block others that do not need it`()
    async throws
  {
    let web = Web()
    let files = try await FileFixture(transport: web)
    let channel = SlotChannel { name in
      name.hasPrefix("mute") ? .nothing : .slot(Self.slot(name))
    }
    await connect(files, channel)
    let first = try await share("a", in: files)
    #expect(await files.end(of: first.id) == .done)
    for number in 0..<3 { _ = try await share("mute\(number)", in: files) }
    #expect(await channel.asked.waits(upTo: .seconds(60)) { $0.count == 4 })
    // The server has this one: it needs no slot. And a download needs no server of ours.
    let known = try await share("again", in: files, "a")
    #expect(await files.end(of: known.id) == .done)
    #expect(await files.end(of: try await fetch("b", in: files).id) == .done)
    #expect(web.puts.value.count == 1)
    await files.stop()
  }

  @Test
  func `a part of the server that never says what it is does not hide the one that takes files`()
    async throws
  {
    let files = try await FileFixture(transport: Web())
    let channel = SlotChannel(
      parts: ["mute.natter.test", "upload.natter.test"], mute: ["natter.test", "mute.natter.test"]
    ) { .slot(Self.slot($0)) }
    await connect(files, channel)
    #expect(await files.end(of: try await share("a", in: files).id) == .done)
    await files.stop()
  }

  @Test func `a server that does not answer is not one that takes no files`() async throws {
    let files = try await FileFixture(transport: Web())
    let channel = SlotChannel(mute: ["upload.natter.test"]) { .slot(Self.slot($0)) }
    await connect(files, channel)
    let transfer = try await share("a", in: files)
    #expect(await files.failure(of: transfer.id) == "error.files.silence")
    let other = SlotChannel { .slot(Self.slot($0)) }
    await connect(files, other)
    #expect(await isDone(transfer, files))
    await files.stop()
  }

  @Test func `held ones and waiting ones go on after signing in, however many they are`()
    async throws
  {
    let first = try await FileFixture(transport: Web())
    var all: [FileTransfer] = []
    for number in 0..<20 { all.append(try await share("file\(number)", in: first)) }
    await first.queue.pause(all[0].id)
    await first.stop()
    let second = try await FileFixture(
      database: first.database, folder: first.folder, transport: Web())
    let channel = SlotChannel { .slot(Self.slot($0)) }
    await connect(second, channel)
    for transfer in all.dropFirst() { #expect(await second.end(of: transfer.id) == .done) }
    #expect(await second.queue.transfers(in: nil).map(\.id) == [all[0].id])
    #expect(!channel.asked.value.contains("file0"))
    await second.queue.resume(all[0].id)
    #expect(await isDone(all[0], second))
    #expect(
      Set(await second.messages.sent.map(\.originID)) == Set(all.compactMap(\.originID)))
    #expect(await second.messages.sent.count == 20)
    await second.stop()
  }

  // MARK: The user's control

  @Test func `a transfer is shown as paused once that is stored`() async throws {
    let (isStoring, mayGo) = (Observed(false), Observed(false))
    let database = try await AccountDatabase.inMemory()
    let web = Web()
    web.halted.update { $0 = ["https://a.test/put/a"] }
    let files = try await FileFixture(
      database: database, transport: web,
      store: HookedTransferStore.slow(
        database.transfers, delayed: .paused, isStoring: isStoring, mayGo: mayGo))
    await connect(files, SlotChannel { .slot(Self.slot($0)) })
    let transfer = try await share("a", in: files)
    #expect(await web.puts.waits(upTo: .seconds(60)) { $0.count == 1 })
    let pausing = Task { await files.queue.pause(transfer.id) }
    #expect(await isStoring.waits(upTo: .seconds(60)) { $0 })
    // Once this event is seen, all that were published before it are.
    files.hub.publish(
      .messagesChanged([try await files.offer(SharedFile(address: "https://a.test/get/b"))]))
    #expect(await files.messageNews.waits(upTo: .seconds(60)) { !$0.isEmpty })
    #expect(!files.states.value.contains(.paused))
    mayGo.update { $0 = true }
    await pausing.value
    #expect(await files.states.waits(upTo: .seconds(60)) { $0.contains(.paused) })
    #expect(try await database.transfers.transfers().map(\.state) == [.paused])
    web.halted.update { $0 = [] }
    await files.queue.resume(transfer.id)
    #expect(await isDone(transfer, files))
    await files.stop()
  }

  @Test func `those that the user pauses take no slot`() async throws {
    let web = Web()
    web.halted.update { all in
      for number in 0..<3 {
        all.insert("https://a.test/put/held\(number)")
        all.insert("https://a.test/get/held\(number)")
      }
    }
    let files = try await FileFixture(transport: web)
    await connect(files, SlotChannel { .slot(Self.slot($0)) })
    var held: [FileTransfer] = []
    for number in 0..<3 {
      held.append(try await share("held\(number)", in: files))
      held.append(try await fetch("held\(number)", in: files))
    }
    #expect(await web.puts.waits(upTo: .seconds(60)) { $0.count == 3 })
    #expect(await web.gets.waits(upTo: .seconds(60)) { $0.count == 3 })
    let upload = try await share("up", in: files)
    let download = try await fetch("down", in: files)
    #expect(!web.puts.value.contains("https://a.test/put/up"))
    for transfer in held { await files.queue.pause(transfer.id) }
    #expect(await files.end(of: upload.id) == .done)
    #expect(await files.end(of: download.id) == .done)
    for transfer in held { await files.queue.resume(transfer.id) }
    web.halted.update { $0 = [] }
    for transfer in held { #expect(await isDone(transfer, files)) }
    #expect(web.puts.value.count == 4)
    await files.stop()
  }

  @Test
  func `a cancellation works until the message is sent, and is refused when it is too late`()
    async throws
  {
    let web = Web()
    let address = "https://a.test/get/a"
    web.undescribed.update { $0 = [address] }
    let files = try await FileFixture(transport: web)
    await connect(files, SlotChannel { .slot(Self.slot($0)) })
    let early = try await share("a", in: files)
    // All its bytes are up.
    #expect(await web.heads.waits(upTo: .seconds(60)) { $0.contains(address) })
    try await files.queue.cancel(early.id)
    web.undescribed.update { $0 = [] }
    #expect(await isDone(try await share("b", in: files), files))
    #expect(await files.messages.sent.map(\.file.name) == ["b"])
    #expect(try await files.database.transfers.transfers().map(\.id).contains(early.id) == false)

    let isGiven = Observed(false)
    let mayGo = Observed(false)
    await files.messages.wait { [isGiven, mayGo] in
      isGiven.update { $0 = true }
      _ = await mayGo.waits(upTo: .seconds(60)) { $0 }
    }
    let late = try await share("c", in: files)
    #expect(await isGiven.waits(upTo: .seconds(60)) { $0 })
    for isOver in [false, true] {
      if isOver {
        mayGo.update { $0 = true }
        #expect(await isDone(late, files))
      }
      let error = await #expect(throws: NatterError.self) {
        try await files.queue.cancel(late.id)
      }
      #expect(error?.key == "error.files.offered")
    }
    #expect(await files.messages.sent.map(\.file.name) == ["b", "c"])
    await files.stop()
  }

  @Test func `one that is held when its bytes are up is offered when it may go on, and not before`()
    async throws
  {
    let web = Web()
    let address = "https://a.test/get/a"
    web.undescribed.update { $0 = [address] }
    let files = try await FileFixture(transport: web)
    await connect(files, SlotChannel { .slot(Self.slot($0)) })
    let transfer = try await share("a", in: files)
    #expect(await web.heads.waits(upTo: .seconds(60)) { $0.contains(address) })
    await files.queue.pause(transfer.id)
    web.undescribed.update { $0 = [] }
    #expect(await isDone(try await share("b", in: files), files))
    #expect(await files.messages.sent.map(\.file.name) == ["b"])
    #expect(await files.queue.transfers(in: nil).map(\.state) == [.paused])
    await files.queue.resume(transfer.id)
    #expect(await isDone(transfer, files))
    #expect(await files.messages.sent.map(\.file.name) == ["b", "a"])
    #expect(web.puts.value.count == 2)
    await files.stop()
  }

  @Test func `a text follows the file, also after a restart`() async throws {
    let first = try await FileFixture(transport: Web())
    let transfer = try await first.queue.share(
      try first.write([1], to: "a"), with: FileFixture.bob, text: "for you")
    await first.stop()
    let second = try await FileFixture(
      database: first.database, folder: first.folder, transport: Web())
    await connect(second, SlotChannel { .slot(Self.slot($0)) })
    #expect(await second.end(of: transfer.id) == .done)
    #expect(await second.messages.sent.count == 1)
    #expect(await second.messages.texts.map(\.text) == ["for you"])
    #expect(await second.messages.texts.map(\.originID) == [try #require(transfer.textID)])
    await second.stop()
  }

  @Test func `what was shared under a name already is not shared again, also after a restart`()
    async throws
  {
    let files = try await FileFixture()
    let path = try files.write([1, 2, 3], to: "a.txt")
    let first = try await files.queue.share(
      path, with: FileFixture.bob, text: "words", originID: "once")
    #expect(first.originID == "once")
    #expect(
      try await files.queue.share(path, with: FileFixture.bob, text: nil, originID: "once").id
        == first.id)
    await files.stop()
    let again = try await FileFixture(database: files.database, folder: files.folder)
    #expect(
      try await again.queue.share(path, with: FileFixture.bob, text: nil, originID: "once").id
        == first.id)
    #expect(try await files.database.transfers.transfers().count == 1)
    #expect(
      try await again.queue.share(path, with: FileFixture.bob, text: nil, originID: "twice").id
        != first.id)
    #expect(await again.queue.upload(originID: "never") == nil)
    await again.stop()
  }
}
