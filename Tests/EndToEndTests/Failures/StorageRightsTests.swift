import Foundation
import TestSupport
import Testing

// Folders without write permission, disks without space, and other users.
extension StorageFailureTests {
  // MARK: No right to write

  @Test(arguments: ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"])
  func `a directory that cannot be made is named`(variable: String) async throws {
    try home.folder.write("a file", to: "occupied")
    let more = [variable: home.folder.path("occupied/below")]
    for arguments in [["accounts"], ["send", "bob@natter.test", "x"], ["doctor"]] {
      let run = try await CommandRun(
        Programs.natter, arguments, environment: home.environment(more))
      #expect(run.status == .exited(78), "\(arguments)")
      #expect(run.errorText.contains(home.folder.path("occupied/below")), "\(run.errorText)")
      #expect(run.errorText.contains("Make it writable"))
      #expect(run.text == "")
    }
    let natter = try NatterRun([], home: home, environment: more)
    #expect(await natter.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(78))
    try await natter.shows("cannot be used")
    #expect(natter.terminal.isCooked)
    #expect(!natter.screen.isAlternate)
  }

  /// Starts Natter as somebody whom permissions bind: root loses its right to pass over them.
  func bound(_ arguments: [String]) -> (program: String, arguments: [String]) {
    guard geteuid() == 0 else { return (Programs.natter, arguments) }
    return (
      "setpriv",
      ["--inh-caps", "-all", "--bounding-set", "-all", "--", Programs.natter] + arguments
    )
  }

  @Test func `that no setting can be kept is shown at the start, and by the doctor`() async throws {
    try home.folder.write("a file", to: "occupied")
    let more = ["XDG_CONFIG_HOME": home.folder.path("occupied/below")]
    let text =
      home.folder.path("occupied/below")
      + "/natter cannot be written (a part of the path is not a folder)."
    let screen = try NatterRun(
      ["--local"], home: home, rows: 30, columns: 200, environment: more)
    try await screen.shows("Settings cannot be saved: ", text)
    #expect(await screen.quit() == .exited(0))
    let plain = try await CommandRun(
      Programs.natter, ["--local", "--plain"], environment: home.environment(more), input: "/quit\n"
    )
    #expect(plain.status == .exited(0))
    #expect(plain.errorText.contains(text), "\(plain.errorText)")
    let doctor = try await CommandRun(
      Programs.natter, ["doctor"], environment: home.environment(more))
    #expect(doctor.text.contains("[BAD] files: \(home.folder.path("occupied/below"))/natter"))
    #expect(doctor.status == .exited(1))
  }

  @Test func `a start that failed is no success, whichever way it is left`() async throws {
    try home.folder.makeFolder("data/natter/accounts.toml")
    let natter = try NatterRun([], home: home)
    try await natter.shows("Natter cannot start here", "Quit")
    natter.terminal.press(.control("q"))
    let ended = await natter.terminal.waitsForEnd(upTo: .seconds(60))
    #expect(ended == .exited(1), "\(String(describing: ended))")
  }

  @Test func `a directory without the right to write is named`() async throws {
    try FileManager.default.createDirectory(at: home.data, withIntermediateDirectories: true)
    chmod(home.data.path, 0o500)
    defer { chmod(home.data.path, 0o700) }
    let start = bound(["accounts"])
    let run = try await CommandRun(
      start.program, start.arguments, environment: home.environment())
    #expect(run.status == .exited(78))
    #expect(run.errorText.contains(home.data.path), "\(run.errorText)")
    #expect(run.errorText.contains("Make it writable"))
  }

  @Test func `a database without the right to write is named, and tried again when asked`()
    async throws
  {
    try await makeDatabase()
    chmod(database.path, 0o400)
    try home.folder.write(FaultySite.password + "\n", to: "password")
    let account = [
      "--account", FaultySite.account, "--password-file", home.folder.path("password"),
    ]
    let start = bound(account + site.options)
    let command = bound(["send"] + account + site.options + ["bob@natter.test", "x"])
    let run = try await CommandRun(
      command.program, command.arguments, environment: home.environment())
    #expect(run.status == .exited(1))
    #expect(run.errorText.contains("is not writable"), "\(run.errorText)")
    let check = bound(["doctor"] + account + site.options)
    let doctor = try await CommandRun(
      check.program, check.arguments, environment: home.environment())
    #expect(doctor.text.contains("[BAD] messages: "), "\(doctor.text)")
    #expect(doctor.text.contains("is not writable"), "\(doctor.text)")
    let terminal = try PTYProcess(
      start.program, start.arguments, environment: home.environment(), rows: 30, columns: 100)
    try await terminal.shows("writable.", "Try again", "Quit", upTo: .seconds(60))
    chmod(database.path, 0o600)
    terminal.press(.enter)
    try await terminal.shows("Not connected", upTo: .seconds(60))
    terminal.press(.control("q"))
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  // MARK: No room

  @Test(.enabled(if: DiskOfOurOwn.canBeMade, "needs the right to mount a file system"))
  func
    `a full disk at the first start of natter --local is told, and it goes on when there is room`()
    async throws
  {
    let disk = try DiskOfOurOwn(at: home.folder.path("data"), bytes: 4 << 20)
    defer { disk.unmount() }
    try FileManager.default.createDirectory(
      atPath: home.folder.path("data/natter"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try disk.fill()
    let natter = try NatterRun(["--local"], home: home, rows: 24, columns: 80)
    try await natter.shows("is full", "Free some space", "[>Try again<]", "Quit")
    try await isAlive(natter)
    try disk.empty()
    natter.terminal.press(.enter)
    try await natter.openGuide()
    try await natter.say("hello")
    try await natter.shows("you    hello", tick: "✓✓")
    #expect(await natter.quit() == .exited(0))
  }

  @Test func `natter send on a full disk says so and does not pretend`() async throws {
    try await makeDatabase()
    try home.folder.write(FaultySite.password + "\n", to: "password")
    let run = try await CommandRun(
      "bash",
      [
        "-c", "ulimit -S -f 1; exec \"$0\" \"$@\"", Programs.natter, "send", "--account",
        FaultySite.account, "--password-file", home.folder.path("password"),
      ] + site.options + ["bob@natter.test", "lost?"], environment: home.environment())
    #expect(run.status == .exited(1))
    #expect(run.errorText.contains("disk is full"), "\(run.errorText)")
    #expect(!run.errorText.contains("is kept"))
  }

  /// Expects that the user can go on while the disk is full: a sentence reports it, and no typed
  /// text is lost.
  private func livesThroughFullDisk(
    _ natter: NatterRun, fill: () async throws -> Void, empty: () async throws -> Void
  ) async throws {
    try await waitsForShell(natter)
    try await natter.open(chat: "bob@natter.test")
    try await natter.say("before")
    try await natter.shows("before", tick: ".")
    try await fill()
    // So much that no page left over in the file takes it.
    let long = "kept " + String(repeating: "0123456789", count: 9) + " end"
    try await natter.enter(long)
    try await natter.shows("The disk is full", "Free some space")
    // The draft could not be kept either, and may be what the notice was about: then this is typed
    // while the message is still being stored, and has a line of its own once that has failed.
    for letter in " and more" { natter.terminal.type(String(letter)) }
    try await natter.shows("> kept", "and more", "The disk is full")
    try await isAlive(natter)
    // Quitting now would lose it: that is said first.
    natter.terminal.press(.control("q"))
    try await natter.shows("Not saved", "Quit anyway", "Stay")
    natter.terminal.press(.escape)
    try await natter.hides("Quit anyway")
    try await natter.shows("and more")
    try await empty()
    // Nobody has to press a key for it.
    try await natter.hides("The disk is full")
    natter.terminal.press(.enter)
    try await natter.shows("kept", tick: ".")
    try await natter.shows("and more", "> Write a message")
    try await natter.type("the next draft")
    #expect(await natter.quit() == .exited(0))
    let again = try natter.startsAgain()
    try await waitsForShell(again)
    try await again.shows("before", "and more", "> the next draft")
    #expect(await again.quit() == .exited(0))
  }

  @Test(.enabled(if: DiskOfOurOwn.canBeMade, "needs the right to mount a file system"))
  func `a full disk is reported on the screen, and what is typed is not lost`() async throws {
    let disk = try DiskOfOurOwn(at: home.folder.path("data"), bytes: 2 << 20)
    defer { disk.unmount() }
    let natter = try site.screen(home: home)
    try await livesThroughFullDisk(natter, fill: { try disk.fill() }, empty: disk.empty)
  }

  @Test func `a file size limit is reported on the screen as a full disk`() async throws {
    let natter = try site.screen(home: home)
    try await livesThroughFullDisk(
      natter, fill: { try await natter.limitFiles(to: 1) },
      empty: { try await natter.limitFiles(to: nil) })
  }

  // MARK: Others' eyes

  @Test(.enabled(if: geteuid() == 0, "needs the superuser, who can give a directory away"))
  func `a data directory that cannot be closed to others is refused by name`() async throws {
    try FileManager.default.createDirectory(at: home.data, withIntermediateDirectories: true)
    #expect(chown(home.data.path, 12345, 12345) == 0)
    chmod(home.data.path, 0o777)
    let start = bound(["accounts"])
    let run = try await CommandRun(
      start.program, start.arguments, environment: home.environment())
    #expect(run.status == .exited(78))
    #expect(run.errorText.contains(home.data.path), "\(run.errorText)")
    #expect(run.errorText.contains("its permissions cannot be changed"))
  }
}
