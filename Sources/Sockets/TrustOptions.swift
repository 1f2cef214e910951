import CCurl
import Glibc

/// Which certificate authorities a connection trusts.
package struct TrustOptions: Hashable, Sendable {
  /// A PEM file of authorities to trust beside the system's.
  package var caFile: String?

  package init(caFile: String? = nil) { self.caFile = caFile }

  /// The system's authorities and the file's own, one PEM text; `nil` when there is no file of one's own.
  ///
  /// Blocks on the disk.
  /// - Parameter systemBundle: the file libcurl would use by itself.
  /// - Throws: `.tls` when the file cannot be read or holds no certificate.
  package func bundle(systemBundle: String?) throws(SocketError) -> [UInt8]? {
    guard let caFile else { return nil }
    guard let own = Self.contents(of: caFile) else {
      throw .tls("\(caFile): \(String(cString: strerror(errno)))")
    }
    guard String(decoding: own, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
      throw .tls("\(caFile): no certificate in PEM form")
    }
    let system = systemBundle.flatMap(Self.contents) ?? []
    return system + [UInt8(ascii: "\n")] + own
  }

  /// A file's bytes, 16 MiB at most; `nil` with `errno` set when it cannot be read.
  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var all: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { return all }
      all += block[..<count]
      if all.count > 16 << 20 {
        errno = EFBIG
        return nil
      }
    }
  }
}
