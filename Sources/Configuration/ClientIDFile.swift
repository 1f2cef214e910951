import FoundationEssentials

/// Random bytes that are the same at each start: what names this client to servers are made of (XEP-0388 §2.4).
package struct ClientIDFile: Sendable {
  private let path: String

  /// - Parameter path: of the file; it need not be there yet.
  package init(path: String) { self.path = path }

  /// 32 hexadecimal digits; made by `random` the first time.
  /// - Throws: `ConfigurationError`.
  package func seed(random: () -> String) throws -> String {
    do {
      if let found = try PrivateFile.read(path, limit: 4096),
        let text = String(data: found, encoding: .utf8)?.split(separator: "\n").first,
        text.count == 32, text.allSatisfy(\.isHexDigit)
      {
        return String(text)
      }
      let new = random()
      try PrivateFile.replace(path, with: Data("\(new)\n".utf8))
      return new
    } catch {
      throw ConfigurationError(error)
    }
  }
}
