import Crypto
import Foundation
import NatterCore
import TestSupport

@testable import FileService

/// The needs of downloads besides a queue: a file, a server that has it, and its saved copy.
extension FileFixture {
  static let rose = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 17) }

  static func digest(_ bytes: [UInt8]) throws -> String {
    hex(try CryptoLibrary().hash(bytes, by: .sha256))
  }

  func contents(_ name: String) -> [UInt8]? {
    (try? Data(contentsOf: folder.url("downloads/\(name)"))).map { [UInt8]($0) }
  }

  /// The names in the folder for downloads.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path("downloads"))) ?? [])
      .sorted()
  }

  /// A server that returns one file, whole or from an offset on.
  static func peer(_ bytes: [UInt8], breaksAfter: Int? = nil) throws -> HTTPPeer {
    let count = Observed(0)
    return try HTTPPeer { request in
      var headers = [("Content-Type", "image/png"), ("ETag", "\"v1\"")]
      if request.method == "HEAD" {
        return .answer(200, headers: headers + [("Content-Length", "\(bytes.count)")])
      }
      if let breaksAfter, count.value == 0 {
        count.update { $0 += 1 }
        let head =
          "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(bytes.count)\r\n\r\n"
        return .raw(Array(head.utf8) + bytes.prefix(breaksAfter))
      }
      guard let range = request.headers["range"],
        let start = Int(range.dropFirst("bytes=".count).dropLast())
      else { return .answer(200, headers: headers, body: bytes) }
      headers.append(("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"))
      return .answer(206, headers: headers, body: Array(bytes[start...]))
    }
  }
}
