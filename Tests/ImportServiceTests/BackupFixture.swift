import Crypto
import Foundation

/// Encrypts as Conversations does, apart from the program's own means.
enum BackupFixture {
  static let nonce = [UInt8](1...12)
  static let salt = [UInt8](101...116)

  /// Returns a backup file.
  static func file(
    _ text: String, password: String, version: UInt8 = 3, account: String = "alice@natter.test"
  ) throws -> [UInt8] {
    let key = try CryptoLibrary().pbkdf2(
      password: Array(password.utf8), salt: salt, iterations: 1024, by: .sha1, byteCount: 16)
    return header(version: version, account: account)
      + AESGCM(key: key).sealed(gzip(Array(text.utf8)), nonce: nonce)
  }

  static func header(version: UInt8 = 3, account: String = "alice@natter.test") -> [UInt8] {
    func java(_ text: String) -> [UInt8] {
      [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 255)] + text.utf8
    }
    return [0, 0, 0, version] + java("Conversations") + java(account)
      + [0, 0, 1, 0x9A, 0, 0, 0, 0] + nonce + salt
  }

  /// Returns the data in blocks that are not compressed (RFC 1951, 3.2.4).
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      result += [rest.isEmpty ? 1 : 0] + little(block.count, 2) + little(~block.count, 2) + block
    } while !rest.isEmpty
    var checksum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return result + little(Int(~checksum), 4) + little(bytes.count, 4)
  }
}

/// AES-128 in Galois/Counter Mode (FIPS 197, NIST SP 800-38D), written for being short.
private struct AESGCM {
  private static let substitutions: [UInt8] = {
    // The inverses in the field, by powers of 3, under the affine transformation.
    var (box, p, q): ([UInt8], UInt8, UInt8) = (Array(repeating: 0x63, count: 256), 1, 1)
    repeat {
      p = p ^ (p << 1) ^ (p & 0x80 == 0 ? 0 : 0x1B)
      q ^= q << 1
      q ^= q << 2
      q ^= q << 4
      if q & 0x80 != 0 { q ^= 0x09 }
      func turned(_ count: UInt8) -> UInt8 { q << count | q >> (8 - count) }
      box[Int(p)] = q ^ turned(1) ^ turned(2) ^ turned(3) ^ turned(4) ^ 0x63
    } while p != 1
    return box
  }()

  private let words: [[UInt8]]

  init(key: [UInt8]) {
    var words = (0..<4).map { Array(key[(4 * $0)..<(4 * $0 + 4)]) }
    var constant: UInt8 = 1
    for index in 4..<44 {
      var word = words[index - 1]
      if index % 4 == 0 {
        word = (word[1...] + word[..<1]).map { Self.substitutions[Int($0)] }
        word[0] ^= constant
        constant = Self.doubled(constant)
      }
      words.append(zip(word, words[index - 4]).map(^))
    }
    self.words = words
  }

  private static func doubled(_ byte: UInt8) -> UInt8 {
    byte << 1 ^ (byte & 0x80 == 0 ? 0 : 0x1B)
  }

  private func encrypted(_ block: [UInt8]) -> [UInt8] {
    func added(_ state: [UInt8], _ round: Int) -> [UInt8] {
      zip(state, words[(4 * round)..<(4 * round + 4)].joined()).map(^)
    }
    var state = added(block, 0)
    for round in 1...10 {
      state = (0..<16).map { Self.substitutions[Int(state[($0 + 4 * ($0 % 4)) % 16])] }
      if round < 10 {
        state = (0..<16).map { index in
          let column = state[(index / 4 * 4)..<(index / 4 * 4 + 4)].map(\.self)
          let (a, b) = (column[index % 4], column[(index + 1) % 4])
          return Self.doubled(a) ^ Self.doubled(b) ^ b ^ column[(index + 2) % 4]
            ^ column[(index + 3) % 4]
        }
      }
      state = added(state, round)
    }
    return state
  }

  /// Returns ciphertext and tag.
  func sealed(_ plain: [UInt8], nonce: [UInt8]) -> [UInt8] {
    func big(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    var sealed: [UInt8] = []
    for (number, start) in stride(from: 0, to: plain.count, by: 16).enumerated() {
      let stream = encrypted(nonce + big(number + 2, 4))
      sealed += zip(plain[start..<min(start + 16, plain.count)], stream).map(^)
    }
    let key = encrypted([UInt8](repeating: 0, count: 16))
    let padding = [UInt8](repeating: 0, count: (16 - sealed.count % 16) % 16)
    let data = sealed + padding + big(0, 8) + big(sealed.count * 8, 8)
    var hash = [UInt8](repeating: 0, count: 16)
    for start in stride(from: 0, to: data.count, by: 16) {
      hash = Self.product(zip(hash, data[start..<(start + 16)]).map(^), key)
    }
    return sealed + zip(hash, encrypted(nonce + big(1, 4))).map(^)
  }

  /// Multiplies in the field of 2^128 elements.
  private static func product(_ x: [UInt8], _ y: [UInt8]) -> [UInt8] {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    var (high, low) = (number(y[..<8]), number(y[8...]))
    var (sumHigh, sumLow): (UInt64, UInt64) = (0, 0)
    for index in 0..<128 {
      if x[index / 8] >> (7 - index % 8) & 1 == 1 {
        sumHigh ^= high
        sumLow ^= low
      }
      let isOdd = low & 1 == 1
      low = low >> 1 | high << 63
      high = high >> 1 ^ (isOdd ? 0xE1 << 56 : 0)
    }
    return [sumHigh, sumLow].flatMap { part in
      (0..<8).map { UInt8(truncatingIfNeeded: part >> (56 - 8 * $0)) }
    }
  }
}
