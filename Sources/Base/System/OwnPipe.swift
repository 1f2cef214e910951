import CLinux
import FoundationEssentials
import Glibc

/// A pipe that no program inherits, also not one that another thread starts at this moment.
package struct OwnPipe: Sendable {
  /// The two ends; the owner of this value closes them.
  package let read: Int32
  package let write: Int32

  /// - Throws: the `errno` of the failed call.
  package init() throws(POSIXError) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    (read, write) = (ends[0], ends[1])
  }
}
