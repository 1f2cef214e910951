import Foundation
import TestSupport
import Testing

@Suite struct PTYProcessTests {
  let home: Home
  init() throws { home = try Home() }

  func shell(_ script: String, rows: Int = 24, columns: Int = 80) throws -> PTYProcess {
    try PTYProcess(
      "sh", ["-c", script], environment: home.environment(), rows: rows, columns: columns)
  }

  @Test func `a program gets the terminal, size, environment and folder it was promised`()
    async throws
  {
    let program = try PTYProcess(
      "sh", ["-c", "stty size; tty -s && echo tty; env | sort; pwd"],
      environment: ["PATH": Programs.searchPath, "ONLY": "this"], rows: 30, columns: 90,
      directory: home.home.path)
    #expect(await program.waitsForEnd() == .exited(0))
    #expect(program.screen.contains("30 90"))
    #expect(program.screen.contains("tty"))
    #expect(program.screen.contains("ONLY=this"))
    #expect(program.screen.contains(home.home.path))
    #expect(!program.screen.contains("HOME="))
  }

  @Test func `what is typed arrives, and what comes is waited for`() async throws {
    let program = try shell("read -r line; echo \"got <$line>\"; exec sleep 1000")
    program.type("hällo")
    program.press(.enter)
    try await program.shows("got <hällo>")
    #expect(program.status == nil)
    #expect(program.isCooked)
    #expect(await program.stop() == .signalled(SIGTERM))
  }

  @Test func `a condition that never holds is an error that shows the screen`() async throws {
    let program = try shell("echo here; exec sleep 1000")
    try await program.shows("here")
    await #expect {
      try await program.shows("elsewhere", upTo: .milliseconds(50))
    } throws: { error in
      "\(error)".contains("elsewhere") && "\(error)".contains("here")
    }
  }

  @Test func `a program that ends leaves no one waiting`() async throws {
    let program = try shell("echo last words; exit 7")
    #expect(await program.waits(upTo: .seconds(60)) { $0.contains("never") } == false)
    #expect(await program.waitsForEnd() == .exited(7))
    #expect(program.screen.contains("last words"))
  }

  @Test func `a new size reaches the program`() async throws {
    let program = try shell("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done")
    try await program.shows("ready")
    program.resize(rows: 11, columns: 44)
    try await program.shows("11 44")
    program.signal(SIGKILL)
    #expect(await program.waitsForEnd() == .signalled(SIGKILL))
  }

  @Test func `closing the terminal hangs the program up`() async throws {
    let program = try shell("echo ready; exec sleep 1000")
    try await program.shows("ready")
    program.hangUp()
    #expect(await program.waitsForEnd() == .signalled(SIGHUP))
  }

  @Test func `a stopped job comes back to the foreground`() async throws {
    let shell = try PTYProcess(
      "bash", ["--norc", "--noprofile", "-i"],
      environment: home.environment(["PS1": "prompt> ", "HISTFILE": "/dev/null"]))
    try await shell.shows("prompt> ")
    // Typed ahead of the prompt's end, it would not be echoed.
    shell.type("echo go$((1 + 1)); cat\n")
    try await shell.shows("go2")
    shell.type("through the cat\n")
    try await shell.expects("an echo and the cat's copy") { screen in
      screen.lines.filter { $0.contains("through the cat") }.count == 2
    }
    shell.press(.control("z"))
    // The shell reads without the terminal's echo, the cat with it: what is typed between the two
    // would be echoed by neither.
    try await shell.expects("the shell's next prompt") { screen in
      screen.contains("Stopped") && screen.text(row: screen.cursor.row) == "prompt>"
    }
    try await until { !shell.isCooked }
    shell.type("fg\n")
    try await shell.expects("the name of the job that goes on") { screen in
      screen.lines.contains("cat")
    }
    shell.type("again\n")
    try await shell.expects("the cat again") { screen in
      screen.lines.filter { $0 == "again" }.count == 2
    }
    shell.press(.control("d"))
    shell.type("exit 3\n")
    #expect(await shell.waitsForEnd() == .exited(3))
  }

  @Test func `a program that cannot be started says why`() async throws {
    #expect(throws: Programs.Missing.self) {
      try PTYProcess("no-such-program-here", environment: [:])
    }
    #expect(throws: ChildProcess.StartError.self) {
      try PTYProcess("true", environment: [:], directory: "/no/such/folder")
    }
    try home.folder.write("no program", to: "text", mode: 0o700)
    #expect(throws: ChildProcess.StartError.self) {
      try PTYProcess(home.folder.path("text"), environment: [:])
    }
  }

  @Test func `nothing is left when a process is let go of`() async throws {
    var program: PTYProcess? = try shell(
      "trap '' HUP TERM INT; sleep 1000 & echo $$ $!; while :; do wait; done")
    #expect(await program?.waits { $0.text(row: 0).contains(" ") } == true)
    let numbers = program?.screen.text(row: 0).split(separator: " ").compactMap { pid_t($0) } ?? []
    let child = try #require(program?.child)
    #expect(numbers.count == 2)
    program = nil
    #expect(await child.waitsForEnd() == .signalled(SIGKILL))
    for number in numbers { #expect(await isGone(number)) }
  }

  @Test func `what was printed can be looked at byte by byte`() async throws {
    let program = try shell("printf '\\033[31mred\\033[0m\\n'; read x; printf 'more'; read y")
    try await program.shows("red")
    #expect(program.rawOutput.contains(sequence: Array("\u{1b}[31m".utf8)))
    let mark = program.outputCount
    program.press(.enter)
    try await program.prints("more", since: mark)
    #expect(!program.output(since: mark).contains(sequence: Array("red".utf8)))
  }

  @Test func `pasting is bracketed where the program asked for it`() async throws {
    let program = try shell(
      "printf '\\033[?2004h'; stty -echo -icanon -icrnl; echo go; exec cat -v")
    try await program.shows("go")
    program.paste("a\nb")
    try await program.shows("^[[200~a^Mb^[[201~")
  }

  /// Indicates whether a process has ended, or will soon: the guardian kills it, and the kernel
  /// takes a moment.
  private func isGone(_ number: pid_t) async -> Bool {
    await waitsUntilGone(number, upTo: .seconds(20))
  }
}

@Suite(.limitedConcurrency) struct CommandRunTests {
  @Test func `a command's output, errors and end are kept apart`() async throws {
    let run = try await CommandRun(
      "sh", ["-c", "cat; echo oops >&2; exit 3"], environment: [:], input: "in\n")
    #expect(run.text == "in\n")
    #expect(run.errorText == "oops\n")
    #expect(run.status == .exited(3))
  }

  @Test func `a command that hangs is killed and said to have hung`() async throws {
    await #expect(throws: CommandRun.TimedOut.self) {
      try await CommandRun("sleep", ["1000"], environment: [:], upTo: .milliseconds(100))
    }
  }
}

@Suite struct ManualClockTests {
  @Test func `sleepers wake when their time has come, and not before`() async throws {
    let clock = ManualClock()
    let woken = Observed<[Int]>([])
    async let all: Void = withThrowingTaskGroup(of: Void.self) { group in
      for seconds in [30, 10] {
        group.addTask {
          try await clock.sleep(for: .seconds(seconds))
          woken.update { $0.append(seconds) }
        }
      }
      try await group.waitForAll()
    }
    #expect(await clock.waits(untilSleeping: 2))
    clock.advance(by: .seconds(9))
    #expect(woken.value == [])
    clock.advance(by: .seconds(1))
    #expect(await woken.waits { $0 == [10] })
    clock.advance(by: .seconds(20))
    try await all
    #expect(woken.value == [10, 30])
    #expect(clock.date.timeIntervalSince1970 == 1_700_000_030)
  }

  @Test func `a cancelled sleep ends with an error`() async throws {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    #expect(await clock.waits(untilSleeping: 1))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeps == [])
  }
}
