import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Uploads one file.
struct Uploader: Sendable {
  let transport: any FileTransporting
  let store: any TransferStoring
  let checksums: Checksums
  let sleep: @Sendable (Duration) async throws -> Void

  /// The timeout of a request for an upload slot.
  static let slotLimit = Duration.seconds(30)

  /// Computes the digest of the content.
  /// - Throws: `NatterError` for a file that cannot be sent.
  func examine(_ file: SourceFile) async throws -> FileDigest {
    guard
      let digest = try await checksums.digest(
        of: file.descriptor, byteCount: file.byteCount, by: .sha256),
      file.isUnchanged
    else { throw NatterError(.storage, "error.files.changed") }
    return digest
  }

  /// Returns the address of an earlier upload of the same content, if it still exists (flows.md,
  /// "Sending").
  /// - Parameter alternative: the address of an upload by this run of the program.
  func known(
    _ digest: FileDigest, byteCount: Int, at service: JID, orAt alternative: String? = nil
  ) async throws -> String? {
    let earlier = try await store.upload(
      sha256: digest.hexadecimal, byteCount: byteCount, service: service)
    guard let address = alternative ?? earlier?.address else { return nil }
    do {
      return try await transport.describe(address).byteCount == byteCount ? address : nil
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return nil  // The earlier upload is gone or cannot be checked: the file is uploaded again.
    }
  }

  /// Requests a slot and uploads to it.
  /// - Returns: the address for downloads.
  /// - Throws: `NatterError`, `ChannelError` when there is no connection to request a slot,
  ///   `CancellationError`.
  func put(
    _ file: SourceFile, of transfer: FileTransfer, at service: XEP0363Service,
    over channel: any StanzaChannel,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int) -> Void
  ) async throws -> String {
    let slot = try await slot(for: transfer, file.byteCount, at: service, over: channel)
    try await transport.put(
      file.descriptor, byteCount: file.byteCount, mediaType: transfer.mediaType, to: slot,
      onBegin: onBegin, onProgress: onProgress)
    guard file.isUnchanged else { throw NatterError(.storage, "error.files.changed") }
    try await check(slot.get, file.byteCount)
    return slot.get
  }

  /// Runs `work`, and repeats it after a pause if another attempt may succeed: after a broken
  /// connection or a timeout.
  /// - Parameter onRest: called before each pause.
  /// - Throws: `NatterError`; `ChannelError.notConnected`, because a repetition needs another
  ///   session; `CancellationError`.
  func attempts<Result>(
    onRest: () async -> Void, _ work: () async throws -> Result
  ) async throws -> Result {
    var attempt = 0
    while true {
      do {
        return try await work()
      } catch is CancellationError {
        throw CancellationError()
      } catch ChannelError.notConnected {
        throw ChannelError.notConnected
      } catch {
        let reported = Self.reported(error)
        guard reported.retry == .automatic, attempt < TransferPauses.all.count
        else { throw reported }
        await onRest()
        try await sleep(TransferPauses.pause(after: attempt, reported))
        attempt += 1
      }
    }
  }

  private static func reported(_ error: any Error) -> NatterError {
    error is ChannelError
      ? NatterError(.offline, "error.files.silence", retry: .automatic)
      : NatterError(reporting: error, key: "error.files.upload")
  }

  /// Checks the stored size: a server may report success and have less than it was sent.
  private func check(_ address: String, _ byteCount: Int) async throws {
    let there: RemoteFile
    do {
      there = try await transport.describe(address)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // Not every server supports this request, and this one has reported success; but a missing
      // file is a failure.
      guard NatterError(reporting: error, key: "error.files.upload").key == "error.http.gone" else {
        return
      }
      there = RemoteFile(byteCount: 0)
    }
    if let count = there.byteCount, count != byteCount {
      throw NatterError(
        .refused, "error.files.truncated",
        ["sent": String(byteCount), "there": String(count)])
    }
  }

  private func slot(
    for transfer: FileTransfer, _ byteCount: Int, at service: XEP0363Service,
    over channel: any StanzaChannel
  ) async throws -> XEP0363Slot {
    if let limit = service.sizeLimit, byteCount > limit { throw Self.tooLarge(byteCount, limit) }
    do {
      let answer = try await channel.request(
        XEP0363Slot.request(
          name: transfer.name, size: byteCount, mediaType: transfer.mediaType, from: service.jid),
        timeout: Self.slotLimit)
      guard let slot = answer.first("slot", XEP0363Slot.namespace).flatMap({ XEP0363Slot($0) })
      else { throw NatterError(.unexpected, "error.http.malformed") }
      return slot
    } catch let error as StanzaError {
      if let limit = error.fileSizeLimit { throw Self.tooLarge(byteCount, limit) }
      if let again = error.uploadsAgainAt {
        // The error is stored with the file and may be read later, so it has a time of day and not
        // a duration.
        let time = XEP0082DateTime.text(for: again).prefix(16).replacing("T", with: " ")
        throw NatterError(
          .refused, "error.files.quota",
          ["time": String(time)].merging(Self.arguments(of: error)) { $1 })
      }
      throw NatterError(.refused, "error.files.slot", Self.arguments(of: error))
    }
  }

  /// Returns the arguments of a text with `{reason:stanza}`.
  private static func arguments(of error: StanzaError) -> [String: String] {
    ["reason": error.condition.rawValue].merging(error.arguments) { $1 }
  }

  static func tooLarge(_ byteCount: Int, _ limit: Int) -> NatterError {
    NatterError(
      .refused, "error.files.tooLarge",
      ["size": String(byteCount), "limit": String(limit)], retry: .never)
  }
}
