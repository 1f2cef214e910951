import Foundation
import Testing

@testable import natter

@Suite final class ResourceLocatorTests {
  let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: root) }

  private func make(_ path: String, _ folders: [String] = ["locales/en", "themes"]) throws -> URL {
    let url = root.appending(path: path)
    for folder in folders {
      try FileManager.default.createDirectory(
        at: url.appending(path: folder), withIntermediateDirectories: true)
    }
    if folders.contains("themes") {
      try Data().write(to: url.appending(path: "themes/night.toml"))
    }
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

  @Test(arguments: ["locales/en", "themes"])
  func `a folder that lacks the themes or the languages is none, and is named`(
    folder: String
  ) throws {
    let half = try make("usr/share/natter", [folder])
    let executable = root.appending(path: "usr/bin/natter")
    #expect(throws: MissingResources(locations: [half.path])) {
      _ = try ResourceLocator.directory(environment: [:], executable: executable)
    }
    #expect(throws: MissingResources(locations: [half.path])) {
      _ = try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": half.path], executable: executable)
    }
  }

  @Test(arguments: ["out/x86_64-unknown-linux-gnu/debug", "deep/er/out/release"])
  func `a build folder in the checkout may have any name`(folder: String) throws {
    let resources = try make("checkout/Resources")
    try Data().write(to: root.appending(path: "checkout/Package.swift"))
    let found = try ResourceLocator.directory(
      environment: [:], executable: root.appending(path: "checkout/\(folder)/natter"))
    #expect(found.path == resources.path)
  }

  @Test func `a build folder that is a link leads back to the checkout that it was started in`()
    throws
  {
    let resources = try make("checkout/Resources")
    let files = FileManager.default
    try Data().write(to: root.appending(path: "checkout/Package.swift"))
    let elsewhere = root.appending(path: "scratch/debug")
    try files.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    try files.createSymbolicLink(
      at: root.appending(path: "checkout/.build"),
      withDestinationURL: root.appending(path: "scratch"))
    let executable = elsewhere.appending(path: "natter")
    try Data().write(to: executable)
    chmod(executable.path, 0o700)
    let start = root.appending(path: "checkout/.build/debug").path
    let found = try ResourceLocator.directory(
      environment: [:], executable: executable, name: start + "/natter")
    #expect(found.path == resources.path)
    // Found by the shell.
    let named = try ResourceLocator.directory(
      environment: ["PATH": "/nowhere:\(start)"], executable: executable, name: "natter")
    #expect(named.path == resources.path)
    #expect(
      throws: MissingResources(locations: [root.appending(path: "scratch/share/natter").path])
    ) {
      _ = try ResourceLocator.directory(environment: [:], executable: executable)
    }
  }

  @Test func `a program in the uppermost folder looks in share there`() {
    #expect(throws: MissingResources(locations: ["/share/natter"])) {
      _ = try ResourceLocator.directory(
        environment: [:], executable: URL(filePath: "/no-such-program"))
    }
    #expect(throws: MissingResources(locations: ["/share/natter", "/Resources"])) {
      _ = try ResourceLocator.directory(
        environment: [:], executable: URL(filePath: "/.build/no-such-program"))
    }
  }

  @Test func `the variable wins, and a wrong one is an error that names the folder`() throws {
    _ = try make("usr/share/natter")
    let own = try make("own")
    let executable = root.appending(path: "usr/bin/natter")
    #expect(
      try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": own.path], executable: executable
      ).path == own.path)
    #expect(throws: MissingResources(locations: ["/nowhere"])) {
      _ = try ResourceLocator.directory(
        environment: ["NATTER_RESOURCES": "/nowhere"], executable: executable)
    }
  }
}
