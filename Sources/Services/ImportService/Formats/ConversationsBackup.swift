import BoundedText
import Crypto
import FoundationEssentials
import NatterCore
import XMPP

/// A backup of Conversations and of programs that derive from it: `*.ceb`, versions 2 and 3,
/// encrypted with the account's password.
///
/// The file is decrypted twice: first only to check the tag at its end, so that nothing is believed
/// that is not authentic, then to read it. Neither keeps more than a piece of it in memory.
package struct ConversationsBackup: HistoryFormat {
  package static let name = "conversations"
  package static let needsPassword = true

  private static let iterations = 1024
  private static let keyByteCount = 16
  private static let pieceByteCount = 256 << 10

  private let path: String
  private let header: Header
  private let context: ImportContext

  package static func recognizes(_ path: String) -> Bool {
    guard let file = try? HistoryFile(path), let header = Header(file) else { return false }
    return header.isPlausible
  }

  package init(path: String, context: ImportContext) throws {
    let file = try HistoryFile(path)
    guard let header = Header(file) else { throw ImportFailure.damaged(path: path) }
    guard (2...3).contains(header.version) else {
      throw ImportFailure.unsupportedVersion(String(header.version))
    }
    self.path = path
    self.header = header
    self.context = context
  }

  package func read(_ take: (ImportItem) throws -> Void) throws {
    guard let password = context.password, !password.isEmpty else { throw ImportFailure.password }
    let file = try HistoryFile(path)
    let end = file.byteCount - AESGCMDecryption.tagByteCount
    guard end > header.byteCount else { throw ImportFailure.damaged(path: path) }
    let tag = try file.bytes(at: end, count: AESGCMDecryption.tagByteCount)
    let key = try crypto { () throws(CryptoError) in
      try CryptoLibrary().pbkdf2(
        password: Array(password.utf8), salt: header.salt, iterations: Self.iterations, by: .sha1,
        byteCount: Self.keyByteCount)
    }
    // A wrong password looks the same as a damaged file.
    guard try decrypt(file, key: key, until: end, tag: tag, { _ in }) else {
      throw ImportFailure.password
    }
    let inflater = try Inflater()
    var rows = BackupRows()
    var reader = ConversationsReader(path: path, account: header.account)
    // What the file contained the first time was authentic, so only a change of it fails here.
    let isAuthentic = try decrypt(file, key: key, until: end, tag: tag) { piece in
      do {
        try inflater.inflate(piece) { text in
          try rows.add(text) { row in
            if let item = reader.item(row) { try take(item) }
          }
        }
      } catch is Inflater.Damaged {
        throw ImportFailure.damaged(path: path)
      }
    }
    guard isAuthentic, inflater.isAtEnd, rows.isAtEnd else {
      throw ImportFailure.damaged(path: path)
    }
  }

  /// Decrypts the file and calls `take` with the plaintext, in pieces.
  /// - Returns: whether the tag is right.
  private func decrypt(
    _ file: HistoryFile, key: [UInt8], until end: Int, tag: [UInt8],
    _ take: ([UInt8]) throws -> Void
  ) throws -> Bool {
    let nonce = header.nonce
    let cipher = try crypto { () throws(CryptoError) in
      try AESGCMDecryption(key: key, nonce: nonce)
    }
    var offset = header.byteCount
    while offset < end {
      let piece = try file.bytes(at: offset, count: min(Self.pieceByteCount, end - offset))
      guard !piece.isEmpty else { return false }
      offset += piece.count
      try take(try crypto { () throws(CryptoError) in try cipher.decrypt(piece) })
    }
    return try crypto { () throws(CryptoError) in try cipher.isAuthentic(tag: tag) }
  }

  private func crypto<Value>(_ body: () throws(CryptoError) -> Value) throws -> Value {
    do throws(CryptoError) { return try body() } catch {
      switch error {
      case .libraryMissing, .symbolMissing: throw ImportFailure.missingLibrary("libcrypto")
      case .failed(let function): throw ImportFailure.unreadable(path: path, reason: function)
      // A backup has no public keys.
      case .refused: throw ImportFailure.damaged(path: path)
      }
    }
  }

  /// The beginning of a backup: version, name of the program, account, time, nonce and salt, as
  /// Java's DataOutputStream writes them.
  struct Header {
    private static let saltByteCount = 16
    /// The longest header that is read, in bytes. An address has 3071 at most.
    private static let limit = 8192

    let version: Int
    let program: String
    let account: JID
    let nonce: [UInt8]
    let salt: [UInt8]
    let byteCount: Int

    /// - Returns: `nil` for anything else.
    init?(_ file: HistoryFile) {
      guard let bytes = try? file.bytes(at: 0, count: Self.limit) else { return nil }
      var rest = bytes[...]
      func next(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
      }
      func number(_ count: Int) -> Int? { next(count)?.reduce(0) { $0 << 8 | Int($1) } }
      guard let version = number(4), let length = number(2), let program = next(length),
        let length = number(2), let account = next(length), next(8) != nil,
        let nonce = next(AESGCMDecryption.nonceByteCount), let salt = next(Self.saltByteCount),
        let jid = JID(parsing: String(bounding: account)), jid.local != nil
      else { return nil }
      self.version = version
      self.program = String(bounding: program)
      self.account = jid.bare
      self.nonce = Array(nonce)
      self.salt = Array(salt)
      byteCount = rest.startIndex
    }

    /// Indicates whether the file is a backup with certainty: all begin with small numbers.
    var isPlausible: Bool { (1...99).contains(version) && !program.isEmpty }
  }
}
