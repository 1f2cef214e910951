import Crypto
import FoundationEssentials
import NatterCore
import XMPP

/// Avatars of contacts as files in the cache, each under the SHA-1 of its bytes; they can be
/// deleted at any time.
actor AvatarCache: AvatarCaching {
  private let folder: URL
  private let crypto: CryptoLibrary

  init(folder: URL, crypto: CryptoLibrary) {
    self.folder = folder
    self.crypto = crypto
  }

  func avatar(_ id: String) -> AvatarPicture? {
    guard id.utf8.count == 40, id.allSatisfy(\.isHexDigit) else { return nil }
    let file = folder.appending(path: id)
    guard let data = try? Data(contentsOf: file), let header = PictureHeader(data) else {
      return nil
    }
    return AvatarPicture(
      id: id, path: file.path, mediaType: header.mediaType, byteCount: data.count)
  }

  func keepAvatar(base64: String, id: String?) -> AvatarPicture? {
    guard let bytes = Base64.decode(base64), bytes.count <= XEP0084.limit,
      PictureHeader(bytes) != nil, let hash = try? crypto.hash(bytes, by: .sha1)
    else { return nil }
    let own = hex(hash)
    guard id == nil || id == own else { return nil }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(bytes).write(to: folder.appending(path: own), options: .atomic)
    } catch {
      return nil
    }
    return avatar(own)
  }
}
