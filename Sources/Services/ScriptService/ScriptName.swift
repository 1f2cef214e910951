/// The names of scripts, commands and other parts of a manifest.
package enum ScriptName {
  /// The most bytes of a name.
  package static let limit = 32

  /// Indicates whether a text is a name: a small letter of ASCII, followed by small letters,
  /// digits and hyphens, 32 in all at most.
  package static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, isLetter(first), bytes.count <= limit else { return false }
    return bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
