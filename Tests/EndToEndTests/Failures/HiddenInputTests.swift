import Foundation
import TestSupport
import Testing

/// The password's prompt of `natter login`, where it crashes.
@Suite(.limitedConcurrency) struct CrashedPromptTests {
  @Test(arguments: [SIGSEGV, SIGABRT])
  func `a crash gives the terminal back`(number: Int32) async throws {
    let run = try PTYProcess(
      "sh",
      [
        "-c", "ulimit -c 0; exec \"$1\" login alice@natter.test", "sh", Programs.natter,
      ],
      // The toolchain's own report would wait for a key.
      environment: try Home().environment(["SWIFT_BACKTRACE": "enable=no"]))
    try await run.shows("Password of alice@natter.test:")
    #expect(try await polls(upTo: .seconds(20)) { !run.isCooked })
    run.signal(number)
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .signalled(number))
    #expect(run.isCooked)
  }
}

/// The password's prompt of `natter login`, left by the keys that end or stop a program.
@Suite(.limitedConcurrency) struct HiddenInputTests {
  let home: Home
  let shell: PTYProcess

  /// A shell with job control that leaves the terminal's modes as its programs do, and the prompt
  /// in it.
  init() async throws {
    home = try Home()
    // Others set the terminal right after a program that was ended or stopped.
    shell = try PTYProcess(
      "dash", ["-i"], environment: home.environment(["PS1": "prompt> ", "ENV": ""]))
    try await shell.shows("prompt> ")
    shell.type("exec 2>&1; PATH=\(Programs.natter.dropLast("/natter".count)):$PATH\n")
    shell.type("clear; natter login alice@natter.test\n")
    try await shell.shows("Password of alice@natter.test:")
    try await echoes(false)
    shell.type("secret")
  }

  private struct NeverChanged: Error {}

  /// Waits until the terminal shows what is typed, or does not. Nothing is printed then that one
  /// could wait for.
  private func echoes(_ isWanted: Bool) async throws {
    guard try await polls(upTo: .seconds(20), until: { shell.isCooked == isWanted }) else {
      throw NeverChanged()
    }
  }

  /// Expects that the terminal echoes the input, and that the shell runs it.
  private func isUsable() async throws {
    try await shell.shows("prompt> ")
    #expect(shell.isCooked)
    shell.type("echo in$((1 + 1))sight\n")
    try await shell.shows("echo in$((1 + 1))sight", "in2sight")
    #expect(!shell.screen.contains("secret"))
  }

  @Test func `ctrl-c ends it, and the terminal shows again what is typed`() async throws {
    shell.press(.control("c"))
    try await isUsable()
    shell.type("natter login alice@natter.test; echo code $?\n")
    try await echoes(false)
    shell.press(.control("c"))
    try await echoes(true)
    shell.type("exit\n")
    _ = await shell.waitsForEnd(upTo: .seconds(60))
  }

  @Test func `ctrl-z stops it with the terminal as it was, and fg hides again what is typed`()
    async throws
  {
    shell.press(.control("z"))
    try await shell.shows("Stopped")
    try await isUsable()
    shell.type("clear; fg\n")
    try await echoes(false)
    shell.type("secret")
    shell.press(.control("c"))
    try await echoes(true)
    // What is typed before that may be thrown away with the password.
    try await shell.shows("prompt> ")
    shell.type("echo af$((1 + 1))ter\n")
    try await shell.shows("af2ter")
    #expect(!shell.screen.contains("secret"))
    shell.type("exit\n")
    _ = await shell.waitsForEnd(upTo: .seconds(60))
  }

  @Test(arguments: zip([SIGTERM, SIGHUP], ["Terminated", "Hangup"]))
  func `a signal that ends it gives the terminal back`(number: Int32, end: String) async throws {
    // It comes while the program is stopped, and takes effect as soon as it goes on.
    shell.press(.control("z"))
    try await shell.shows("Stopped")
    shell.type("clear; kill -\(number) %1; fg\n")
    // What is typed before would be thrown away with the password.
    try await shell.shows(end)
    try await isUsable()
    shell.type("exit\n")
    _ = await shell.waitsForEnd(upTo: .seconds(60))
  }
}
