import Crypto
import FoundationEssentials
import Glibc
import NatterCore
import XMPP

extension OwnPicture {
  /// Limit in bytes: with Base64 and the elements around it, servers accept no more in one stanza.
  private static let limit = 128 << 10

  /// Reads a file that can be published unchanged (XEP-0084 §3.1: PNG).
  /// - Throws: `NatterError`.
  init(file path: String, crypto: CryptoLibrary) throws {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw NatterError(.invalidInput, "error.picture.notThere", ["path": path])
    }
    let size = Int(facts.st_size)
    guard size <= Self.limit else {
      throw NatterError(
        .invalidInput, "error.picture.tooLarge",
        ["size": String(size), "most": String(Self.limit)])
    }
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw NatterError(.invalidInput, "error.picture.notThere", ["path": path])
    }
    guard let header = PictureHeader(data), header.mediaType == "image/png" else {
      throw NatterError(.invalidInput, "error.picture.kind")
    }
    let bytes = Array(data)
    self.init(
      id: hex(try crypto.hash(bytes, by: .sha1)), base64: Base64.encode(bytes),
      mediaType: header.mediaType, byteCount: bytes.count, width: header.width,
      height: header.height)
  }
}
