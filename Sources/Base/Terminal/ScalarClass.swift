/// The behaviour of a Unicode scalar on a screen of character cells (interface.md, "Widths").
///
/// The raw values are those that `Scripts/make-scalar-table.py` writes into `scalarTable`.
enum ScalarClass: UInt8 {
  /// One column, and never part of a cluster with a neighbour of its own kind.
  case narrow
  /// Two columns, and never part of a cluster with a neighbour of its own kind.
  case wide
  /// Drawn over the previous glyph: combining marks, medial and final conjoining jamo.
  case mark
  /// One column, but may belong to the cluster of a neighbour (spacing marks).
  case spacing
  /// Two columns, but may belong to the cluster of a neighbour (leading conjoining jamo).
  case wideJoining
  /// Not drawn: format characters, variation selectors, skin tones, tags.
  case dropped
  /// Shown as U+FFFD: unassigned, private use, surrogates.
  case replaced
  /// C0, DEL and C1.
  case control
  /// Half of a flag.
  case regional
  /// Zero width space: not drawn, but a row may end there.
  case breakChance
  /// One column or two, depending on the terminal (`AmbiguousWidth`), and never part of a cluster
  /// with a neighbour of its own kind.
  case ambiguous

  /// Returns the class of a scalar.
  init(_ scalar: UInt32) {
    self = ScalarClass(rawValue: scalarEntry(scalar) & 0xF) ?? .replaced
  }

  /// `true` if it can be drawn by itself unless a neighbour joins it.
  var isSimple: Bool { self == .narrow || self == .wide || self == .ambiguous }

  /// The columns of a scalar that is drawn by itself.
  var columns: Int {
    switch self {
    case .wide, .wideJoining: 2
    case .ambiguous: AmbiguousWidth.columns
    default: 1
    }
  }

  /// The bit of a table entry for scalars whose text may not be in normal form C.
  static let normalises: UInt8 = 0x10
}

/// The index of the table's run that contains the first scalar, for each block of 256 scalars.
private let scalarBlocks: [UInt16] = {
  var blocks: [UInt16] = []
  blocks.reserveCapacity(0x1100)
  // By runs, not by blocks: most blocks are within a few long runs.
  for (run, entry) in scalarTable.enumerated() {
    let start = Int(entry >> 16) + (entry >> 8 & 0xFF == 0 ? 0 : 1)
    if start > blocks.count {
      blocks.append(contentsOf: repeatElement(UInt16(run - 1), count: start - blocks.count))
    }
  }
  blocks.append(
    contentsOf: repeatElement(UInt16(scalarTable.count - 1), count: 0x1100 - blocks.count))
  return blocks
}()

/// The entries of the scalars below U+0300, for a look-up in one step.
private let latinEntries: [UInt8] = {
  var entries: [UInt8] = []
  entries.reserveCapacity(0x300)
  for (run, entry) in scalarTable.enumerated() {
    let end = run + 1 < scalarTable.count ? min(scalarTable[run + 1] >> 8, 0x300) : 0x300
    if end <= entry >> 8 { break }
    let count = Int(end - entry >> 8)
    entries.append(contentsOf: repeatElement(UInt8(truncatingIfNeeded: entry), count: count))
  }
  return entries
}()

/// Returns the table's entry for a scalar: its class, and whether it needs normalising.
func scalarEntry(_ scalar: UInt32) -> UInt8 {
  // Latin, Han and Hangul are most of all look-ups.
  if scalar < 0x300 { return latinEntries[Int(scalar)] }
  if (0x4E00...0x9FFF).contains(scalar) || (0xAC00...0xD7A3).contains(scalar) {
    return ScalarClass.wide.rawValue
  }
  guard scalar < 0x110000 else { return ScalarClass.replaced.rawValue }
  return entryInTable(scalar)
}

private func entryInTable(_ scalar: UInt32) -> UInt8 {
  let block = Int(scalar >> 8)
  var low = Int(scalarBlocks[block])
  var high = block + 1 < scalarBlocks.count ? Int(scalarBlocks[block + 1]) : scalarTable.count - 1
  while low < high {
    let middle = (low + high + 1) / 2
    if scalarTable[middle] >> 8 <= scalar { low = middle } else { high = middle - 1 }
  }
  return UInt8(truncatingIfNeeded: scalarTable[low])
}
