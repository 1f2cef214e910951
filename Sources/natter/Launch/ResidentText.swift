import Foundation

/// The pages of program text and constants that are mapped into this process.
///
/// The start goes through far more of the program and its libraries than a conversation does afterwards, and the kernel maps
/// sixteen pages for each that is touched. They stay resident until memory is short, and count as this program's.
enum ResidentText {
  /// Gives the mapped pages back; those that are needed again come from the page cache, without a disk being read.
  ///
  /// Only pages that nobody has written: mappings of files that cannot be written and have no copied page (relocated
  /// addresses are such copies), in memory or swapped out. So nothing can get lost.
  static func release() {
    guard let map = try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8) else { return }
    var mapping: (start: UInt, end: UInt)?
    for line in map.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard let first = fields.first else { continue }
      switch first {
      case "Anonymous:", "Swap:":
        if fields.count < 2 || fields[1] != "0" { mapping = nil }
      case "VmFlags:":
        // The last line of each.
        if let (start, end) = mapping {
          madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
        }
        mapping = nil
      default:
        // 00400000-0198d000 r-xp 00000000 fe:00 16736745    /usr/bin/natter
        guard !first.hasSuffix(":"), fields.count >= 6 else { continue }
        let ends = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
        let isConstant = ["r-xp", "r--p"].contains(fields[1]) && fields[5].hasPrefix("/")
        mapping = isConstant && ends.count == 2 && ends[0] < ends[1] ? (ends[0], ends[1]) : nil
      }
    }
  }
}
