import CLinux
import FoundationEssentials
import Glibc
import JSONLines
import NatterCore
import Sockets
import Synchronization
import System

/// The program of a script that this process has started, with its group.
nonisolated final class ScriptChild: ScriptProcess {
  private enum State {
    case running([CheckedContinuation<ScriptExit, Never>])
    case ended(ScriptExit)
  }

  /// The longest line of standard error, in bytes.
  private static let errorLimit = 4096
  /// The time between two looks at the number of its processes.
  private static let countInterval = Duration.milliseconds(500)

  let processID: Int32
  let connection: any BridgeConnection
  private let errorStream: PipeStream
  private let state = Mutex<State>(.running([]))

  private init(_ identifier: Int32, _ pipes: ChildPipes) {
    processID = identifier
    connection = LineConnection(
      PipeStream(input: pipes.output.read, output: pipes.input.write), completesLastLine: true)
    errorStream = PipeStream(input: pipes.errors.read)
  }

  /// Starts a program in a process group of its own.
  ///
  /// The thread that starts it waits for it, and lives as long: the signal that ends the program
  /// with its parent is sent when that thread ends. The main actor has no such thread, because
  /// libdispatch runs it on those of its pool.
  /// - Throws: `POSIXError`.
  static func start(
    _ path: String, _ arguments: [String], _ environment: [String: String]
  ) async throws(POSIXError) -> ScriptChild {
    let result: Result<ScriptChild, POSIXError> = await withCheckedContinuation { continuation in
      let isBegun = OwnThread.run {
        let child: ScriptChild
        do throws(POSIXError) { child = try spawn(path, arguments, environment) } catch {
          return continuation.resume(returning: .failure(error))
        }
        continuation.resume(returning: .success(child))
        child.reap()
      }
      if !isBegun { continuation.resume(returning: .failure(POSIXError(.EAGAIN))) }
    }
    return try result.get()
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String]
  ) throws(POSIXError) -> ScriptChild {
    let pipes = try ChildPipes()
    defer { pipes.closeForeign() }
    do throws(POSIXError) {
      let identifier = try running.withLock { running throws(POSIXError) in
        // The program is about to exit.
        guard running != nil else { throw POSIXError(.ECANCELED) }
        let identifier = try ProcessStart.start(path, arguments, environment: environment) {
          posix_spawn_file_actions_adddup2(&$0, pipes.input.read, 0)
          posix_spawn_file_actions_adddup2(&$0, pipes.output.write, 1)
          posix_spawn_file_actions_adddup2(&$0, pipes.errors.write, 2)
        }
        running?.insert(identifier)
        return identifier
      }
      return ScriptChild(identifier, pipes)
    } catch {
      pipes.closeOwn()
      throw error
    }
  }

  /// The groups of running scripts; `nil`: no more may be started.
  private static let running = Mutex<Set<pid_t>?>([])

  /// Kills all scripts and prevents further starts: the last step before this program exits.
  static func endAll() {
    running.withLock { running in
      for group in running ?? [] { kill(-group, SIGKILL) }
      running = nil
    }
  }

  /// Waits for the end of the program, and ends its group.
  private func reap() {
    var facts = siginfo_t()
    while waitid(P_PID, id_t(processID), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    // The number of the group is not given to another before the program is collected.
    kill(-processID, SIGKILL)
    Self.running.withLock { _ = $0?.remove(processID) }
    let waiting = state.withLock { state in
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      let signal = Int(status & 0x7F)
      let exit = signal == 0 ? ScriptExit.status(Int(status >> 8 & 0xFF)) : .signal(signal)
      defer { state = .ended(exit) }
      if case .running(let waiting) = state { return (waiting, exit) }
      return ([], exit)
    }
    for continuation in waiting.0 { continuation.resume(returning: waiting.1) }
  }

  var errors: AsyncStream<LineSplitter.Line> {
    // Read only as they are taken: what waits is in the pipe.
    let lines = ErrorLines(errorStream, limit: Self.errorLimit)
    return AsyncStream { await lines.next() }
  }

  func signal(_ number: Int32) {
    state.withLock { state in
      if case .running = state { kill(-processID, number) }
    }
  }

  @concurrent func usage() async -> (memory: Int, processor: Duration)? {
    guard isRunning else { return nil }
    let usage = ProcessGroupUsage(ofGroup: processID)
    return isRunning ? (usage.memory, usage.processor) : nil
  }

  @concurrent func exceeds(tasks limit: Int) async -> Bool {
    var watch = TaskCount(ofGroup: processID)
    while isRunning {
      if watch.exceeds(limit) { return isRunning }
      // Cancelled: nothing waits for the answer.
      do { try await Task.sleep(until: Self.nextCount(), clock: .continuous) } catch {
        return false
      }
    }
    return false
  }

  private static let firstCount = ContinuousClock.now

  /// The time of the next look at the number of processes: the same for all scripts, so that they
  /// wake the processor once.
  private static func nextCount() -> ContinuousClock.Instant {
    let passed = (ContinuousClock.now - firstCount) / countInterval
    return firstCount + countInterval * (Int(passed) + 1)
  }

  private var isRunning: Bool {
    state.withLock { if case .running = $0 { true } else { false } }
  }

  func exit() async -> ScriptExit {
    await withCheckedContinuation { continuation in
      let exit: ScriptExit? = state.withLock { state in
        switch state {
        case .ended(let exit): return exit
        case .running(let waiting):
          state = .running(waiting + [continuation])
          return nil
        }
      }
      if let exit { continuation.resume(returning: exit) }
    }
  }
}

/// The pipes of a child's three streams.
nonisolated private struct ChildPipes {
  let input: OwnPipe
  let output: OwnPipe
  let errors: OwnPipe

  init() throws(POSIXError) {
    var pipes: [OwnPipe] = []
    do throws(POSIXError) {
      for _ in 0..<3 { pipes.append(try OwnPipe()) }
    } catch {
      for end in pipes.flatMap({ [$0.read, $0.write] }) { close(end) }
      throw error
    }
    (input, output, errors) = (pipes[0], pipes[1], pipes[2])
  }

  func closeForeign() { for end in [input.read, output.write, errors.write] { close(end) } }
  func closeOwn() { for end in [input.write, output.read, errors.read] { close(end) } }
}

/// The lines of a script's standard error.
private actor ErrorLines {
  private let stream: PipeStream
  private var splitter: LineSplitter
  private var read: ArraySlice<LineSplitter.Line> = []
  private var hasEnded = false

  init(_ stream: PipeStream, limit: Int) {
    self.stream = stream
    splitter = LineSplitter(limit: limit)
  }

  func next() async -> LineSplitter.Line? {
    while read.isEmpty, !hasEnded {
      // A broken pipe ends as a closed one does.
      if let bytes = try? await stream.receive() {
        read = splitter.take(bytes)[...]
      } else {
        hasEnded = true
        // The last line of a program that has crashed has no end.
        if splitter.waitingCount > 0 { read = splitter.take([0x0A])[...] }
      }
    }
    return read.popFirst()
  }
}

/// Runs work on a thread of its own, which ends with the work.
nonisolated private enum OwnThread {
  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// - Returns: `false` if the system has no thread left.
  static func run(_ work: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(work))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    if code != 0 { work.release() }
    return code == 0
  }
}
