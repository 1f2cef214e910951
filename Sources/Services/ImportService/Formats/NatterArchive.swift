import Crypto
import JSONLines
import XMPP

/// An archive of an account, as Natter exports it: a tar file of `manifest.json`, `store.db`,
/// `messages.jsonl` and `files/DIGEST`. It is checked whole before anything of it is used: the
/// names, that nothing is a link, and the digests.
struct NatterArchive {
  /// A file in the archive.
  struct Entry: Sendable {
    let name: String
    let offset: Int
    let size: Int
  }

  private static let block = 512
  private static let manifestName = "manifest.json"
  static let storeName = "store.db"
  private static let longestManifest = 16 << 20
  /// The version of the archive's form.
  private static let version = 1

  let account: JID?
  let messages: Entry
  /// The database; `nil`: there is none.
  let store: Entry?
  /// The downloaded files, by the bytes of the paths that they had: nothing else is done with
  /// these.
  let files: [[UInt8]: Entry]
  /// The digests of the parts, by their names.
  private let digests: [String: String]

  /// Returns whether a file is a tar file that begins with a manifest.
  static func recognizes(_ path: String) -> Bool {
    let head = HistoryFile.beginning(of: path, count: block)
    return head.count == block && head.starts(with: Array(manifestName.utf8) + [0])
      && checksum(of: head) == octal(head[148..<156])
  }

  /// Returns whether a file is a tar file of any kind.
  static func isTar(_ path: String) -> Bool {
    let head = HistoryFile.beginning(of: path, count: block)
    return head.count == block && head[257...].starts(with: "ustar".utf8) || recognizes(path)
  }

  /// - Throws: `ImportFailure`; `.newerVersion` for a form or schema that is newer.
  init(_ file: HistoryFile, newestSchema: Int) throws {
    func damaged(_ name: String) -> ImportFailure { .archive(path: "\(file.path): \(name)") }
    let entries = try Self.entries(of: file)
    guard let first = entries.first, first.name == Self.manifestName,
      first.size <= Self.longestManifest,
      let manifest = try? JSONValue(parsing: file.bytes(at: first.offset, count: first.size))
    else { throw damaged(Self.manifestName) }
    guard let version = manifest["natter-archive"]?.int, version > 0,
      let schema = manifest["schema"]?.int, case .object(let parts)? = manifest["parts"]
    else { throw damaged(Self.manifestName) }
    guard version <= Self.version, schema <= newestSchema else {
      throw ImportFailure.newerVersion(path: file.path)
    }
    switch manifest["account"] {
    case nil, .null: account = nil
    case let value?:
      // One that cannot be read is not the user's, as none would be.
      guard let jid = value.string.flatMap({ JID(parsing: $0) }) else {
        throw damaged(Self.manifestName)
      }
      account = jid.bare
    }
    digests = parts.compactMapValues(\.string)
    var rest = Set(parts.keys)
    for entry in entries.dropFirst() {
      try Self.check(entry, digests, in: file)
      rest.remove(entry.name)
    }
    if let missing = rest.min() { throw damaged(missing) }
    guard let messages = entries.first(where: { $0.name == "messages.jsonl" }) else {
      throw damaged("messages.jsonl")
    }
    self.messages = messages
    store = entries.first { $0.name == Self.storeName }
    files = Self.files(manifest["files"]?.elements ?? [], among: entries)
  }

  /// Returns the entries of downloaded files by their paths, without those that the archive lacks.
  private static func files(_ list: [JSONValue], among entries: [Entry]) -> [[UInt8]: Entry] {
    let named = Dictionary(entries.map { ($0.name, $0) }) { first, _ in first }
    var files: [[UInt8]: Entry] = [:]
    for file in list {
      guard let path = file["path"]?.string, let digest = file["sha256"]?.string else { continue }
      files[Array(path.utf8)] = named["files/" + digest]
    }
    return files
  }

  /// Checks again that an entry has the bytes that the description or its name says.
  /// - Throws: `ImportFailure`.
  func check(_ entry: Entry, in file: HistoryFile) throws {
    try Self.check(entry, digests, in: file)
  }

  private static func check(
    _ entry: Entry, _ digests: [String: String], in file: HistoryFile
  ) throws {
    let digest = digests[entry.name] ?? digest(inName: entry.name)
    guard let digest, try self.digest(of: entry, in: file) == digest.lowercased() else {
      throw ImportFailure.archive(path: "\(file.path): \(entry.name)")
    }
  }

  private static func digest(of entry: Entry, in file: HistoryFile) throws -> String? {
    do {
      return try CryptoLibrary().hash(
        descriptor: file.descriptor, from: entry.offset, byteCount: entry.size, by: .sha256
      ).map { hex($0) }
    } catch { throw ImportFailure.missingLibrary("libcrypto") }
  }

  /// Returns the digest in `files/DIGEST`; `nil` for any other name.
  private static func digest(inName name: String) -> String? {
    guard name.hasPrefix("files/") else { return nil }
    let digest = name.utf8.dropFirst(6)
    guard digest.count == 64,
      digest.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return String(decoding: digest, as: UTF8.self)
  }

  // MARK: - Tar (POSIX.1, pax, "ustar Interchange Format")

  private static func entries(of file: HistoryFile) throws(ImportFailure) -> [Entry] {
    var entries: [Entry] = []
    var names: Set<String> = []
    var offset = 0
    while true {
      let head = try file.bytes(at: offset, count: block)
      // The end is two empty blocks; a part of the archive is none.
      guard head.count == block else { throw .archive(path: file.path) }
      if head.allSatisfy({ $0 == 0 }) { return entries }
      let name = String(decoding: head.prefix(100).prefix { $0 != 0 }, as: UTF8.self)
      // Files only: no links, folders, devices or extensions, and no other names.
      guard checksum(of: head) == octal(head[148..<156]), head[156] == 0x30 || head[156] == 0,
        head[345..<500].allSatisfy({ $0 == 0 }), isExpected(name), names.insert(name).inserted,
        let size = size(head[124..<136]), size <= file.byteCount - offset - block
      else { throw .archive(path: "\(file.path): \(name)") }
      entries.append(Entry(name: name, offset: offset + block, size: size))
      offset += block + (size + block - 1) / block * block
    }
  }

  private static func isExpected(_ name: String) -> Bool {
    [manifestName, storeName, "messages.jsonl"].contains(name) || digest(inName: name) != nil
  }

  private static func checksum(of head: [UInt8]) -> Int {
    // The sum counts its own field as blanks.
    head.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 0x20 : Int(head[$1])) }
  }

  private static func octal(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0 && $0 != 0x20 }
    guard !digits.isEmpty, digits.count <= 12, digits.allSatisfy({ (0x30...0x37).contains($0) })
    else { return nil }
    return digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }
  }

  /// A size, in octal digits, or in binary if it has more than these can say.
  private static func size(_ field: ArraySlice<UInt8>) -> Int? {
    guard let first = field.first, first == 0x80 else { return octal(field) }
    let bytes = field.dropFirst().drop { $0 == 0 }
    guard bytes.count < 8 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}
