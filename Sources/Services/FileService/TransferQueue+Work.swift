import Diagnostics
import Glibc
import NatterCore
import XMPP

/// The work for a transfer, from its start to its end.
extension TransferQueue {
  func work(on id: FileTransfer.ID, _ gauge: TransferGauge) async {
    let connection = connections
    do {
      do {
        defer { gauge.close() }
        switch gauge.transfer.direction {
        case .upload: try await upload(gauge)
        case .download: try await download(gauge)
        }
      }
      try await settle(gauge)
    } catch is CancellationError {
      // The code that stopped it has set the reason; the end of the program changes nothing.
      guard open[id]?.state == .running else { return }
      open[id]?.state = .waiting
      if !Task.isCancelled { waits[id] = .connection(after: connection) }
    } catch is ChannelError {
      // It goes on with the next connection.
      guard open[id]?.state == .running else { return }
      waits[id] = .connection(after: connection)
      await put(id) { $0.state = .waiting }
    } catch {
      // One that the user paused goes on from where it is when they resume it.
      guard let now = open[id], now.state == .running else { return }
      if gauge.transfer.sizeLimit != nil, now.sizeLimit == nil {
        // The user has asked for it meanwhile.
        return await put(id) { $0.state = .waiting }
      }
      let reported = NatterError(reporting: error, key: "error.files.upload")
      log.info("a transfer failed: \(reported.key)")
      if reported.retry == .automatic { unanswered.insert(id) }
      await put(id) { transfer in
        let promised = transfer.byteCount
        transfer = gauge.transfer
        // What came of a download is no promise of what there is of it.
        if transfer.direction == .download { transfer.byteCount = promised }
        transfer.state = .failed(reported)
      }
    }
  }

  /// Stores before publishing: those who are notified find it stored.
  private func settle(_ gauge: TransferGauge) async throws {
    var transfer = gauge.transfer
    transfer.state = .done
    // A change that is stored behind this would have it go on after a restart.
    running[transfer.id]?.isSettling = true
    defer { running[transfer.id]?.isSettling = false }
    try await store.save(transfer)
    guard open.removeValue(forKey: transfer.id) != nil else {
      // It was given up while it was being stored, and that is published already.
      if transfer.direction == .download { unlink(transfer.path) }
      try await store.remove(transfer.id)
      throw CancellationError()
    }
    gauge.update { $0.state = .done }
    await reportSize(of: transfer)
  }

  /// Records the size of a file whose sender gave none.
  private func reportSize(of transfer: FileTransfer) async {
    guard transfer.direction == .download, let id = transfer.message,
      let count = transfer.byteCount
    else { return }
    do {
      if let message = try await store.found(count, of: id) {
        hub.publish(.messagesChanged([message]))
      }
    } catch {
      // The file is here all the same.
      log.error("noting the size of a file failed: \(error)")
    }
  }

  /// Changes an open transfer, stores the change and publishes it.
  func put(_ id: FileTransfer.ID, _ change: (inout FileTransfer) -> Void) async {
    guard let transfer = apply(change, to: id) else { return }
    do { try await store.save(transfer) } catch {
      // The next change is stored with it; a restart tries again what was to be done.
      log.error("storing a transfer failed: \(error)")
    }
    publish(transfer)
  }

  func apply(_ change: (inout FileTransfer) -> Void, to id: FileTransfer.ID) -> FileTransfer? {
    guard var transfer = open[id] else { return nil }
    change(&transfer)
    transfer.rate = 0
    open[id] = transfer
    return transfer
  }

  func publish(_ stored: FileTransfer) {
    // Any other state is published by the code that sets it.
    guard open[stored.id]?.state == stored.state else { return }
    running[stored.id]?.gauge.note(stored.state)
    hub.publish(.transfersChanged([stored]))
  }

  // MARK: Uploads

  private func upload(_ gauge: TransferGauge) async throws {
    let id = gauge.transfer.id
    if gauge.transfer.address == nil {
      let address = try await slot(gauge)
      gauge.update { $0.address = address }
      // From here on a restart only sends the message.
      guard let now = open[id] else { throw CancellationError() }
      var transfer = gauge.transfer
      transfer.state = now.state
      open[id] = transfer
      try await store.save(transfer)
    }
    guard let plain = gauge.transfer.sharedFile, let originID = gauge.transfer.originID else {
      return
    }
    let file = await checksums.measured(plain, at: gauge.transfer.path)
    try await waitForOfferSlot(id)
    defer {
      isOffering = false
      wake()
    }
    do {
      try await messages.send(file, originID: originID, to: gauge.transfer.conversation)
      if let text = gauge.transfer.text, let textID = gauge.transfer.textID {
        try await messages.send(text, originID: textID, to: gauge.transfer.conversation)
      }
    } catch {
      offered.remove(id)
      throw error
    }
  }

  /// Waits until the files of the same share that come before this one are offered, and no text has
  /// to follow one of them. After that the user cannot cancel it any more.
  /// - Throws: `CancellationError`.
  private func waitForOfferSlot(_ id: FileTransfer.ID) async throws {
    // Others may begin while it waits.
    if isOffering || hasPredecessor(id) { admit(id, .resting) }
    while isOffering || hasPredecessor(id) {
      let (slots, slot) = AsyncStream<Void>.makeStream()
      inOrder.append(slot)
      for await _ in slots {}
      try Task.checkCancellation()
    }
    guard open[id]?.state == .running, !Task.isCancelled else { throw CancellationError() }
    offered.insert(id)
    isOffering = true
  }

  private func hasPredecessor(_ id: FileTransfer.ID) -> Bool {
    guard let transfer = open[id] else { return false }
    return open.values.contains(where: transfer.isOffered)
  }

  /// Has the file where others can fetch it.
  /// - Returns: its address.
  private func slot(_ gauge: TransferGauge) async throws -> String {
    let id = gauge.transfer.id
    let file = try SourceFile(gauge.transfer.path)
    let digest = try await uploader.examine(file)
    gauge.update {
      $0.digests = [digest]
      $0.byteCount = file.byteCount
    }
    return try await uploader.attempts(onRest: { admit(id, .resting) }) {
      guard let channel = session.channel else { throw ChannelError.notConnected }
      guard let service = try await uploadService() else {
        throw NatterError(.refused, "error.files.noService", retry: .never)
      }
      gauge.update { $0.service = service.jid }
      let content = "\(digest.hexadecimal) \(service.jid)"
      while slotRequests[content] != nil {
        // The same is on its way there already.
        let (ends, end) = AsyncStream<Void>.makeStream()
        slotRequests[content]?.append(end)
        for await _ in ends {}
        try Task.checkCancellation()
      }
      slotRequests[content] = []
      defer { for waiting in slotRequests.removeValue(forKey: content) ?? [] { waiting.finish() } }
      if let known = try await uploader.known(
        digest, byteCount: file.byteCount, at: service.jid, orAt: uploaded[content])
      {
        return known
      }
      try await waitForSlot(id)
      defer { admit(id, .beside) }
      let address = try await uploader.put(
        file, of: gauge.transfer, at: service, over: channel,
        onBegin: { gauge.hold($0) },
        onProgress: { gauge.moved(to: $0) })
      uploaded[content] = address
      return address
    }
  }

  /// Returns the service that takes files; it is looked for once in a session.
  /// - Returns: `nil` when there is none.
  /// - Throws: `ChannelError`, `CancellationError`.
  func uploadService() async throws -> XEP0363Service? {
    while true {
      if let service = session.service { return service }
      guard let channel = session.channel else { throw ChannelError.notConnected }
      let domain = JID(local: nil, domain: account.domain, resource: nil)
      let number = session.number
      let search =
        session.search ?? Task { try await UploadServices(domain: domain).find(over: channel) }
      session.search = search
      let result = await withTaskCancellationHandler {
        await search.result
      } onCancel: {
        search.cancel()
      }
      try Task.checkCancellation()
      // A search of an earlier session says nothing about this one.
      guard number == session.number else { continue }
      if session.search == search { session.search = nil }
      do {
        session.service = try result.get()
        return session.service
      } catch is CancellationError {
        continue  // Another one, who looked for it too, has gone.
      } catch {
        if case ChannelError.timedOut = error { session.isServiceSilent = true }
        throw error
      }
    }
  }

  // MARK: Downloads

  private func download(_ gauge: TransferGauge) async throws {
    let transfer = gauge.transfer
    guard let address = transfer.address else { return }
    let part = await ownPart(of: transfer)
    gauge.update { $0.part = part }
    let target = TargetFile(path: transfer.path, part: part)
    // What may not be asked unasked may not be asked second either.
    let others = transfer.otherAddresses.filter {
      transfer.sizeLimit == nil || options.mayAsk($0.lowercased(), over: uploader.transport)
    }
    let fetched = try await downloader.fetch(
      from: [address] + others, to: target, expected: transfer.digests,
      held: Downloader.Held(source: transfer.source ?? address, validator: transfer.validator),
      promised: transfer.byteCount, sizeLimit: transfer.sizeLimit,
      onVersion: { held in
        let source = held.source == address ? nil : held.source
        guard gauge.transfer.validator != held.validator || gauge.transfer.source != source else {
          return
        }
        gauge.update { ($0.validator, $0.source) = (held.validator, source) }
        await put(transfer.id) { ($0.validator, $0.source) = (held.validator, source) }
      },
      onBegin: { gauge.hold($0) },
      onProgress: { gauge.moved(to: $0, of: $1) })
    guard open[transfer.id] != nil else {
      // It was given up while it got its name.
      unlink(fetched.path)
      throw CancellationError()
    }
    gauge.update {
      $0.path = fetched.path
      $0.byteCount = fetched.byteCount
      $0.progress = fetched.byteCount
    }
  }

  /// The name of a download's partial file. Its number would not do: downloads of another account
  /// into the same folder have the same.
  private func ownPart(of transfer: FileTransfer) async -> String {
    if let part = transfer.part { return part }
    let part = identifiers.next()
    await put(transfer.id) { $0.part = part }
    return part
  }

  func removePart(of transfer: FileTransfer) {
    guard let part = transfer.part else { return }
    TargetFile(path: transfer.path, part: part).removePart()
  }
}
