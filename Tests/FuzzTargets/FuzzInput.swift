/// The bytes of an input, taken from the front.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// One of `count` choices, by a digit, so that inputs can be written by hand.
  mutating func choice(of count: Int) -> Int { Int(byte() &- UInt8(ascii: "0")) % count }

  /// All that is left, as text; what is not UTF-8 is replaced.
  var text: String { String(decoding: rest, as: UTF8.self) }

  /// All that is left, line by line.
  var lines: [ArraySlice<UInt8>] {
    rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }
}

/// Numbers that follow from a seed alone, so that an input always does the same.
struct SeededNumbers {
  private var state: UInt64

  init(_ seed: UInt8) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  /// A number below `limit`.
  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}

extension Array<UInt8> {
  /// The array in pieces of 1 to `longest` bytes.
  func pieces(seed: UInt8, longest: Int) -> [[UInt8]] {
    var numbers = SeededNumbers(seed)
    var pieces: [[UInt8]] = []
    var start = 0
    while start < count {
      let end = Swift.min(count, start + 1 + numbers.next(below: longest))
      pieces.append(Array(self[start..<end]))
      start = end
    }
    return pieces
  }
}
