/// The ASCII form of internationalised labels (RFC 3492).
package enum Punycode {
  /// The maximum length of a label in bytes after its `xn--` (RFC 1035 §2.3.4).
  package static let longest = 59

  /// Returns the ASCII form of the scalars of a label (§6.3).
  /// - Returns: `nil` when it would be too long.
  package static func encoded(_ input: [UInt32]) -> String? {
    var output = input.filter { $0 < 0x80 }.map { UInt8($0) }
    let basicCount = output.count
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var next: UInt32 = 128
    var delta = 0
    var bias = 72
    var handled = basicCount
    while handled < input.count {
      guard let smallest = input.filter({ $0 >= next }).min(), output.count < 256
      else { return nil }
      delta += Int(smallest - next) * (handled + 1)
      next = smallest
      for scalar in input {
        if scalar < next { delta += 1 }
        guard scalar == next else { continue }
        var rest = delta
        var position = 36
        while true {
          let threshold = min(max(position - bias, 1), 26)
          if rest < threshold { break }
          output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
          rest = (rest - threshold) / (36 - threshold)
          position += 36
        }
        output.append(digit(rest))
        bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      next += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the scalars that an ASCII form encodes (§6.2).
  /// - Returns: `nil` when it is not valid.
  package static func decoded(_ text: some StringProtocol) -> [UInt32]? {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= longest, bytes.allSatisfy({ $0 < 0x80 }) else {
      return nil
    }
    var rest = bytes[...]
    var output: [UInt32] = []
    if let hyphen = bytes.lastIndex(of: UInt8(ascii: "-")) {
      output = bytes[..<hyphen].map { UInt32($0) }
      rest = bytes[(hyphen + 1)...]
    }
    // With at most 59 bytes no sum below approaches the range of an integer, except by hostile
    // digits.
    var (next, index, bias) = (128, 0, 72)
    while !rest.isEmpty {
      let old = index
      var (weight, position) = (1, 36)
      while true {
        guard let value = rest.popFirst().flatMap(value(of:)) else { return nil }
        let (product, isTooLarge) = value.multipliedReportingOverflow(by: weight)
        guard !isTooLarge, product <= limit - index else { return nil }
        index += product
        let threshold = min(max(position - bias, 1), 26)
        if value < threshold { break }
        guard weight <= limit / (36 - threshold) else { return nil }
        weight *= 36 - threshold
        position += 36
      }
      let count = output.count + 1
      bias = adapted(index - old, count: count, isFirst: old == 0)
      next += index / count
      index %= count
      guard next <= 0x10FFFF else { return nil }
      output.insert(UInt32(next), at: index)
      index += 1
    }
    return output
  }

  /// A limit above the needs of any label (§6.4).
  private static let limit = Int(Int32.max)

  private static func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  private static func digit(_ value: Int) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }

  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var result = 0
    while delta > 455 {
      delta /= 35
      result += 36
    }
    return result + 36 * delta / (delta + 38)
  }
}
