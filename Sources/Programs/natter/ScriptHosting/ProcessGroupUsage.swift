import Glibc
import System

/// What the processes of a group use, as the kernel reports it in `/proc` (proc(5), "stat").
nonisolated struct ProcessGroupUsage: Hashable, Sendable {
  /// The resident memory in pages, and the processor time in ticks, also of children that have
  /// ended.
  var pages = 0
  var ticks = 0
  /// Its processes and threads.
  var tasks = 0

  /// A process in its `stat` file.
  struct Process: Hashable {
    let group: Int32
    let pages: Int
    let ticks: Int
    let threads: Int

    /// `nil` if the bytes are not those of such a file.
    init?(stat bytes: ArraySlice<UInt8>) {
      // The name in brackets can have blanks and brackets.
      guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
      let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        .map { Int(String(decoding: $0, as: UTF8.self)) }
      // The first one is the third of the manual.
      guard fields.count > 21, let group = fields[2].flatMap(Int32.init(exactly:)),
        let pages = fields[21]
      else { return nil }
      self.group = group
      self.pages = pages
      ticks = fields[11...14].reduce(0) { $0 + ($1 ?? 0) }
      // One that is ending has none left, and takes its number.
      threads = max(1, fields[17] ?? 1)
    }
  }

  var memory: Int { pages * sysconf(Int32(_SC_PAGESIZE)) }
  var processor: Duration { .milliseconds(ticks * 1000 / max(1, sysconf(Int32(_SC_CLK_TCK)))) }

  /// Reads what a group uses now; it blocks.
  init(ofGroup group: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1024)
    for name in DirectoryNames.all(in: "/proc") where Int32(name) != nil {
      // One that is empty has ended meanwhile.
      let bytes = Self.bytes(of: "/proc/\(name)/stat", into: &buffer)
      guard let process = Process(stat: bytes), process.group == group else { continue }
      pages += process.pages
      ticks += process.ticks
      tasks += process.threads
    }
  }

  /// Reads the beginning of a short file of the kernel; empty if it cannot be read.
  static func bytes(of path: String, into buffer: inout [UInt8]) -> ArraySlice<UInt8> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return buffer[..<max(0, read(descriptor, &buffer, buffer.count))]
  }
}
