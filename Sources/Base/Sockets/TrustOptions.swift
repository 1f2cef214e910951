import CCurl
import Glibc

/// The certificate authorities that a connection trusts.
package struct TrustOptions: Hashable, Sendable {
  /// A PEM file of trusted authorities in addition to the system's.
  package var caFile: String?

  package init(caFile: String? = nil) { self.caFile = caFile }

  /// Returns the system's authorities and those of the file as one PEM text; `nil` when no file is
  /// set.
  ///
  /// Blocks on the disk.
  /// - Parameter systemBundle: the file that libcurl uses by default.
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

  /// The problem of a file of authorities.
  package enum FileFault: Hashable, Sendable {
    case unreadable, noCertificate
  }

  /// Returns the problem of the file at `path`; `nil` if none is found. Blocks on the disk.
  package static func fault(of path: String) -> FileFault? {
    var information = stat()
    // A pipe can be read only once, so it is left to the connection.
    if stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFIFO { return nil }
    guard let bytes = contents(of: path) else { return .unreadable }
    return holdsCertificate(bytes) ? nil : .noCertificate
  }

  private static func holdsCertificate(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
  }

  /// Returns a file's bytes, 16 MiB at most; `nil` with `errno` set when it cannot be read.
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
