/// Watches the number of processes and threads of a group.
///
/// As long as hardly any have begun in the whole system, it reads one short file and not those of
/// all processes.
nonisolated struct TaskCount: Sendable {
  private let group: Int32
  /// The number of tasks when they were last counted, and the last one that had begun by then.
  private var counted = 0
  private var last: Int?

  init(ofGroup group: Int32) { self.group = group }

  /// Indicates whether there are more than `limit` now; it blocks.
  mutating func exceeds(_ limit: Int) -> Bool {
    let newest = Self.newest()
    // Numbers are given in their order, and begin anew after the largest one.
    if let last, let newest, newest >= last, counted + newest - last <= limit { return false }
    // First: what begins while they are counted is looked at the next time.
    last = newest
    counted = ProcessGroupUsage(ofGroup: group).tasks
    return counted > limit
  }

  /// The number of the newest task of the system; `nil` where the kernel does not say it.
  private static func newest() -> Int? {
    var buffer = [UInt8](repeating: 0, count: 128)
    return newest(in: ProcessGroupUsage.bytes(of: "/proc/loadavg", into: &buffer))
  }

  /// Reads the content of `/proc/loadavg` (proc(5)).
  static func newest(in bytes: ArraySlice<UInt8>) -> Int? {
    let fields = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    return fields.count == 5 ? Int(String(decoding: fields[4], as: UTF8.self)) : nil
  }
}
