// The standard library offers normalisation only as SPI. Foundation's would link ICU into the
// program: thirty megabytes, read and relocated at each start.
@_spi(_Unicode) import Swift

/// Text in one of Unicode's normal forms (UAX #15).
enum NormalForm {
  /// Returns normal form C, in which canonically equivalent texts are equal.
  static func canonical(_ scalars: String.UnicodeScalarView) -> String {
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: String(scalars)._nfc)
    return String(composed)
  }

  /// Returns normal form KC, in which texts that differ only in typography are equal too (`ﬁ` and
  /// `fi`, `²` and `2`).
  static func compatibility(_ scalars: String.UnicodeScalarView) -> String {
    var mapped = String.UnicodeScalarView()
    for scalar in scalars { mapped.append(contentsOf: compatibleScalars(of: scalar)) }
    return canonical(mapped)
  }

  /// Returns the compatibility mapping of `scalar`; `scalar` itself when it has none.
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
