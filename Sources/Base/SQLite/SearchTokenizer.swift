import CSQLite

/// The tokenizer `natter` of full-text indexes, which every connection knows: the tokens of
/// unicode61 without accents, cut at each character of a script that is written without spaces.
/// These characters, and emoji, are tokens by themselves.
package enum SearchTokenizer {
  /// Indicates whether `scalar` is a token by itself.
  package static func isToken(_ scalar: Unicode.Scalar) -> Bool {
    natter_sqlite_is_token(scalar.value) != 0
  }

  /// Indicates whether `scalar` is in a token: by itself, or as one of the letters and digits of
  /// Unicode 6.1, which unicode61 knows.
  package static func isInToken(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return (0x61...0x7A).contains(scalar.value | 0x20) || (0x30...0x39).contains(scalar.value)
    }
    if isToken(scalar) { return true }
    guard let age = scalar.properties.age, age.major < 6 || age.major == 6 && age.minor <= 1 else {
      return false
    }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse:
      true
    default: false
    }
  }
}

extension DatabaseConnection {
  /// Returns the tokens of `text` in order, as the tokenizer `natter` reads it: in lower case and
  /// without accents.
  /// - Throws: `SQLiteError`, where the library has no full-text search.
  package func tokens(of text: String) throws(SQLiteError) -> [String] {
    let tokenizer = try searchTokenizer()
    var text = text
    var tokens: [String] = []
    let result = text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { bytes in
        withUnsafeMutablePointer(to: &tokens) { found in
          natter_sqlite_tokenize(tokenizer, bytes.baseAddress, Int32(clamping: bytes.count), found)
          {
            context, token, count in
            guard let token else { return }
            context?.assumingMemoryBound(to: [String].self).pointee.append(
              String(
                decoding: UnsafeRawBufferPointer(start: token, count: Int(count)), as: UTF8.self))
          }
        }
      }
    }
    guard result == SQLITE_OK else { throw SQLiteError(result, handle: handle) }
    return tokens
  }
}
