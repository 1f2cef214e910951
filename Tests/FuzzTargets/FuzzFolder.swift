import FoundationEssentials
import Glibc
import Synchronization

/// A folder of this process for files that the program is to read: in memory where the system has
/// such a file system, since each input is a new file.
struct FuzzFolder: Sendable {
  private let root: String

  /// The folder, made when it is first needed and removed when the process ends in order.
  static let shared = Result { try FuzzFolder() }

  private init() throws {
    let memory = "/dev/shm"
    let base = access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path
    var template = Array("\(base)/natter-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FuzzFinding(description: "no folder in \(base): errno \(errno)")
    }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    FolderRemoval.path.withLock { $0 = root }
    atexit { FolderRemoval.remove() }
  }

  func path(_ name: String) -> String { root + "/" + name }

  func write(_ bytes: [UInt8], to name: String) throws {
    let path = path(name)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FuzzFinding(description: "\(path): errno \(errno)") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw FuzzFinding(description: "\(path): errno \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  /// The bytes of a file; none where there is no file.
  func read(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: URL(filePath: path(name)))).map { Array($0) } ?? []
  }

  func makeFolder(_ name: String) throws {
    guard mkdir(path(name), 0o700) == 0 || errno == EEXIST else {
      throw FuzzFinding(description: "\(name): errno \(errno)")
    }
  }

  /// Removes files; those that are not there are gone.
  func remove(_ names: String...) { for name in names { unlink(path(name)) } }
}
