import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

extension TransferQueue: FileSharing {
  @discardableResult
  package func share(_ path: String, with conversation: JID) async throws -> FileTransfer {
    try await share(path, with: conversation, text: nil)
  }

  /// The same with text: a message of its own after the one that offers the file.
  /// - Parameter originID: that of the offering message if it is known already; a file that was
  ///   shared with it is not shared again.
  package func share(
    _ path: String, with conversation: JID, text: String?, originID: String? = nil
  ) async throws -> FileTransfer {
    if let originID, let earlier = await upload(originID: originID) { return earlier }
    return try await share(path, with: conversation, text: text, at: now(), originID: originID)
  }

  /// The upload whose message has that origin-id.
  package func upload(originID: String) async -> FileTransfer? {
    await load()
    if let running = open.values.first(where: { $0.originID == originID }) {
      return current(running.id)
    }
    do { return try await store.upload(originID: originID) } catch {
      log.error("looking for an upload failed: \(error)")
      return nil
    }
  }

  /// Looks whether a file can be sent at all.
  /// - Throws: `NatterError` for a missing, unreadable or empty file, a folder, a device or a pipe.
  package static func examine(_ path: String) throws { _ = try SourceFile(path) }

  package func share(_ paths: [String], with conversation: JID) async
    -> [Result<FileTransfer, NatterError>]
  {
    let begun = now()
    var results: [Result<FileTransfer, NatterError>] = []
    for path in paths {
      do {
        results.append(
          .success(try await share(path, with: conversation, text: nil, at: begun)))
      } catch {
        results.append(.failure(NatterError(reporting: error, key: "error.files.upload")))
      }
    }
    return results
  }

  /// - Parameter begun: one time for all files of a share, to be offered in this order.
  private func share(
    _ path: String, with conversation: JID, text: String?, at begun: Date,
    originID: String? = nil
  ) async throws -> FileTransfer {
    await load()
    // Errors about the file are reported before anything begins.
    let file = try SourceFile(path)
    if session.channel != nil, !session.isServiceSilent {
      do {
        guard let service = try await uploadService() else {
          throw NatterError(.refused, "error.files.noService", retry: .never)
        }
        if let limit = service.sizeLimit, file.byteCount > limit {
          throw Uploader.tooLarge(file.byteCount, limit)
        }
      } catch is ChannelError {
        // Offline there is no server to ask: it is asked when there is a connection.
      }
    }
    let name = SentName.of(path)
    return try await begin(
      FileTransfer(
        id: .init(0), direction: .upload, conversation: conversation, path: path, name: name,
        mediaType: MediaTypes.type(ofName: name), byteCount: file.byteCount,
        originID: originID ?? identifiers.next(), begun: begun, text: text))
  }

  package func fetch(_ message: Message, to path: String?) async throws -> FileTransfer {
    try await fetch(message, to: path, isWanted: true)
  }

  /// - Parameter isWanted: whether the user has asked for it.
  func fetch(_ message: Message, to path: String?, isWanted: Bool) async throws -> FileTransfer {
    await load()
    guard let file = message.file else {
      throw NatterError(.invalidInput, "error.files.none", retry: .never)
    }
    if let running = open.values.first(where: {
      $0.direction == .download && $0.message == message.id
    }) {
      if isWanted {
        try await removeSizeLimit(of: running.id)
        if case .failed = running.state {
          if let path { try await move(running, to: options.target(path, name: running.name)) }
          try await restart(running.id)
        }
      }
      return current(running.id) ?? running
    }
    if let path {
      if let copy = try await copied(
        file, of: message, to: options.target(path, name: file.safeName))
      {
        return copy
      }
    } else if let earlier = try await store.download(of: message.id),
      DiskPath.isReadable(earlier.path)
    {
      return earlier
    }
    var transfer = FileTransfer(
      fetching: file, of: message, to: options.target(path, name: file.safeName),
      part: identifiers.next(), begun: now())
    // A sender may give a wrong size: an automatic download ends at the user's limit.
    if !isWanted { transfer.sizeLimit = options.automaticLimit }
    return try await begin(transfer)
  }

  /// Copies a file of this disk to where the user wants it: its server may have it no more.
  /// - Returns: `nil` when it is not here, or not what was offered any more.
  private func copied(_ file: SharedFile, of message: Message, to path: String) async throws
    -> FileTransfer?
  {
    guard let local = await localPath(of: message), let source = try? SourceFile(local),
      source.byteCount == file.byteCount ?? source.byteCount
    else { return nil }
    let part = identifiers.next()
    guard
      let there = try await checksums.copy(
        source, to: TargetFile(path: path, part: part), expecting: file.digests)
    else { return nil }
    var transfer = FileTransfer(
      fetching: file, of: message, to: there, part: part, begun: now())
    (transfer.state, transfer.byteCount) = (.done, source.byteCount)
    return try await store.add(transfer)
  }

  /// Restarts a failed transfer with another path: a full disk may have been the cause.
  private func move(_ transfer: FileTransfer, to path: String) async throws {
    guard path != transfer.path else { return }
    try await change(transfer.id) {
      $0.path = path
      $0.progress = 0
    }
    removePart(of: transfer)
  }

  package func forward(_ message: Message, to conversation: JID) async throws {
    guard let file = message.file else {
      throw NatterError(.invalidInput, "error.files.none", retry: .never)
    }
    // A server that was never asked for the file must not learn that the message was seen.
    if let path = await localPath(of: message), await uploader.transport.hasLost(file) {
      _ = try await share(path, with: conversation)
      return
    }
    try await messages.send(file, originID: identifiers.next(), to: conversation)
  }

  package func localPath(of message: Message) async -> String? {
    do { return try await store.localPath(of: message) } catch {
      log.error("looking for a file failed: \(error)")
      return nil
    }
  }

  package func thumbnail(of message: Message) async -> [UInt8]? {
    guard message.file != nil else { return nil }
    do {
      return try await store.thumbnail(of: message.id)
    } catch {
      log.error("looking for a small picture failed: \(error)")
      return nil
    }
  }

  package func transfers(in conversation: JID?) async -> [FileTransfer] {
    await load()
    return open.keys.sorted().compactMap(current).filter {
      conversation == nil || $0.conversation == conversation
    }
  }

  package func pause(_ id: FileTransfer.ID) async {
    await load()
    do { try await setPaused(id) } catch { hub.publish(.notice(error.notice)) }
  }

  package func resume(_ id: FileTransfer.ID) async {
    await load()
    do { try await setRunning(id) } catch { hub.publish(.notice(error.notice)) }
  }

  @discardableResult package func retry(_ id: FileTransfer.ID) async -> Bool {
    await load()
    do { try await restart(id) } catch {
      hub.publish(.notice(error.notice))
      return false
    }
    return true
  }

  package func cancel(_ id: FileTransfer.ID) async throws {
    await load()
    try await drop(id)
  }

  package func files(in conversation: JID, limit: Int) async throws -> [Message] {
    try await store.fileMessages(in: conversation, limit: limit)
  }
}
