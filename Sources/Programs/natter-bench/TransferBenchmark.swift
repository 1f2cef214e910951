import API
import Foundation
import HTTP
import NatterCore
import Sockets
import TestSupport
import XMPP

/// `natter-bench transfer`: uploads and downloads a large file through the upload service of a real
/// server, compared with curl for the same file and server, and measures the memory that it takes
/// (goal: 0.9 of curl's rate, 16 MB more than idle); then the same with the whole program, and its
/// reaction time to keys meanwhile.
struct TransferBenchmark {
  /// In units of 10^6 bytes.
  var megabytes = 1000
  var server = "prosody"
  var rounds = 2
  /// The program for the measurement with the screen.
  let natter: String

  static let type = "application/octet-stream"

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads `[MEGABYTES] [prosody|ejabberd] [--rounds N] [--natter PATH]` (default: the one beside
  /// this program).
  init(arguments: [String]) throws {
    natter = StartBenchmark.program(arguments)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--rounds" {
        rounds = max(1, rest.popFirst().flatMap { Int($0) } ?? rounds)
      } else if argument == "--natter" {
        rest = rest.dropFirst()
      } else if argument == "prosody" || argument == "ejabberd" {
        server = argument
      } else if let number = Int(argument), number > 0 {
        megabytes = number
      } else {
        throw Failure(description: "natter-bench transfer: \(argument)?")
      }
    }
  }

  func run() async throws {
    var options = XMPPServerOptions()
    options.uploadLimit = megabytes * 1_000_000
    let users = ["alice": "secret", "bob": "secret"]
    let running: any XMPPServer =
      server == "ejabberd"
      ? try await EjabberdServer(options, users: users)
      : try await ProsodyServer(options, users: users)
    do {
      let peer = try await SlixmppPeer(running.jid("alice"), password: "secret", server: running)
      try await measure(running, peer)
      await peer.signOut()
      try await measureScreen(running)
    } catch {
      await running.stop()
      throw error
    }
    await running.stop()
  }

  private func measure(_ server: any XMPPServer, _ peer: SlixmppPeer) async throws {
    let folder = try TemporaryFolder("transfer")
    defer { folder.remove() }
    let (source, target) = (folder.path("source"), folder.path("target"))
    try await makeFile(source)
    let authority = try server.certificate
    var (ours, curls) = (Times(), Times())
    var memory = (idle: 0, peak: 0)
    for round in 0..<rounds {
      // The order alternates: the load of the machine changes over time.
      for isOurs in round.isMultiple(of: 2) ? [false, true] : [true, false] {
        let slot = try await peer.slot(
          "file \(round)", byteCount: megabytes * 1_000_000, type: Self.type)
        if isOurs {
          let idle = try ResidentMemory.resetPeak()
          try await upload(source, to: slot, trusting: authority, &ours)
          try await download(slot.get, to: target, trusting: authority, &ours)
          let peak = try ResidentMemory.peak()
          if peak - idle >= memory.peak - memory.idle { memory = (idle, peak) }
        } else {
          try await curl(source, slot, target, trusting: authority, &curls)
        }
        try await CommandRun.check("cmp", [source, target], upTo: .seconds(600))
        unlink(target)
      }
    }
    print("\(megabytes) MB through \(self.server), the best of \(rounds):")
    report("  upload", ours.up, curls.up)
    report("  download", ours.down, curls.down)
    let more = (Double(memory.peak - memory.idle) / 1e5).rounded() / 10
    print("  memory: idle \(memory.idle / 1_000_000) MB, at most \(more) MB more")
  }

  /// Creates a file of that size and reads it once, so that the page cache holds it for the first
  /// measurement.
  func makeFile(_ path: String) async throws {
    try await CommandRun.check(
      "dd", ["if=/dev/urandom", "of=\(path)", "bs=1000000", "count=\(megabytes)"],
      upTo: .seconds(600))
    try await CommandRun.check(
      "dd", ["if=\(path)", "of=/dev/null", "bs=1000000"], upTo: .seconds(600))
  }

  /// The elapsed time and the processor time, in seconds.
  private struct Cost {
    var time: Double
    var processor: Double
  }

  private struct Times {
    var up: [Cost] = []
    var down: [Cost] = []
  }

  /// Other load on the machine hardly changes the processor time, but it changes the rate.
  private func report(_ what: String, _ ours: [Cost], _ curls: [Cost]) {
    func rate(_ all: [Cost]) -> Double { Double(megabytes) / (all.map(\.time).min() ?? .infinity) }
    func busy(_ all: [Cost]) -> String {
      String(format: "%.2f s", all.map(\.processor).min() ?? 0)
    }
    let ratio = (rate(ours) / rate(curls) * 100).rounded() / 100
    print(
      "\(what): \(Int(rate(ours))) MB/s, curl \(Int(rate(curls))) MB/s, ratio \(ratio); "
        + "processor \(busy(ours)), curl \(busy(curls))")
  }

  // MARK: Natter's own transport

  private func upload(
    _ path: String, to slot: XEP0363Slot, trusting authority: String, _ times: inout Times
  ) async throws {
    let client = APIClient(transport: CurlTransport(trust: TrustOptions(caFile: authority)))
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(description: "\(path) cannot be read") }
    defer { close(descriptor) }
    times.up.append(
      try await Self.cost(of: RUSAGE_SELF) {
        try await client.put(
          descriptor, byteCount: megabytes * 1_000_000, mediaType: Self.type, to: slot,
          onBegin: { _ in }, onProgress: { _ in })
      })
  }

  private func download(
    _ address: String, to path: String, trusting authority: String, _ times: inout Times
  ) async throws {
    let client = APIClient(transport: CurlTransport(trust: TrustOptions(caFile: authority)))
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(description: "\(path) cannot be written") }
    defer { close(descriptor) }
    times.down.append(
      try await Self.cost(of: RUSAGE_SELF) {
        _ = try await client.get(
          address, into: descriptor, held: 0, validator: nil, sizeLimit: .max,
          onBegin: { _ in }, onProgress: { _, _ in })
      })
  }

  // MARK: curl

  /// Without `Expect: 100-continue`, which Natter does not send either: with some servers curl
  /// waits a second for nothing.
  private func curl(
    _ source: String, _ slot: XEP0363Slot, _ target: String, trusting authority: String,
    _ times: inout Times
  ) async throws {
    let headers =
      (slot.headers.map { "\($0.name): \($0.value)" } + [
        "Content-Type: \(Self.type)", "Expect:",
      ]).flatMap { ["-H", $0] }
    let base = ["-sS", "--fail", "--noproxy", "*", "--cacert", authority]
    times.up.append(
      try await Self.cost(of: RUSAGE_CHILDREN) {
        try await CommandRun.check(
          "curl", base + headers + ["-T", source, slot.put], upTo: .seconds(1800))
      })
    times.down.append(
      try await Self.cost(of: RUSAGE_CHILDREN) {
        try await CommandRun.check("curl", base + ["-o", target, slot.get], upTo: .seconds(1800))
      })
  }

  /// - Parameter who: the processes that the processor time is measured for.
  private static func cost(
    of who: __rusage_who, _ body: () async throws -> Void
  ) async rethrows -> Cost {
    func busy() -> Double {
      var usage = rusage()
      getrusage(CInt(truncatingIfNeeded: who.rawValue), &usage)
      return [usage.ru_utime, usage.ru_stime].reduce(0) {
        $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
      }
    }
    let before = busy()
    let time = try await ContinuousClock().measure { try await body() }
    return Cost(time: time / .seconds(1), processor: busy() - before)
  }
}

/// The resident memory of a process (proc(5)); without a process id, of this one.
enum ResidentMemory {
  /// Resets the peak.
  /// - Returns: the memory that is resident now, in bytes.
  static func resetPeak(of process: pid_t? = nil) throws -> Int {
    try Data("5".utf8).write(to: URL(filePath: "\(folder(process))/clear_refs"))
    return try now(of: process)
  }

  /// The memory that is resident now, in bytes.
  static func now(of process: pid_t? = nil) throws -> Int { try field("VmRSS", process) }

  /// The greatest resident memory since then, in bytes.
  static func peak(of process: pid_t? = nil) throws -> Int { try field("VmHWM", process) }

  private static func folder(_ process: pid_t?) -> String {
    "/proc/" + (process.map { String($0) } ?? "self")
  }

  private static func field(_ name: String, _ process: pid_t?) throws -> Int {
    try ProcessStatus.number(name, in: folder(process)) * 1024
  }
}
