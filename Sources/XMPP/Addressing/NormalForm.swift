// The standard library normalises, but offers it only under this name. Foundation's way brings ICU into the program:
// thirty megabytes, read and relocated at each start.
@_spi(_Unicode) import Swift

/// Text in one of Unicode's normal forms (UAX #15).
enum NormalForm {
  /// Normal form C: what looks and means the same is the same.
  static func canonical(_ scalars: String.UnicodeScalarView) -> String {
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: String(scalars)._nfc)
    return String(composed)
  }

  /// Normal form KC: so is what differs only in how it is set (`ﬁ` and `fi`, `²` and `2`).
  static func compatibility(_ scalars: String.UnicodeScalarView) -> String {
    var mapped = String.UnicodeScalarView()
    for scalar in scalars { mapped.append(contentsOf: compatibleScalars(of: scalar)) }
    return canonical(mapped)
  }

  /// What `scalar` stands for; itself, when it is no compatibility character.
  static func compatibleScalars(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    var low = 0
    var high = compatibilityKeys.count
    while low < high {
      let middle = (low + high) / 2
      if compatibilityKeys[middle] >> 32 < UInt64(scalar.value) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < compatibilityKeys.count, compatibilityKeys[low] >> 32 == UInt64(scalar.value)
    else { return [scalar] }
    let key = compatibilityKeys[low]
    let start = Int(key >> 8 & 0xFF_FFFF)
    return compatibilityScalars[start..<start + Int(key & 0xFF)].compactMap(Unicode.Scalar.init)
  }
}
