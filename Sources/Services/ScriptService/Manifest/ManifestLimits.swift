/// What a manifest may have at most: its texts are shown, and read again often.
package enum ManifestLimits {
  /// Of the file, in bytes.
  package static let file = 64 << 10

  // Entries of each kind.
  static let permissions = 64
  static let commands = 64
  static let settings = 32
  static let others = 32
  /// Of a list.
  static let elements = 64

  // Bytes of texts.
  static let title = 128
  static let version = 64
  static let sentence = 1024
  static let arguments = 128
  static let argument = 4096
  static let word = 512
}
