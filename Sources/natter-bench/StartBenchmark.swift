import Foundation

/// `natter-bench start [COUNT] [PROGRAM]`: process start to first frame, beside the smallest ncurses
/// program in C, in alternation on pseudo-terminals of 80x24.
///
/// The program is the natter beside this one, signed out and with an empty home; only a release build
/// with the static standard library says something about what people get. The first frame is there
/// with the first visible character. The goal is at most three times the C program.
/// - Throws: `StartBenchmarkError` when something does not start or does not draw.
func runStartBenchmark(arguments: [String]) throws {
  let count = max(1, arguments.first.flatMap { Int($0) } ?? 20)
  let beside = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "natter").path
  let natter = arguments.dropFirst().first ?? beside
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "natter-bench-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(at: folder) }
  let hello = try compiledHello(in: folder)

  var times: [String: [Double]] = [hello: [], natter: []]
  for round in 0...count {
    for program in [hello, natter] {
      let milliseconds = try firstFrame(of: program, home: folder)
      // The first round only warms the page cache.
      if round > 0 { times[program, default: []].append(milliseconds) }
    }
  }
  let helloTimes = (times[hello] ?? []).sorted()
  let natterTimes = (times[natter] ?? []).sorted()
  func line(_ name: String, _ values: [Double]) {
    let numbers = [values[values.count / 2], values[0], values[values.count - 1]]
    let texts = numbers.map { String(format: "%6.1f", $0) }
    print("\(name)  median \(texts[0]) ms  least \(texts[1]) ms  most \(texts[2]) ms")
  }
  print("process start to first frame, \(count) starts each, 80x24")
  line("ncurses in C", helloTimes)
  line("natter      ", natterTimes)
  let ratio = natterTimes[natterTimes.count / 2] / helloTimes[helloTimes.count / 2]
  print("ratio \(String(format: "%.2f", ratio)) (goal: at most 3)")
}

/// What kept the measurement from being made.
enum StartBenchmarkError: Error, CustomStringConvertible {
  case cannotCompile(status: Int32)
  case noTerminal(errno: Int32)
  case cannotStart(program: String, errno: Int32)
  case drawsNothing(program: String, output: String)

  var description: String {
    switch self {
    case .cannotCompile(let status): "cc could not compile the C program (\(status))"
    case .noTerminal(let code): "no pseudo-terminal: \(String(cString: strerror(code)))"
    case .cannotStart(let program, let code):
      "cannot start \(program): \(String(cString: strerror(code)))"
    case .drawsNothing(let program, let output): "\(program) draws nothing: \(output)"
    }
  }
}

private func compiledHello(in folder: URL) throws -> String {
  let source = folder.appending(path: "hello.c")
  let program = folder.appending(path: "hello").path
  try Data(
    """
    #include <locale.h>
    #include <ncurses.h>
    int main(void) {
      setlocale(LC_ALL, "");
      initscr();
      start_color();
      cbreak();
      noecho();
      keypad(stdscr, TRUE);
      addstr("hello, world");
      refresh();
      getch();
      return endwin();
    }

    """.utf8
  ).write(to: source)
  let compiler = Process()
  compiler.executableURL = URL(filePath: "/usr/bin/env")
  compiler.arguments = ["cc", "-O2", "-o", program, source.path, "-lncursesw", "-ltinfo"]
  try compiler.run()
  compiler.waitUntilExit()
  guard compiler.terminationStatus == 0 else {
    throw StartBenchmarkError.cannotCompile(status: compiler.terminationStatus)
  }
  return program
}

/// Starts `program` on a new terminal and kills it when it has drawn something.
/// - Returns: milliseconds from before its start until then.
private func firstFrame(of program: String, home: URL) throws -> Double {
  let terminal = try Terminal()
  defer { close(terminal.master) }
  let values = [
    "HOME": home.path, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin",
    "XDG_RUNTIME_DIR": home.path,
  ]
  var environment = values.map { strdup("\($0)=\($1)") } + [nil]
  var argv = [strdup(program), nil]
  defer { for pointer in environment + argv { free(pointer) } }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  // Opened by the leader of a new session: so it becomes the controlling terminal.
  posix_spawn_file_actions_addopen(&actions, 0, terminal.slave, O_RDWR, 0)
  posix_spawn_file_actions_adddup2(&actions, 0, 1)
  posix_spawn_file_actions_adddup2(&actions, 0, 2)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  let setSession: Int16 = 0x80  // POSIX_SPAWN_SETSID, which Glibc's module does not show
  posix_spawnattr_setflags(&attributes, setSession)

  var child: pid_t = 0
  let start = ContinuousClock.now
  let problem = posix_spawn(&child, program, &actions, &attributes, &argv, &environment)
  guard problem == 0 else {
    throw StartBenchmarkError.cannotStart(program: program, errno: problem)
  }
  defer {
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
  }
  var output: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while !hasVisibleText(output) {
    var descriptor = pollfd(fd: terminal.master, events: Int16(POLLIN), revents: 0)
    let isReady = poll(&descriptor, 1, 10_000) > 0
    let length = isReady ? read(terminal.master, &buffer, buffer.count) : 0
    guard length > 0 else {
      throw StartBenchmarkError.drawsNothing(
        program: program, output: String(decoding: output, as: UTF8.self).debugDescription)
    }
    output += buffer[..<length]
  }
  let taken = (ContinuousClock.now - start).components
  return Double(taken.seconds) * 1000 + Double(taken.attoseconds) / 1e15
}

/// A pseudo-terminal of 80x24. `posix_openpt` and what belongs to it are not in Glibc's module, so
/// this asks the kernel itself (pts(4), ioctl_tty(2)).
private struct Terminal {
  let master: Int32
  let slave: String

  init() throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0,  // TIOCSPTLCK
      ioctl(master, 0x8004_5430, &number) == 0,  // TIOCGPTN
      ioctl(master, 0x5414, &size) == 0  // TIOCSWINSZ
    else { throw StartBenchmarkError.noTerminal(errno: errno) }
    slave = "/dev/pts/\(number)"
  }
}

/// Whether a character other than a blank stands outside of all control sequences.
private func hasVisibleText(_ output: [UInt8]) -> Bool {
  var index = 0
  while index < output.count {
    let byte = output[index]
    index += 1
    if byte > 0x20 && byte != 0x7f { return true }
    guard byte == 0x1b, index < output.count else { continue }
    switch output[index] {
    case UInt8(ascii: "["):
      index += 1
      while index < output.count, !(0x40...0x7e).contains(output[index]) { index += 1 }
      index += 1
    case UInt8(ascii: "]"), UInt8(ascii: "P"):
      while index < output.count, output[index] != 0x07,
        !(output[index] == 0x1b && index + 1 < output.count && output[index + 1] == 0x5c)
      {
        index += 1
      }
      index += index < output.count && output[index] == 0x1b ? 2 : 1
    case 0x20..<0x30: index += 2
    default: index += 1
    }
  }
  return false
}
