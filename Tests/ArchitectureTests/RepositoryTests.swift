import Foundation
import Testing

/// The checkout as a whole.
@Suite struct RepositoryTests {
  @Test func `the top level has what it is meant to have`() throws {
    let allowed: Set = [
      "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Package.swift", "README.md", "Resources",
      "Sources", "Tests", "man",
    ]
    // What tools put there for themselves is ignored by git.
    let names = try Checkout.names(in: "").filter {
      $0 != "Package.resolved" && !$0.hasSuffix(".swp")
    }
    #expect(Set(names).symmetricDifference(allowed).sorted() == [])
    for path in [".ci/run", ".gitignore", "man/natter.1", "man/natter.conf.5"] {
      #expect(
        FileManager.default.fileExists(atPath: Checkout.root.appending(path: path).path), "\(path)")
    }
    for path in [
      ".ci/run", ".ci/install-files", ".ci/package", ".ci/package-check", ".ci/picture",
    ] {
      #expect(
        FileManager.default.isExecutableFile(atPath: Checkout.root.appending(path: path).path),
        "\(path)")
    }
  }

  @Test func `the package needs no other package`() throws {
    let manifest = try Checkout.text("Package.swift")
    #expect(!manifest.contains(".package("))
    #expect(manifest.hasPrefix("// swift-tools-version: 6."))
  }

  @Test(arguments: ["run", "second", "test", "install"])
  func `README has each command once, as a fenced block after its marker`(name: String) throws {
    let parts = try Checkout.text("README.md").components(
      separatedBy: "<!-- command: \(name) -->\n")
    #expect(parts.count == 2)
    let block = parts.last ?? ""
    #expect(block.hasPrefix("```sh\n"))
    let fences = block.components(separatedBy: "\n```\n")
    #expect(fences.count > 1)
    #expect(!fences[0].dropFirst(6).contains("```"))
  }

  @Test func `README can be read at one go`() throws {
    let lines = try Checkout.text("README.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    // The last line ends with a line feed.
    #expect(lines.count - 1 <= 150)
  }

  @Test func `README names the least toolchain that Package.swift takes`() throws {
    let manifest = try Checkout.text("Package.swift")
    let version = try #require(manifest.firstMatch(of: /swift-tools-version: (\d+\.\d+)/)).output.1
    #expect(try Checkout.text("README.md").contains("Swift toolchain, \(version) or newer"))
  }

  @Test
  func `a sub-app is a folder with its factory, its name, and one line in FullScreen.subApps`()
    throws
  {
    let source = try Checkout.text("Sources/Programs/natter/FullScreen/FullScreen+SubApps.swift")
    let parts = source.components(separatedBy: "static let subApps: ")
    let list = try #require(parts.dropFirst().first?.components(separatedBy: "\n  ]\n").first)
    let registered = list.matches(of: /(?m)^    SubAppRegistration \{ (?:_ in )?(\w+)\(.*\) \}/)
      .map { String($0.1) }
    let made = try Checkout.names(in: "Sources/Screen/Panes").filter { folder in
      FileManager.default.fileExists(
        atPath: Checkout.root.appending(
          path: "Sources/Screen/Panes/\(folder)/\(folder)Factory.swift"
        ).path
      )
    }
    // Chats is what the desktop begins with.
    #expect(made.filter { $0 != "Chats" }.map { $0 + "Factory" } == registered)
    #expect(made.contains("Chats"))
    let readme = try Checkout.text("README.md").replacing("\n", with: " ")
    #expect(readme.contains("one line in `FullScreen.subApps`"))
    #expect(readme.contains("in `Resources/locales` its name and its line of the guide"))
    #expect(readme.contains("in a folder of the same name in `Sources/Screen/ViewModels`"))
    let models = Set(try Checkout.names(in: "Sources/Screen/ViewModels"))
    #expect(made.filter { !models.contains($0) } == [])
    // The one that a test adds is registered by a line like those.
    let sixth = try Checkout.text("Tests/PanesTests/DesktopTests.swift")
    #expect(sixth.contains("SubAppRegistration<Void> { NotesFactory() }"))
  }

  @Test func `every module has its tests`() throws {
    let tests = Set(try Checkout.names(in: "Tests"))
    let modules = try Checkout.modules.get().keys.filter {
      ![
        "CCurl", "CLinux", "CNcurses", "CResolv", "CSandbox", "CSQLite",
        "natter-bench",
      ].contains($0)
    }
    #expect(modules.filter { !tests.contains($0 + "Tests") } == [])
  }
}
