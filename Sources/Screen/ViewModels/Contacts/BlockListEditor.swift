import NatterCore
import XMPP

/// Blocks and unblocks addresses, with a sentence about the result.
package struct BlockListEditor {
  private let service: any BlockListChanging

  package init(_ service: any BlockListChanging) { self.service = service }

  /// Blocks an address.
  /// - Throws: `NatterError` if the server refuses; then nothing has changed.
  package func block(_ jid: JID, report: AbuseReport?) async throws -> StatusNotice {
    let key =
      switch try await service.block(jid, report: report) {
      case .waiting: "status.changeWaits"
      case .reported: "status.reported"
      case .blocked: report == nil ? "status.blocked" : "status.blockedUnreported"
      }
    return StatusNotice(.info, key, ["address": jid.shown])
  }

  /// Unblocks an address.
  /// - Throws: `NatterError` if it is known not to be blocked, or the server refuses.
  package func unblock(_ jid: JID) async throws -> StatusNotice {
    // Where the list was never read, the server knows who is on it.
    if try await service.blockListConfirmedAt() != nil,
      try await !service.blocked().contains(where: { $0.jid == jid && $0.isBlocked })
    {
      throw NatterError(.invalidInput, "error.notBlocked", ["address": jid.shown])
    }
    let isSent = try await service.unblock(jid)
    return StatusNotice(
      .info, isSent ? "status.unblocked" : "status.changeWaits", ["address": jid.shown])
  }
}
