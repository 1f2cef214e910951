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
  /// - Throws: `.authorities` when the file cannot be read or holds no certificate.
  package func bundle(systemBundle: String?) throws(SocketError) -> [UInt8]? {
    guard let caFile else { return nil }
    guard let own = Self.contents(of: caFile) else {
      throw .authorities("\(caFile): \(String(cString: strerror(errno)))")
    }
    guard Self.holdsCertificate(own) else {
      throw .authorities("\(caFile): no certificate in PEM form")
    }
    let system = systemBundle.flatMap(Self.contents) ?? []
    return system + [UInt8(ascii: "\n")] + own
  }

  /// What is the matter with a file of authorities.
  package enum FileFault: Hashable, Sendable {
    case unreadable, noCertificate
  }

  /// What is the matter with the file at `path`; `nil`: it can be used as far as can be seen. Blocks on the disk.
  package static func fault(of path: String) -> FileFault? {
    var information = stat()
    // What can be read once only is left to whoever needs it.
    if stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFIFO { return nil }
    guard let bytes = contents(of: path) else { return .unreadable }
    return holdsCertificate(bytes) ? nil : .noCertificate
  }

  private static func holdsCertificate(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
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
