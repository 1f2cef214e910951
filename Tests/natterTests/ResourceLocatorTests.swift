import Foundation
import Testing

@testable import natter

@Suite final class ResourceLocatorTests {
  let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: root) }

  private func make(_ path: String) throws -> URL {
    let url = root.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.appending(path: "locales/en"), withIntermediateDirectories: true)
    return url
  }

  @Test func `an installed program looks in share beside bin`() throws {
    let share = try make("usr/share/natter")
    let found = try ResourceLocator.directory(
      environment: [:], executable: root.appending(path: "usr/bin/natter"))
    #expect(found.path == share.path)
  }

  @Test func `a program in a build folder uses the checkout's`() throws {
    let resources = try make("checkout/Resources")
    let found = try ResourceLocator.directory(
      environment: [:],
      executable: root.appending(path: "checkout/.build/x86_64-unknown-linux-gnu/debug/natter"))
    #expect(found.path == resources.path)
  }

  @Test func `the variable wins, and a wrong one is an error that names the place`() throws {
    _ = try make("usr/share/natter")
    let own = try make("own")
    let executable = root.appending(path: "usr/bin/natter")
    #expect(
      try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": own.path], executable: executable
      ).path == own.path)
    #expect(throws: MissingResources(places: ["/nowhere"])) {
      _ = try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": "/nowhere"], executable: executable)
    }
  }
}
