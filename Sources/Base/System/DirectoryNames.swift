import FoundationEssentials
import Glibc

/// The names in a directory, from the system: Foundation's way to read them takes too long for the
/// startup.
package enum DirectoryNames {
  /// The names in it, in no order; none where it cannot be read.
  package static func all(in path: String) -> [String] { (try? read(path)) ?? [] }

  /// The names in it, in no order.
  /// - Throws: the `errno` of the failed call, where it cannot be read.
  package static func read(_ path: String) throws(POSIXError) -> [String] {
    guard let directory = opendir(path) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
