import FoundationEssentials
import NatterCore
import XMPP

/// Brings one file to the web.
struct Uploader: Sendable {
  let transport: any FileTransporting
  let store: any TransferStoring
  let checksums: Checksums
  let sleep: @Sendable (Duration) async throws -> Void

  /// How often another slot is asked for when a connection broke, and how long is waited before each.
  static let pauses: [Duration] = [.seconds(1), .seconds(4), .seconds(15)]
  /// The longest that a server is waited for that says when to come again: then it is a failure, which the person hears of.
  private static let longestPause = Duration.seconds(300)
  /// How long a service may take to give a slot.
  static let slotLimit = Duration.seconds(30)

  /// The content's size and digest.
  /// - Throws: `NatterError` for a file that cannot be sent.
  func examine(_ file: SourceFile) async throws -> FileDigest {
    guard
      let digest = try await checksums.digest(
        of: file.descriptor, byteCount: file.byteCount, by: .sha256),
      file.isUnchanged
    else { throw NatterError(.storage, "error.files.changed") }
    return digest
  }

  /// Where the same content is already, if it is still there (flows.md, "Sending").
  /// - Parameter place: where this run of the program has put it.
  func known(
    _ digest: FileDigest, byteCount: Int, at service: JID, orAt place: String? = nil
  ) async throws -> String? {
    let earlier = try await store.upload(
      sha256: digest.hexadecimal, byteCount: byteCount, service: service)
    guard let address = place ?? earlier?.address else { return nil }
    do {
      return try await transport.describe(address).byteCount == byteCount ? address : nil
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return nil  // It is gone, or cannot be asked for: it is sent again.
    }
  }

  /// Asks for a slot and fills it.
  /// - Returns: where the file can be had.
  /// - Throws: `NatterError`, `ChannelError` when there is nobody to ask for a slot, `CancellationError`.
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

  /// Has something done, and done again after a while where another attempt may well succeed: the connection broke, or
  /// nobody answered.
  /// - Parameter onRest: called before each of those whiles.
  /// - Throws: `NatterError`, `ChannelError.notConnected`: it is of no use before there is another connection;
  ///   `CancellationError`.
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
        let told = Self.told(error)
        guard told.retry == .automatic, attempt < Self.pauses.count else { throw told }
        await onRest()
        try await sleep(Self.pause(after: attempt, told))
        attempt += 1
      }
    }
  }

  /// How long it is waited before the next attempt: whoever says when to come again is not asked before.
  /// - Parameter attempt: how many there were before this one; below the number of `pauses`.
  static func pause(after attempt: Int, _ told: NatterError) -> Duration {
    max(pauses[attempt], min(told.pause ?? .zero, longestPause))
  }

  private static func told(_ error: any Error) -> NatterError {
    error is ChannelError
      ? NatterError(.offline, "error.files.silence", retry: .automatic)
      : NatterError(telling: error, key: "error.files.upload")
  }

  /// A server may say yes and have less than it was sent.
  private func check(_ address: String, _ byteCount: Int) async throws {
    let there: RemoteFile
    do {
      there = try await transport.describe(address)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // Not every server answers this question, and this one said that it has the file; but that it has none is an answer.
      guard NatterError(telling: error, key: "error.files.upload").key == "error.http.gone" else {
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
        // It is kept with the file and may be read later: a time of day, and not how long that is from now.
        let time = XEP0082DateTime.text(for: again).prefix(16).replacing("T", with: " ")
        throw NatterError(
          .refused, "error.files.quota",
          ["time": String(time)].merging(Self.words(of: error)) { $1 })
      }
      throw NatterError(.refused, "error.files.slot", Self.words(of: error))
    }
  }

  /// What a text needs for `{reason:stanza}`.
  private static func words(of error: StanzaError) -> [String: String] {
    ["reason": error.condition.rawValue].merging(error.words) { $1 }
  }

  static func tooLarge(_ byteCount: Int, _ limit: Int) -> NatterError {
    NatterError(
      .refused, "error.files.tooLarge",
      ["size": String(byteCount), "limit": String(limit)], retry: .never)
  }
}
