import Foundation

/// A directory of one test, removed with everything in it when the test is over.
final class Scratch {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "natter-config-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
  func bytes(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }
  func write(_ text: String, to name: String, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: url.appending(path: name))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
  }
  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
