import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing

@testable import natter

/// The programs of scripts as real processes, started by the real program.
@Suite(.enabled("natter was not built beside these tests") { Programs.exists(Programs.natter) })
struct LauncherTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("launcher")
    for name in ["home", "script", "storage"] { try folder.makeFolder(name) }
    try folder.write("secret", to: "home/secret")
    try folder.write("", to: "script/manifest.toml")
  }

  private func launcher(_ check: ConfinementCheck) -> ScriptLauncher {
    ScriptLauncher(
      check, executable: Programs.natter,
      environment: [
        "PATH": Programs.searchPath, "HOME": folder.path("home"), "LANG": "C.UTF-8", "SECRET": "s",
      ], ownFolders: [folder.path("home/own")])
  }

  private func program(_ command: [String]) -> ScriptProgram {
    ScriptProgram(
      folder: folder.path("script"), storage: folder.path("storage"), command: command)
  }

  private func start(
    _ command: [String], _ check: ConfinementCheck? = nil, hasNetwork: Bool = false
  ) async throws -> any ScriptProcess {
    var program = program(command)
    program.hasNetwork = hasNetwork
    program.variables = ["NATTER_SCRIPT": "sample", "OTHER": "x"]
    let current = await ConfinementCheck.run(searchPath: Programs.searchPath)
    return try await launcher(check ?? current).start(program)
  }

  private static func text(_ line: LineSplitter.Line) -> String {
    if case .line(let bytes) = line { String(decoding: bytes, as: UTF8.self) } else { "too long" }
  }

  /// The lines of its standard output, once it has ended.
  private func output(of process: any ScriptProcess) async -> [String] {
    var lines: [String] = []
    for await line in process.connection.lines { lines.append(Self.text(line)) }
    return lines
  }

  private static func isClosed() async -> Bool {
    await ConfinementCheck.run(searchPath: Programs.searchPath).level == .closed
  }

  // MARK: Without regard to the level

  @Test func `closing the connection ends its input, and its last lines arrive`() async throws {
    let process = try await start(["sh", "-c", "cat; echo last"])
    #expect(process.connection.send("first"))
    process.connection.close()
    #expect(await output(of: process) == ["first", "last"])
    #expect(await process.exit() == .status(0))
    #expect(await process.exit() == .status(0), "asked twice")
    #expect(await process.usage() == nil)
  }

  @Test func `standard error is lines, and the last needs no end`() async throws {
    let process = try await start(["sh", "-c", "echo a >&2; printf b >&2; exit 3"])
    var lines: [String] = []
    for await line in process.errors { lines.append(Self.text(line)) }
    #expect(lines == ["a", "b"])
    #expect(await process.exit() == .status(3))
  }

  @Test func `its environment is its own`() async throws {
    let process = try await start(["env"])
    let storage = folder.path("storage")
    #expect(
      await output(of: process).sorted() == [
        "HOME=\(storage)", "LANG=C.UTF-8", "NATTER_SCRIPT=sample", "PATH=\(Programs.searchPath)",
        "TMPDIR=\(storage)/tmp",
      ])
    var facts = stat()
    #expect(stat(folder.path("storage/tmp"), &facts) == 0)
    #expect(facts.st_mode == S_IFDIR | 0o700)
  }

  @Test func `two hundred children end with its group`() async throws {
    let bomb = "i=0; while [ $i -lt 200 ]; do sleep 600 & i=$((i+1)); done; echo ready; exec cat"
    let process = try await start(["sh", "-c", bomb])
    for await line in process.connection.lines {
      #expect(line == .line(Array("ready".utf8)))
      break
    }
    let usage = try #require(await process.usage())
    #expect(usage.memory > 200 * 4096)
    #expect(await process.exceeds(tasks: 200))
    let waiting = Task { await process.exceeds(tasks: 201) }
    process.signal(SIGTERM)
    #expect(await process.exit() == .signal(Int(SIGTERM)))
    #expect(await waiting.value == false)
    let group = process.processID
    #expect(try await polls { ProcessGroupUsage(ofGroup: group).memory == 0 })
  }

  @Test func `children that outlive it are killed`() async throws {
    let process = try await start(["sh", "-c", "sleep 600 & exit 0"])
    #expect(await process.exit() == .status(0))
    let group = process.processID
    #expect(try await polls { ProcessGroupUsage(ofGroup: group).memory == 0 })
  }

  @Test func `it ends with the process that has started it`() async throws {
    let arguments = LauncherArguments(
      .open, folder: folder.path("script"), storage: folder.path("storage"),
      command: ["/bin/sleep", "600"])
    let words = (["\(Programs.natter)"] + arguments.words).map { "'\($0)'" }
      .joined(separator: " ")
    let run = try await CommandRun(
      "sh", ["-c", "\(words) >/dev/null 2>&1 </dev/null & echo $!"],
      environment: ["PATH": Programs.searchPath])
    let child = try #require(pid_t(run.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(
      try await polls {
        // A process that nobody has collected yet has ended, too.
        let stat = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
        return stat.map { $0.contains(") Z ") } ?? true
      })
  }

  @Test func `what cannot be started says why`() async throws {
    let cases = [
      ("natter-no-such", "error.script.notInstalled"), ("./nothing", "error.script.noProgram"),
      ("./manifest.toml", "error.script.notExecutable"),
    ]
    for (name, key) in cases {
      let error = try await #require(throws: ScriptStartError.self) {
        _ = try await start([name])
      }
      #expect(error.notice.key == key)
      #expect(error.notice.arguments == ["program": name])
    }
  }

  @Test func `a folder with files of Natter is not given to a script`() async throws {
    try folder.makeFolder("home/own/scripts")
    for name in ["home", "home/own", "home/own/scripts"] {
      for isWritable in [false, true] {
        var program = program(["true"])
        if isWritable {
          program.writable = [folder.path(name)]
        } else {
          program.readable = [folder.path(name)]
        }
        let error = try await #require(throws: ScriptStartError.self) {
          _ = try await launcher(ConfinementCheck(.open)).start(program)
        }
        #expect(error.notice.key == "error.script.ownFolder")
      }
    }
  }

  @Test func `a path with a zero starts nothing`() async throws {
    var program = program(["true"])
    program.readable = [folder.path("script") + "\0/else"]
    let error = try await #require(throws: ScriptStartError.self) {
      _ = try await launcher(ConfinementCheck(.open)).start(program)
    }
    #expect(error.notice.key == "error.script.notStarted")
  }

  // MARK: Confined

  @Test(
    .requires(.cc),
    .enabled("this system has no Landlock, or filters no system calls") { await isClosed() },
    arguments: [false, true])
  func `every attempt of a program and its children is refused`(hasNetwork: Bool) async throws {
    try await SandboxProbe.compile(in: folder, as: "script/probe")
    let process = try await start(
      ["./probe", folder.path("home"), folder.path("script"), "9"], ConfinementCheck(.closed),
      hasNetwork: hasNetwork)
    var found: [String: String] = [:]
    for line in await output(of: process) {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 2 { found[parts[0]] = parts[1] }
    }
    #expect(await process.exit() == .status(0))
    for (name, outcome) in SandboxProbe.own { #expect(found[name] == outcome, "\(name)") }
    let isScoped = (found["landlock"].flatMap(Int.init) ?? 0) >= 6
    #expect(found["kill-child"] == (isScoped ? "ok" : "EACCES"))
    for prefix in ["", "child:"] {
      for (name, outcome) in SandboxProbe.signals(isScoped: isScoped) {
        #expect(found[prefix + name] == outcome, "\(name)")
      }
      for name in SandboxProbe.refused { #expect(found[prefix + name] == "EACCES", "\(name)") }
      for (name, outcome) in SandboxProbe.others {
        #expect(found[prefix + name] == outcome, "\(name)")
      }
      for name in ["tcp", "udp"] {
        #expect(found[prefix + name] == (hasNetwork ? "ok" : "EACCES"), "\(name)")
      }
    }
    #expect(folder.text("home/secret") == "secret")
  }

  @Test(
    .enabled("python3 is not installed") { Programs.exists("python3") },
    .enabled("this system has no Landlock, or filters no system calls") { await isClosed() })
  func `python works, and its attempts are refused`() async throws {
    let script = #"""
      import os, socket, subprocess, sys, threading
      def tries(name, what):
          try: what()
          except PermissionError: print(name, "refused")
          else: print(name, "ok")
      thread = threading.Thread(target=lambda: None)
      tries("thread", lambda: (thread.start(), thread.join()))
      tries("child", lambda: subprocess.run(["true"], check=True))
      tries("storage", lambda: open("file", "w").write("x"))
      tries("secret", lambda: open(sys.argv[1]))
      tries("passwd", lambda: open("/etc/passwd"))
      tries("kill", lambda: os.kill(os.getppid(), 0))
      tries("socket", lambda: socket.socket())
      """#
    let process = try await start(
      ["python3", "-c", script, folder.path("home/secret")], ConfinementCheck(.closed))
    #expect(
      await output(of: process) == [
        "thread ok", "child ok", "storage ok", "secret refused", "passwd refused", "kill refused",
        "socket refused",
      ])
    #expect(await process.exit() == .status(0))
  }

  @Test(
    .enabled("node is not installed") { Programs.exists("node") },
    .enabled("this system has no Landlock, or filters no system calls") { await isClosed() })
  func `node works, and its attempts are refused`() async throws {
    let script = #"""
      const fs = require("fs"), { execFileSync } = require("child_process");
      const { Worker } = require("worker_threads"), net = require("net");
      const tries = async (name, what) => {
        try { await what(); console.log(name, "ok"); } catch (e) { console.log(name, e.code); }
      };
      (async () => {
        await tries("timer", () => new Promise((done) => setTimeout(done, 1)));
        await tries("worker", () => new Promise((done, fail) => {
          const worker = new Worker("0", { eval: true });
          worker.on("exit", done); worker.on("error", fail);
        }));
        await tries("child", () => execFileSync("true"));
        await tries("storage", () => { fs.writeFileSync("a", "x"); fs.copyFileSync("a", "b"); });
        await tries("secret", () => fs.readFileSync(process.argv[1]));
        await tries("passwd", () => fs.readFileSync("/etc/passwd"));
        await tries("kill", () => process.kill(process.ppid, 0));
        await tries("connect", () => new Promise((done, fail) => {
          net.connect(9, "127.0.0.1", done).on("error", fail);
        }));
      })();
      """#
    let process = try await start(
      ["node", "-e", script, folder.path("home/secret")], ConfinementCheck(.closed))
    // By the filter, or by a kernel that confines signals to the sandbox.
    let lines = await output(of: process).map { $0 == "kill EPERM" ? "kill EACCES" : $0 }
    #expect(
      lines == [
        "timer ok", "worker ok", "child ok", "storage ok", "secret EACCES", "passwd EACCES",
        "kill EACCES", "connect EACCES",
      ])
    #expect(await process.exit() == .status(0))
  }

  @Test(.enabled("this system has no Landlock, or filters no system calls") { await isClosed() })
  func `a sandbox that is not complete runs nothing`() async throws {
    var program = program(["echo", "ran"])
    program.readable = [folder.path("missing")]
    let process = try await launcher(ConfinementCheck(.closed)).start(program)
    #expect(await output(of: process) == [])
    #expect(await process.exit() == .status(Int(ScriptLaunch.notConfined)))
    var errors: [String] = []
    for await line in process.errors { errors.append(Self.text(line)) }
    #expect(errors.count == 1)
    #expect(errors.first?.contains(folder.path("missing")) == true)
  }

  @Test(
    .enabled("bwrap is not installed, or does not work here") {
      await ConfinementCheck.workingBwrap(searchPath: Programs.searchPath) != nil
    })
  func `bwrap keeps a program from files and sockets`() async throws {
    let bwrap = await ConfinementCheck.workingBwrap(searchPath: Programs.searchPath)
    let script = """
      cat "$1" /etc/passwd 2>/dev/null || echo closed
      touch /tmp/file 2>/dev/null || echo read-only
      cat "$2" && echo x > file && echo stored
      """
    let process = try await start(
      ["sh", "-c", script, "sh", folder.path("home/secret"), folder.path("script/manifest.toml")],
      ConfinementCheck(.bwrap, bwrap: bwrap))
    #expect(await output(of: process) == ["closed", "read-only", "stored"])
    #expect(await process.exit() == .status(0))
    #expect(folder.text("storage/file") == "x\n")
  }
}
