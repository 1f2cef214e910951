import FoundationEssentials
import Glibc
import JSONLines
import NatterCore
import System

/// The values that a script keeps: a file for each, which is replaced as a whole.
///
/// The files are in a folder that the script itself cannot reach: links that it makes must not lead
/// Natter, which is not confined, to other files.
actor ScriptStorage {
  /// The most bytes of all values with their keys, of one value as JSON, and of a key.
  static let limit = 5 << 20
  static let valueLimit = 256 << 10
  static let keyLimit = 128
  /// The most values.
  static let countLimit = 10_000
  /// The most bytes of keys in an answer.
  static let pageBytes = 256 << 10

  /// Blocks while the disk works: no other task must wait for that.
  private let executor = QueueExecutor(label: "natter.script.storage")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let folder: String
  /// The bytes of each value with its key, by its file, because different keys may be the same
  /// text; `nil` before the folder was read.
  private var sizes: [String: Int]?
  private var total = 0

  /// - Parameter folder: it is created with the first value.
  init(_ folder: String) { self.folder = folder }

  /// Returns the folder of values for the folder in which a script may write.
  static func folder(beside storage: String) -> String {
    URL(filePath: storage).deletingLastPathComponent().appending(path: "values").path
  }

  /// Returns a value; `nil` if there is none.
  /// - Throws: `BridgeError.Code.internal` if it cannot be read.
  func value(_ key: String) throws(BridgeError) -> JSONValue? {
    let content: Data?
    do { content = try PrivateFile.read(path(key), limit: Self.valueLimit) } catch {
      throw failure("\(error.path) cannot be read: error \(error.reason)")
    }
    guard let content else { return nil }
    do { return try JSONValue(parsing: content) } catch {
      throw failure("the value of \(JSONValue.text(key).text) is damaged")
    }
  }

  /// Stores a value: it is on the disk when this returns.
  /// - Throws: `BridgeError`: `tooLarge` over a limit, `internal` if it cannot be written.
  func set(_ key: String, to value: JSONValue) throws(BridgeError) {
    let content = Data(value.text.utf8)
    guard content.count <= Self.valueLimit else {
      throw full("the value has more than \(Self.valueLimit) bytes")
    }
    let (known, file) = (try read(), Self.file(ofKey: key))
    let size = content.count + key.utf8.count
    guard known[file] != nil || known.count < Self.countLimit else {
      throw full("there are \(Self.countLimit) values already")
    }
    let sum = total - (known[file] ?? 0) + size
    guard sum <= Self.limit else { throw full("the values would have over \(Self.limit) bytes") }
    do { try PrivateFile.replace(path(key), with: content) } catch {
      throw failure("\(error.path) cannot be written: error \(error.reason)")
    }
    total = sum
    sizes?[file] = size
  }

  /// Removes a value.
  /// - Returns: `false` if there was none.
  /// - Throws: `BridgeError.Code.internal` if it cannot be removed.
  func remove(_ key: String) throws(BridgeError) -> Bool {
    let (known, file) = (try read(), Self.file(ofKey: key))
    guard unlink(path(key)) == 0 else {
      guard errno == ENOENT else {
        throw failure("\(path(key)) cannot be removed: error \(errno)")
      }
      return false
    }
    total -= known[file] ?? 0
    sizes?[file] = nil
    return true
  }

  /// Returns keys in their order by bytes.
  /// - Parameters:
  ///   - prefix: the beginning of those that are returned.
  ///   - skip: the number of keys to leave out.
  /// - Returns: the keys, and whether there are more.
  func keys(from prefix: String, skip: Int) throws(BridgeError) -> (keys: [String], more: Bool) {
    let beginning = Array(prefix.utf8)
    let matching = try read().keys.compactMap(Self.key).filter { $0.utf8.starts(with: beginning) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.dropFirst(skip)
    var bytes = 0
    let page = matching.prefix { key in
      bytes += key.utf8.count
      return bytes <= Self.pageBytes
    }
    return (Array(page), page.count < matching.count)
  }

  // MARK: - Files

  private func read() throws(BridgeError) -> [String: Int] {
    if let sizes { return sizes }
    var found: [String: Int] = [:]
    let names: [String]
    do { names = try DirectoryNames.read(folder) } catch {
      guard error.code == .ENOENT else {
        throw failure("\(folder) cannot be read: error \(error.code.rawValue)")
      }
      names = []
    }
    for name in names {
      // A file that was being written when Natter was killed.
      if name.hasSuffix(".part") { unlink(folder + "/" + name) }
      guard let key = Self.key(ofFile: name) else { continue }
      var information = stat()
      guard lstat(folder + "/" + name, &information) == 0 else { continue }
      found[name] = Int(information.st_size) + key.utf8.count
    }
    (sizes, total) = (found, found.values.reduce(0, +))
    return found
  }

  private func path(_ key: String) -> String { folder + "/" + Self.file(ofKey: key) }

  /// The name of the file of a key: base64url (RFC 4648 §5), because keys are any text.
  static func file(ofKey key: String) -> String {
    let text = Data(key.utf8).base64EncodedString()
    return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func key(ofFile name: String) -> String? {
    guard name.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && $0 < 0x80 }) else { return nil }
    let text = name.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let bytes = Data(base64Encoded: text + padding),
      let key = String(validating: bytes, as: UTF8.self)
    else { return nil }
    // Bounded already, as all texts of JSON.
    return key
  }

  private func full(_ message: String) -> BridgeError {
    BridgeError(
      .tooLarge, message, notice: StatusNotice(.error, "error.script.storage"),
      details: ["limit": .integer(Self.limit)])
  }

  private func failure(_ message: String) -> BridgeError {
    BridgeError(.internal, message, notice: StatusNotice(.error, "error.script.disk"))
  }
}
