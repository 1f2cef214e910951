import Foundation
import TestSupport

extension Home {
  /// The location of Natter's resources, as this program was given it.
  var resources: [String: String] {
    ["NATTER_RESOURCES": ProcessInfo.processInfo.environment["NATTER_RESOURCES"] ?? ""]
  }

  /// The environment of Natter in it: nothing of the user's but the location of its resources.
  var natterEnvironment: [String: String] { environment(resources) }

  /// Starts a command that goes on.
  /// - Parameter name: of the file in `folder` that gets its output; its errors get `NAME.errors`.
  func start(
    _ natter: String, _ arguments: [String], writing name: String
  ) throws -> ChildProcess {
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let files = [name, name + ".errors"].map {
      open(folder.path($0), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }
    defer { for descriptor in files + [null] { close(descriptor) } }
    return try ChildProcess(
      natter, arguments, environment: natterEnvironment, descriptors: (null, files[0], files[1]))
  }
}
