/// Host names in the form the network knows them.
///
/// The system's and libcurl's own conversions go by the locale, which may well be "C".
package enum DomainName {
  /// A name with its internationalised labels as A-labels (RFC 5890 §2.3.2.1), in lower case.
  ///
  /// `name` has to be prepared already, as a JID's domain is (RFC 7622 §3.2): normalised and mapped.
  /// - Returns: `nil` when a label is too long or the name is empty; anything in ASCII only comes back as it is, in lower case.
  package static func ascii(_ name: String) -> String? {
    var labels: [String] = []
    for label in name.lowercased().split(separator: ".", omittingEmptySubsequences: false) {
      if label.utf8.allSatisfy({ $0 < 0x80 }) {
        labels.append(String(label))
      } else {
        guard let encoded = punycode(label.unicodeScalars.map(\.value)), encoded.utf8.count <= 59
        else { return nil }
        labels.append("xn--" + encoded)
      }
    }
    let joined = labels.joined(separator: ".")
    return joined.isEmpty ? nil : joined
  }

  /// Whether `host` is an address in numbers, or names this machine: there is nothing to look up.
  package static func isLiteral(_ host: String) -> Bool {
    if host.contains(":") || host.hasPrefix("/") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// RFC 3492 §6.3.
  private static func punycode(_ input: [UInt32]) -> String? {
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
