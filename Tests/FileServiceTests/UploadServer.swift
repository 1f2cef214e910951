import Foundation
import TestSupport
import XMPP

/// A server that keeps uploads, and reports their size.
final class UploadServer: Sendable {
  let kept = Observed<[String: [UInt8]]>([:])
  let peer: HTTPPeer

  init(_ put: (@Sendable (HTTPPeer.Request) -> HTTPPeer.Reply?)? = nil) throws {
    peer = try HTTPPeer { [kept] request in
      switch request.method {
      case "PUT":
        if let reply = put?(request) { return reply }
        if !request.body.isEmpty { kept.update { $0[request.target] = request.body } }
        return .answer(201)
      case "HEAD":
        guard let bytes = kept.value[request.target] else { return .answer(404) }
        return .answer(200, headers: [("Content-Length", "\(bytes.count)")])
      default:
        return kept.value[request.target].map { .answer(200, body: $0) } ?? .answer(404)
      }
    }
  }

  func slot(_ name: String, headers: [XEP0363Slot.Header] = []) -> XEP0363Slot {
    let url = "\(peer.address)/\(UInt32.random(in: 0 ... .max))/file"
    return XEP0363Slot(put: url, get: url, headers: headers)
  }
}
