import Foundation
import TestSupport

/// A small file system in memory, mounted over a folder of the test, that can be filled and
/// emptied.
struct DiskOfOurOwn: Sendable {
  private let folder: String

  /// Indicates whether this process may mount one: the superuser may, except in most containers.
  static let canBeMade: Bool = {
    guard geteuid() == 0, let folder = try? TemporaryFolder("mount") else { return false }
    guard mount("none", folder.root.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    umount2(folder.root.path, Int32(MNT_DETACH))
    return true
  }()

  /// - Throws: `POSIXError`.
  init(at folder: String, bytes: Int) throws {
    self.folder = folder
    guard mount("none", folder, "tmpfs", 0, "size=\(bytes),mode=700") == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  private var filler: String { folder + "/filler" }

  /// Writes until nothing more goes in.
  /// - Parameter room: bytes that are then given back.
  func fill(leaving room: Int = 0) throws {
    let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, block, block.count) > 0 {}
    // A page's rest may have been free.
    while write(descriptor, block, 1) > 0 {}
    guard room > 0 else { return }
    let size = lseek(descriptor, 0, SEEK_END)
    guard ftruncate(descriptor, max(0, size - off_t(room))) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  func empty() throws { try FileManager.default.removeItem(atPath: filler) }

  /// Takes it away, with everything on it.
  func unmount() { umount2(folder, Int32(MNT_DETACH)) }
}

extension NatterRun {
  /// Sets how large its files may become, as `ulimit -f` does; `nil`: as large as they like.
  func limitFiles(to bytes: Int?) async throws {
    try await CommandRun.check(
      "prlimit",
      [
        "--pid", String(terminal.child.identifier),
        "--fsize=\(bytes.map { String($0) } ?? "unlimited"):unlimited",
      ])
  }
}
