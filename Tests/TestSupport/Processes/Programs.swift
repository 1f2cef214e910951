import Foundation

/// Programs on this machine, found as a shell would find them.
package enum Programs {
  /// A program that is not installed.
  package struct Missing: Error, CustomStringConvertible {
    package let name: String
    package init(name: String) { self.name = name }
    package var description: String { "\(name) is not installed" }
  }

  /// Where Debian has programs. The tests' own PATH is left out, so that what it adds (another
  /// Python, say) does not decide what is tested.
  package static let searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// The path of `name`, which may be a path already.
  /// - Throws: `Missing` where there is none.
  package static func path(of name: String) throws -> String {
    if name.contains("/") {
      guard access(name, X_OK) == 0 else { throw Missing(name: name) }
      return name
    }
    for folder in searchPath.split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 {
      return "\(folder)/\(name)"
    }
    throw Missing(name: name)
  }

  package static func exists(_ name: String) -> Bool { (try? path(of: name)) != nil }

  /// A program that this package builds, beside the test bundle.
  package static func product(_ name: String) -> String {
    let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appending(path: name).path
  }

  /// Natter itself: an installed program where NATTER_BINARY is its path, else the one built beside
  /// the tests.
  package static var natter: String {
    ProcessInfo.processInfo.environment["NATTER_BINARY"] ?? product("natter")
  }

  /// The checkout that the tests were built from.
  package static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
