import Foundation

/// The pages of program text that are mapped into this process.
///
/// The start goes through far more of the program and its libraries than a conversation does afterwards, and the kernel maps
/// sixteen pages for each that is touched. They stay resident until memory is short, and count as this program's.
enum ResidentText {
  /// Gives the mapped pages back; those that are needed again come from the page cache, without a disk being read.
  ///
  /// Only for pages that are never written, so nothing can get lost: executable mappings of files.
  static func release() {
    guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
    for line in maps.split(separator: "\n") {
      // 00400000-0198d000 r-xp 00000000 fe:00 16736745    /usr/bin/natter
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { continue }
      madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), MADV_DONTNEED)
    }
  }
}
